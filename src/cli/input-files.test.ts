// Scenario files: which of a folder count, what their scenarios are called, and when two would share a name.
import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createFolder } from '../../test/support/folder.js'
import { missingProgram, needs } from '../../test/support/needs.js'
import { failureOf } from '../../test/support/problem-paths.js'
import { chooseScenario, findDuplicateNames, listScenarioFiles, toScenarioName } from './input-files.js'

const folder = createFolder()

it('default: JSON files in order, without the schema and hidden files', () => {
  for (const name of ['b.json', 'a.json', 'schema.json', '.hidden.json', 'notes.txt'])
    writeFileSync(join(folder, name), '{}')
  expect(listScenarioFiles(folder, '--scenarios').map(path => basename(path))).toEqual(['a.json', 'b.json'])
})

it.each([
  ['scenarios/my scenario (2).json', 'my-scenario-2-'],
  ['-x.json', 'file--x'],
  [`${'a'.repeat(60)}.json`, 'a'.repeat(51)],
  [`-${'a'.repeat(60)}.json`, `file--${'a'.repeat(45)}`],
])('behavior: the name of %s', (path, name) => expect(toScenarioName(path)).toBe(name))

it('error: two files of one folder that share a name', () => {
  expect(findDuplicateNames(['x/a b.json', 'x/a+b.json', 'x/a c.json'])).toHaveLength(1)
  expect(findDuplicateNames(['x/a.json', 'y/a.json', './x/a.json'])).toEqual([])
})

it('error: a name that no scenario has, with the variable or file that has it', () => {
  const from = 'PRICE_FEED_MOCK_SCENARIO'
  const { problems, details } = failureOf(() => chooseScenario('nope', from, { scenarios: {}, files: {} }))
  expect([problems[0]!.got, details]).toEqual(['nope', [['from', from]]])
})

it('behavior: a file is one more scenario', () => {
  const [first, second] = ['first', 'second'].map(name => join(folder, `${name}.json`)) as [string, string]
  writeFileSync(second, '{"title":"T"}')
  const known = { scenarios: { first: {} }, files: { first } }
  expect(chooseScenario(second, '--scenario', known)).toEqual({
    scenario: 'second',
    scenarios: { first: {}, second: { title: 'T' } },
    files: { first, second },
  })
})

it('behavior: a scenario in a pipe is taken as its text', needs(missingProgram('mkfifo')), () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const writer = spawn('sh', ['-c', `echo '{"title":"T"}' > "$0"`, pipe])
  onTestFinished(() => void writer.kill())
  expect(chooseScenario(pipe, '--scenario', { scenarios: {}, files: {} })).toEqual({
    scenario: { title: 'T' },
    scenarios: {},
    files: {},
  })
})
