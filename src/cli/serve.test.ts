// A server that starts from files, and a command beside it: the messages, and the options that errors name.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runPlainCommand, startPlainCommand } from '../../test/cli/plain-command.js'
import { createFolder } from '../../test/support/folder.js'

const folder = createFolder()
const run = (line: string) => runPlainCommand({ args: line.split(' '), environment: {} }, folder)

it('behavior: exec prints how to reproduce a failure, and with a log also a success', async () => {
  const message =
    'price-feed-mock: reproduce this run with: npx price-feed-mock exec --seed 42 --at 1970-01-01T00:00:00Z'
  const asks = 'node -e fetch(process.env.PRICE_FEED_BASE_URL)'
  expect((await run(`exec -- ${asks}`)).stderr).toBe('')
  expect((await run('exec --at 0 -- false')).stderr).toBe(`${message} -- false\n`)
  const logged = (await run(`exec --log json --at 0 -- ${asks}`)).stderr.split('\n')
  expect(logged).toEqual([`${message} -- node -e "fetch(process.env.PRICE_FEED_BASE_URL)"`, expect.any(String), ''])
})

it('behavior: a state is restored, and no command reproduces a run that changes it', async () => {
  await run('exec --state state.json -- false')
  expect(await run('exec --state state.json -- false')).toEqual({
    exit: '1',
    stdout: '',
    stderr: 'price-feed-mock: no command reproduces this run: it changes state.json, from which it has started.\n',
  })
  const args = ['--port', '0', '--state', 'state.json', '--ready', 'json']
  const server = await startPlainCommand({ args, environment: {} }, folder)
  expect(JSON.parse(server.firstLine)).toMatchObject({ url: expect.stringMatching(/^http:/), seed: '42' })
  expect((await server.kill('SIGTERM')).stderr).toMatch(
    /\n\nprice-feed-mock: restored 1 session from state\.json, saved at 20\S+Z\. Options for the market and the scenario apply to new sessions\.\n$/,
  )
})

it('error: a snapshot that is none', async () => {
  writeFileSync(join(folder, 'snapshot.json'), '{ "snapshot": { "mine": 1 } }')
  const { stderr, exit } = await run('--port 0 --snapshot snapshot.json')
  expect([exit, stderr]).toEqual([
    '2',
    expect.stringMatching(/^SnapshotInvalidError: [\s\S]*\n {2}from +--snapshot snapshot\.json\n/),
  ])
})
