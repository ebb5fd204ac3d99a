// The relay of the program: from a mock to a chain, with its accounts or with a key.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createFolder, writeFiles } from '../../test/support/folder.js'
import { listen } from '../../test/support/listen.js'
import { createMock } from '../index.js'
import { LAYOUTS } from '../settings/layouts.js'
import { createSend, startRelay } from './relay.js'

const AT = 1_753_354_105
const CONTRACT = `0x${'c0'.repeat(20)}`
const ANSWERS: Readonly<Record<string, unknown>> = {
  eth_chainId: '0x7a69',
  eth_getCode: '0x60',
  eth_accounts: [`0x${'aa'.repeat(20)}`],
  eth_getBlockByNumber: { timestamp: `0x${AT.toString(16)}` },
  eth_sendTransaction: '0x1',
  eth_getTransactionReceipt: { status: '0x1', blockNumber: '0x7' },
}

/** A chain that takes every transaction. Returns its address and the methods that were called. */
async function startChain() {
  const methods = new Set<string>()
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString())
    methods.add(method)
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: ANSWERS[method] ?? null }))
  })
  return { rpc: `http://127.0.0.1:${await listen(server)}`, methods }
}

it.each([
  [{}, false],
  [{ syncClock: true }, false],
  [{ syncClock: true, leader: 'chain' }, true],
] as const)('default: prices arrive at the contract until it ends: %o', async (settings, isFrozen) => {
  const { rpc, methods } = await startChain()
  const mock = createMock({ clock: { at: String(AT), speed: 0.001 } })
  const lines: string[] = []
  let onPushed = (): void => {}
  const pushed = new Promise<void>(resolve => (onPushed = resolve))
  const stop = await startRelay(mock, { rpc, contract: CONTRACT, feeds: ['BTCUSD'], ...settings }, line => {
    lines.push(line)
    onPushed()
  })
  await pushed
  stop()
  expect(lines).toEqual([
    'pushed BTCUSD of 2025-07-24T10:48:24Z in block 7',
    // It may not have left the queue yet.
    expect.stringMatching(/^relay ended: 1 price pushed, 0 rejected, [01] waiting$/),
  ])
  expect(methods.has('evm_setNextBlockTimestamp')).toBe('syncClock' in settings && !isFrozen)
  expect(mock.sessions.default.record.counters.clock.frozen).toBe(isFrozen)
})

it('behavior: a layout whose signatures begin with 0x: the prefix is left out', async () => {
  const { rpc } = await startChain()
  const mine = { ...LAYOUTS.evm, hexPrefix: '0x' } as never
  const mock = createMock({ clock: { at: AT, frozen: true }, signing: { evm: 'mine', layouts: { mine } } })
  const line = await new Promise<string>(resolve => {
    const stop = startRelay(mock, { rpc, contract: CONTRACT, feeds: ['BTCUSD'] }, resolve)
    onTestFinished(async () => (await stop)())
  })
  expect(line).toBe('pushed BTCUSD of 2025-07-24T10:48:24Z in block 7')
})

it('args: a key: transactions are signed by viem, with room for more gas than estimated', async () => {
  const folder = createFolder(onTestFinished)
  writeFiles(folder, {
    'package.json': '{}',
    'node_modules/viem/package.json': '{ "exports": { "./accounts": "./accounts.cjs" } }',
    'node_modules/viem/accounts.cjs': `exports.privateKeyToAccount = key => ({
      address: \`address of \${key}\`,
      signTransaction: async transaction => transaction,
    })`,
  })
  const calls: unknown[] = []
  const results = ['0x7a69', '0x5', '0x3b9aca00', '0x5209', '0xhash']
  const request = async (call: unknown) => results[calls.push(call) - 1]
  const send = await createSend({ request }, '42', [join(folder, 'package.json')])
  expect(await send({ to: CONTRACT, data: '0x01' })).toBe('0xhash')
  const from = 'address of 0x42'
  const transaction = { type: 'legacy', to: CONTRACT, data: '0x01', chainId: 31_337, nonce: 5 }
  expect(calls).toEqual([
    { method: 'eth_chainId', params: [] },
    { method: 'eth_getTransactionCount', params: [from, 'pending'] },
    { method: 'eth_gasPrice', params: [] },
    { method: 'eth_estimateGas', params: [{ from, to: CONTRACT, data: '0x01' }] },
    { method: 'eth_sendRawTransaction', params: [{ ...transaction, gasPrice: 1_000_000_000n, gas: 31_501n }] },
  ])
})

it('error: viem is not installed', async () => {
  const rpc = { request: () => Promise.reject(new Error('not asked')) }
  const key = '42'.repeat(32)
  const error = await createSend(rpc, key, ['/nowhere/package.json']).catch((each: Error) => each)
  expect(error).toMatchInlineSnapshot(`
    [ModuleUnavailableError: A key of your own needs viem, which is not installed.
      fix   npm install --save-dev viem, or leave out the key: anvil signs for its own accounts
      code  MODULE_UNAVAILABLE]
  `)
  expect(String(error)).not.toContain(key)
})
