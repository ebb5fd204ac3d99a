// The hunt of docs/hunt.md: a find is told, kept, and repeated by the command that is printed.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { parseJUnit } from '../support/parse-junit.js'
import { createShell } from './shell.js'

const page = readFileSync(new URL('../../docs/hunt.md', import.meta.url), 'utf8')
const consumer = /```js\n(\/\/ shop\.mjs[\s\S]*?)```/.exec(page)![1]!
const command = /```sh\n(npx price-feed-mock hunt .* -- node shop\.mjs)\n```/.exec(page)![1]!

const shell = createShell()
afterAll(() => shell.end())
shell.write('shop.mjs', consumer)

it('default', async () => {
  const options = 'hunt --parallel 2 --save finds --junit out/hunt.xml'
  const { stdout, stderr, exit } = await shell.run(command.replace('hunt', options))
  expect(exit, stderr + stdout).toBe('1')
  expect(stderr).toMatch(/^price-feed-mock: running the command without faults \(0 runs, 0 finds\)\.$/m)
  const [find] = stdout.split('\n\n') as [string]
  expect(find).toMatch(
    /^Find 1 of \d+: \S+\n {2}.* Is this what .*\?\n {2}\| sold at a price that is more than a minute old\n/,
  )
  for (const label of ['fault', 'why', 'requests', 'failed', 'docs', 'reproduce', 'accept'])
    expect(find).toMatch(new RegExp(`^ {2}${label} +\\S`, 'm'))
  expect(stdout).toMatch(/\n\d+ finds? in \d+ runs, [\d.]+ (s|min)\.\n/)
  expect(page).toContain(`\n${/^Left out, .*$/m.exec(stdout)![0]}\n`)

  const again = await shell.run(/(?<=reproduce +)npx .*/.exec(find)![0])
  expect([again.exit, again.stderr], find).toEqual(['1', expect.stringContaining('more than a minute old')])

  const files = readdirSync(join(shell.folder, 'finds'))
  expect(files).toContain(`${/^Find 1 of \d+: (\S+)/.exec(find)![1]}.json`)
  expect((await shell.run('price-feed-mock check finds')).exit).toBe('0')
  const { cases, failures } = parseJUnit(readFileSync(join(shell.folder, 'out', 'hunt.xml'), 'utf8'))
  expect(cases[0]).toMatchObject({ name: 'calm', failure: undefined })
  expect(
    cases
      .slice(1)
      .map(({ name }) => `${name}.json`)
      .sort(),
  ).toEqual(files.sort())
  expect(failures).toBe(files.length)
})
