// The relay on anvil with a key of its own, signed by viem.
import { fileURLToPath } from 'node:url'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EvmSignedPrice } from '../../src/chain/calldata.js'
import { toCalldata } from '../../src/chain/chain.js'
import { createRelay } from '../../src/chain/relay.js'
import { createRpc } from '../../src/chain/rpc.js'
import { createSend } from '../../src/cli/relay.js'
import { createMock } from '../../src/index.js'
import { testSigners } from '../../src/signing/verify.js'
import { createCalls, NOW } from '../support/calls.js'
import { needs } from '../support/needs.js'
import type { Anvil } from './ethereum.js'
import { NO_CHAINS } from './workbench.js'

// Without the packages of the chains it cannot be loaded.
const { CONTRACTS, compile, createClient, startAnvil } = (
  NO_CHAINS === undefined ? await import('./ethereum.js') : {}
) as typeof import('./ethereum.js')

/** The second account of anvil, which is public: its mnemonic is "test test … junk". */
const KEY = '59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
const ACCOUNT = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

describe('on anvil', needs(NO_CHAINS), () => {
  let anvil: Anvil
  beforeAll(async () => (anvil = await startAnvil(['--timestamp', String(NOW - 1000)])))
  afterAll(() => anvil?.stop())

  const prices = createCalls().ask('/prices/evm/crypto?feedIds=BTCUSD,ETHUSD').body.prices as EvmSignedPrice[]

  /** Deploys the feed of the example for ETHUSD, and starts a relay to it. */
  async function start(asked: readonly EvmSignedPrice[], at = NOW) {
    const client = createClient(anvil.url)
    const [account] = await client.getAddresses()
    const feedId = `0x${Buffer.from('ETHUSD').toString('hex').padStart(64, '0')}`
    const policy = { signer: testSigners()[0]!.address, feedId, expo: -8, maxAge: 60, maxFuture: 5 }
    const { abi, bytecode } = compile(CONTRACTS).MockFeed!
    const hash = await client.deployContract({ abi, bytecode, args: ['ETHUSD', policy], account: account! } as never)
    const { contractAddress } = await client.waitForTransactionReceipt({ hash })
    const rpc = createRpc(anvil.url)
    const lines: string[] = []
    const relay = createRelay({
      rpc,
      contract: contractAddress!,
      clock: createMock({ clock: { at, frozen: true } }).clock,
      leader: 'mock',
      send: await createSend(rpc, KEY, [fileURLToPath(new URL('package.json', import.meta.url))]),
      ask: async () => asked,
      report: line => lines.push(line),
    })
    /** Delivers until every price has its block, which anvil can mine a moment later. */
    const deliver = async (): Promise<void> => {
      do await relay.deliver()
      while (relay.counts.waiting > 0)
    }
    return { client, relay, lines, deliver }
  }

  it('default: the transaction is from the account of the key, at the time of the mock', async () => {
    const { client, lines, deliver } = await start(prices.slice(1))
    await deliver()
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^pushed ETHUSD of \S+ in block \d+$/)
    const block = await client.getBlock({ includeTransactions: true })
    expect(Number(block.timestamp)).toBe(NOW)
    expect(block.transactions[0]).toMatchObject({ from: ACCOUNT, input: toCalldata(prices[1]!) as Hex })
  })

  it('error: a revert that the estimate finds names the error of the contract, without the key', async () => {
    const { relay, lines, deliver } = await start(prices.slice(0, 1), NOW + 1000)
    await deliver()
    expect(lines).toEqual([
      expect.stringMatching(/^rejected by the contract, BTCUSD of \S+: WrongFeed \(0x[0-9a-f]{8}\)$/),
    ])
    expect(lines.join()).not.toContain(KEY)
    expect(relay.counts).toEqual({ pushed: 0, rejected: 1, waiting: 0 })
  })
})
