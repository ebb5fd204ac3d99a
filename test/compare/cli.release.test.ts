// `compare` as a process, in real time: the written configuration ends with 0, and Ctrl-C prints the rows so far.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createShell, type Running, type Shell } from '../cli/shell.js'

const KEY = 'live-key-4242'

let shell: Shell
let starting: () => Promise<Running>
beforeAll(() => {
  shell = createShell({ NO_COLOR: '1', PRICE_FEED_API_KEY: KEY })
  shell.write(
    'service.json',
    JSON.stringify({ policy: { candles: 120, maxFeedIds: 50 }, feeds: { feeds: [{ id: 'ETHUSD', heartbeat: 4 }] } }),
  )
  // The shell ends a command after a minute.
  starting = () => shell.start(`price-feed-mock --port 0 --api-key ${KEY} --config service.json`)
})
afterAll(() => shell.end())

it('default: the first run writes the configuration, and the second proves it', async () => {
  const compareWith = ({ firstLine }: Running): string => `price-feed-mock compare --base-url ${firstLine}`
  const compare = compareWith(await starting())
  const [first, stopped] = await Promise.all([
    shell.run(`${compare} --out found.json --profile profile.json`),
    shell.run(`${compare} --out stopped.json & sleep 12; kill -INT $!; wait $!`),
  ])
  expect(first.exit).toBe('1')
  expect(JSON.parse(readFileSync(join(shell.folder, 'found.json'), 'utf8'))).toEqual({
    policy: { candles: 120, maxFeedIds: 50 },
    feeds: { feeds: [{ id: 'ETHUSD', heartbeat: 4, lag: 1 }] },
  })
  expect(stopped.exit).toBe('130')
  expect(stopped.stdout).toContain('differs  limit of feed ids')
  const again = compareWith(await starting())
  const [second, against] = await Promise.all([
    shell.run(`${again} --config found.json`),
    shell.run(`${again} --against profile.json`),
  ])
  expect([second, against].map(({ exit, stdout, stderr }) => [exit, exit === '0' ? '' : stdout + stderr])).toEqual([
    ['0', ''],
    ['0', ''],
  ])
  expect(JSON.stringify([first, stopped, second, against])).not.toContain(KEY)
}, 240_000)
