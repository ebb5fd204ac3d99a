// docs/tutorial.md, step by step in an empty folder: each test fails before the change below it, and all pass after it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, inject, it, vi } from 'vitest'
import { createConsumer } from './kits/consumer.js'
import { INSTALL } from './package/example-readmes.js'
import { applyDiff, stepsOf } from './support/guide.js'

vi.setConfig({ testTimeout: 400_000 })

const text = readFileSync(fileURLToPath(new URL('../docs/tutorial.md', import.meta.url)), 'utf8')
/** The command of `npm test`. */
const TEST = /scripts\.test='(.*)'/.exec(text)![1]!
const sections = text
  .split(/^## /m)
  .slice(1)
  .map(section => ({
    heading: section.split('\n', 1)[0]!,
    commands: [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block]) => block!.trim().split('\n')),
    steps: stepsOf(section),
  }))

it('behavior: each text of the page is a step or a command', () => {
  const blocks = text.match(/^```\w/gm)!.length
  expect(sections.flatMap(({ steps }) => steps).length + text.match(/^```sh$/gm)!.length).toBe(blocks)
})

it('default: each step is red, then green', () => {
  expect(inject('buildProblem')).toBe('')
  const { folder } = createConsumer('tutorial', {})
  rmSync(join(folder, 'package.json'))
  const environment = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST|MODE|NODE_|npm_)/.test(name))
  const run = (command: string) => {
    const options = {
      cwd: folder,
      encoding: 'utf8',
      env: { ...Object.fromEntries(environment), NO_COLOR: '1' },
    } as const
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], options)
    return { status, output: stdout + stderr }
  }
  const expectGreen = (command: string, what: string): void => {
    const { status, output } = run(command)
    expect(status, `${what}: ${command}\n${output}`).toBe(0)
  }
  let red = 0
  for (const { heading, commands, steps } of sections) {
    for (const { kind, file, text } of steps) {
      const path = join(folder, file)
      if (kind === 'diff') writeFileSync(path, applyDiff(readFileSync(path, 'utf8'), text))
      else {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, text)
      }
      if (kind === 'diff') expectGreen(TEST, heading)
      else if (file.endsWith('.test.js') && steps.some(step => step.kind === 'diff')) {
        const { status, output } = run(`${TEST} ${file}`)
        expect(status, `${heading}: ${file} should fail before the change\n${output}`).toBe(1)
        expect(output).toMatch(/^(?:ℹ|#) (?:fail|cancelled) [1-9]/m)
        red++
      }
    }
    // The package is there already.
    for (const command of commands.filter(line => line !== INSTALL)) expectGreen(command, heading)
  }
  expect(red).toBe(7)
  expect(readFileSync(join(folder, 'consumer.js'), 'utf8').split('\n').length).toBeLessThan(50)
})
