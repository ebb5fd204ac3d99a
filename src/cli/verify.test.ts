// `verify`: replies of a server whose batches number the feeds.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parsePlainCommand, runPlainCommand } from '../../test/cli/plain-command.js'
import { createFolder } from '../../test/support/folder.js'
import { startMock } from '../../test/support/listen.js'

const folder = createFolder()
const run = (line: string) => runPlainCommand(parsePlainCommand(`price-feed-mock verify ${line}`)!, folder)

it('behavior: numbers of feeds are those of the catalogue and of the same synthetic feeds', async () => {
  const server = await startMock({ seed: '7', syntheticFeeds: 2, policy: { batchFeedId: 'integer' } })
  const { id, number } = server.mock.sessions.default.runtime.market.feeds.at(-1)!
  const target = `${server.url}/prices/batch?feedIds=BTCUSD,${id}`
  const reply = await fetch(target, { headers: { authorization: 'test-api-key' } })
  writeFileSync(join(folder, 'batch.json'), await reply.text())
  const flags = `--feeds BTCUSD,${id}`
  const good = await run(`batch.json --seed 7 --synthetic-feeds 2 ${flags}`)
  expect(good.exit, good.stdout).toBe('0')
  const bad = await run(`batch.json ${flags}`)
  expect(bad.exit).toBe('1')
  expect(bad.stdout).toContain(`malformed: got ${number}, expected the id of a feed`)
})

it('args: signers by the numbers of their test keys', async () => {
  const server = await startMock()
  const reply = await fetch(`${server.url}/prices/evm/crypto?feedIds=BTCUSD`, {
    headers: { authorization: 'test-api-key' },
  })
  writeFileSync(join(folder, 'evm.json'), await reply.text())
  const exits = ['--signers 0', '--signers 3,0', '--signers 1'].map(flags => run(`evm.json ${flags}`))
  expect((await Promise.all(exits)).map(({ exit }) => exit)).toEqual(['0', '0', '1'])
})
