// docs/tutorial.md, step by step in an empty folder: each test fails before the change below it, and all pass after it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, inject, it, vi } from 'vitest'
import { createConsumer } from './kits/consumer.js'
import { INSTALL } from './package/example-readmes.js'
import { ROOT } from './support/folder.js'
import { applyDiff } from './support/guide.js'
import { outerEnvironment } from './support/run-program.js'

vi.setConfig({ testTimeout: 600_000 })

const text = readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8')
/** The command of `npm test`. */
const TEST = /scripts\.test='(.*)'/.exec(text)![1]!
/** The blocks of each section, in order. Commands have no file. */
const sections = text
  .split(/^## /m)
  .slice(1)
  .map(section => ({
    heading: section.split('\n', 1)[0]!,
    blocks: [...section.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, kind, file, body]) => ({
      kind: kind!,
      file,
      body: body!,
    })),
  }))

it('default: each step is red, then green', () => {
  expect(inject('buildProblem')).toBe('')
  const { folder } = createConsumer('tutorial', {})
  rmSync(join(folder, 'package.json'))
  // As npm installs it.
  const program = join(folder, 'node_modules/price-feed-mock/dist/program/main.js')
  mkdirSync(join(folder, 'node_modules/.bin'))
  writeFileSync(join(folder, 'node_modules/.bin/price-feed-mock'), `#!/bin/sh\nexec node '${program}' "$@"\n`, {
    mode: 0o755,
  })
  const run = (command: string) => {
    const options = { cwd: folder, encoding: 'utf8', timeout: 200_000, env: outerEnvironment() } as const
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], options)
    return { status, output: stdout + stderr }
  }
  const expectStatus = (expected: number, command: string, heading: string): string => {
    const { status, output } = run(command)
    expect(status, `${heading}: ${command}\n${output}`).toBe(expected)
    return output
  }
  let red = 0
  for (const { heading, blocks } of sections) {
    const isMended = blocks.some(({ kind }) => kind === 'diff')
    for (const { kind, file, body } of blocks) {
      if (kind === 'sh') {
        // The package is there already.
        for (const command of body
          .trim()
          .split('\n')
          .filter(line => line !== INSTALL))
          if (command.includes(' hunt ')) expect(expectStatus(1, command, heading)).toMatch(/tick\/ts-backwards/)
          else expectStatus(0, command, heading)
      } else if (kind === 'diff') {
        const path = join(folder, file!)
        writeFileSync(path, applyDiff(readFileSync(path, 'utf8'), body))
        expectStatus(0, TEST, heading)
      } else {
        mkdirSync(dirname(join(folder, file!)), { recursive: true })
        writeFileSync(join(folder, file!), body)
        if (!file!.endsWith('.test.js') || !isMended) continue
        expect(expectStatus(1, `${TEST} ${file}`, heading)).toMatch(/^(?:ℹ|#) (?:fail|cancelled) [1-9]/m)
        red++
      }
    }
  }
  expect(red).toBe(7)
  expect(readFileSync(join(folder, 'consumer.js'), 'utf8').split('\n').length).toBeLessThan(50)
})
