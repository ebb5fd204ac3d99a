// `npm run size`: lines, lines of code and files of sources, tests and documentation, and of each folder of the sources.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const isTest = path => /\.test\.tsx?$/.test(path)

/** The files of the repository, also those that are not committed yet. */
const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter(path => path !== '' && existsSync(`${root}${path}`))

const sources = paths.filter(path => /^src\/.*\.ts$/.test(path) && !isTest(path))
const folders = [...new Set(sources.map(path => path.split('/').slice(0, -1).slice(0, 2).join('/')))].sort()

const ROWS = [
  ['source', sources],
  ...folders.map(folder => [`  ${folder}`, sources.filter(path => isBelow(path, folder))]),
  ['  src/hosts/node/store', sources.filter(path => path.startsWith('src/hosts/node/store/'))],
  ['tests', paths.filter(path => /\.ts$/.test(path) && (path.startsWith('test/') || isTest(path)))],
  ['transcripts', paths.filter(path => /^test\/.*\.txt$/.test(path))],
  ['console', paths.filter(path => /^console\/.*\.(tsx?|css|html)$/.test(path))],
  ['docs', paths.filter(path => /^(docs\/.*|[A-Z]+)\.md$/.test(path))],
]

/** Whether a file counts for a row: those in `src` itself have a row of their own. */
function isBelow(path, folder) {
  return folder === 'src' ? !path.slice('src/'.length).includes('/') : path.startsWith(`${folder}/`)
}

const linesOf = path => readFileSync(`${root}${path}`, 'utf8').split('\n').slice(0, -1)
/** Neither blank nor a comment. */
const isCode = line => !/^\s*($|\/\/|\/\*|\*)/.test(line)

const write = (name, ...counts) =>
  console.log(name.padEnd(24) + counts.map(count => String(count).padStart(8)).join(''))
write('', 'lines', 'code', 'files')
for (const [name, files] of ROWS) {
  const lines = files.flatMap(linesOf)
  write(name, lines.length, lines.filter(isCode).length, files.length)
}
