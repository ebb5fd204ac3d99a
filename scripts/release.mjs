// Prepares a release, as the "version" step of `npm version`: dates the changelog and copies the version of package.json.
// With --check it changes nothing and lists the copies that differ; with --notes it prints the changes of the version. Another folder than this repository may be named last.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean' }, notes: { type: 'boolean' } },
  allowPositionals: true,
})
const root = resolve(positionals[0] ?? fileURLToPath(new URL('..', import.meta.url)))
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Every copy of the version: its file, and a pattern that matches it between the text before and the text after. */
const COPIES = [
  ['src/version.ts', /(VERSION = ')[^']*(')/],
  ['clients/python/pyproject.toml', /^(version = ")[^"]*(")/m],
]

const problems = []
/** New contents by path. Nothing is written if there is a problem. */
const texts = new Map()
for (const [file, pattern] of COPIES) {
  const path = join(root, file)
  const text = readFileSync(path, 'utf8')
  const copied = text.replace(pattern, (_, before, after) => `${before}${version}${after}`)
  if (!pattern.test(text)) problems.push(`${file} has no version where it is expected: correct scripts/release.mjs.`)
  if (values.check && copied !== text) problems.push(`${file} does not have the version ${version} of package.json.`)
  texts.set(path, copied)
}
if (values.notes) printNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
else if (!values.check) dateChangelog(join(root, 'CHANGELOG.md'))
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`)
  process.exitCode = 1
} else if (!values.check && !values.notes) for (const [path, text] of texts) writeFileSync(path, text)

/** Gives the changes under "Unreleased" the version and today's date, and leaves an empty section for the next ones. */
function dateChangelog(path) {
  const text = readFileSync(path, 'utf8')
  const heading = '## Unreleased\n'
  const changes = sectionOf(text, 'Unreleased')
  if (changes.trim() === '') problems.push('CHANGELOG.md has nothing under "Unreleased": describe the changes first.')
  const date = new Date().toISOString().slice(0, 10)
  texts.set(
    path,
    text.replace(heading, () => `${heading}\n## ${version} - ${date}\n`),
  )
}

function printNotes(text) {
  const notes = sectionOf(text, `${version} - .*`).trim()
  if (notes === '') problems.push(`CHANGELOG.md has no changes of ${version}: run "npm version".`)
  else process.stdout.write(`${notes}\n`)
}

/** The text below a heading of the second level. */
function sectionOf(text, heading) {
  return new RegExp(`^## ${heading}\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(text)?.[1] ?? ''
}
