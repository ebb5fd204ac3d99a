import { describe, expect, it } from 'vitest'
import { createFetch } from '../hosts/fetch.js'
import { createMock } from '../index.js'
import { testSigners } from '../signing/verify.js'
import { toChainId } from './allowed-chains.js'
import { type EvmSignedPrice, toCalldata } from './chain.js'
import { createRelay, type RelayOptions } from './relay.js'
import { createRpc } from './rpc.js'

const AT = 1_753_354_105
const CONTRACT = `0x${'c0'.repeat(20)}`

/** A chain as far as a relay sees it, whose failures a test sets. */
function createChain(timestamp = AT - 10) {
  const blocks: { readonly data: string; readonly timestamp: number; readonly status: number }[] = []
  let next = timestamp
  const chain = {
    blocks,
    /** The time of the last block. */
    timestamp: () => timestamp,
    /** Mines a block later than the last one. */
    pass(seconds: number) {
      timestamp += seconds
      next = timestamp
    },
    isGone: false,
    id: '0x7a69',
    hasCode: true,
    /** An answer of an error to a method. */
    refusals: {} as Record<string, { code: number; message: string; data?: string }>,
    isReverting: false,
    onReceipt() {},
    /** Called before each answer. */
    onCall: async () => {},
    methods: [] as string[],
    answer(method: string, params: readonly unknown[]): unknown {
      switch (method) {
        case 'eth_chainId':
          return chain.id
        case 'eth_getCode':
          return chain.hasCode ? '0x60' : '0x'
        case 'eth_accounts':
          return [`0x${'aa'.repeat(20)}`]
        case 'eth_getBlockByNumber': {
          const second = params[0] === 'latest' ? timestamp : blocks[Number(params[0]) - 1]?.timestamp
          return second === undefined ? null : { timestamp: `0x${second.toString(16)}` }
        }
        case 'evm_setNextBlockTimestamp':
          next = Number(params[0])
          return null
        case 'evm_mine':
          timestamp = next
          return null
        case 'eth_sendTransaction': {
          timestamp = next
          const { data } = params[0] as { data: string }
          blocks.push({ data, timestamp, status: chain.isReverting ? 0 : 1 })
          return `0x${blocks.length.toString(16)}`
        }
        case 'eth_getTransactionReceipt': {
          const block = blocks[Number(params[0]) - 1]
          chain.onReceipt()
          return block ? { status: `0x${block.status}`, blockNumber: params[0], from: '0xaa' } : null
        }
      }
      return null
    },
  }
  const fetch = async (_url: string, { body }: { body: string }) => {
    const { method, params } = JSON.parse(body)
    chain.methods.push(method)
    await chain.onCall()
    if (chain.isGone) throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    const error = chain.refusals[method]
    return Response.json(error ? { error } : { result: chain.answer(method, params) })
  }
  return { chain, rpc: createRpc('http://user:secret@127.0.0.1:8545/secret?key=secret', fetch) }
}

function start(options: Partial<RelayOptions> = {}, timestamp?: number) {
  const mock = createMock({ clock: { at: AT, frozen: true } })
  const { chain, rpc } = createChain(timestamp)
  const fetch = createFetch(mock)
  const lines: string[] = []
  const asked: EvmSignedPrice[][] = []
  const relay = createRelay({
    rpc,
    contract: CONTRACT,
    clock: mock.clock,
    leader: 'mock',
    settings: () => mock.sessions.default.record.setup,
    async ask() {
      const reply = await fetch('http://mock/prices/evm/crypto?feedIds=BTCUSD,ETHUSD', {
        headers: { authorization: 'test-api-key' },
      })
      const { prices } = (await reply.json()) as { prices: EvmSignedPrice[] }
      asked.push(prices)
      return prices
    },
    report: line => lines.push(line),
    ...options,
  })
  return { mock, chain, relay, lines, asked }
}

it('default: every price of a new second goes to the contract, at the time of the mock', async () => {
  const { mock, chain, relay, lines, asked } = start()
  await relay.deliver()
  expect(chain.blocks.map(({ data }) => data)).toEqual(asked[0]!.map(price => toCalldata(price)))
  expect(chain.blocks.map(({ timestamp }) => timestamp)).toEqual([AT, AT])
  expect(lines[0]).toMatch(/^pushed BTCUSD of 2025-07-24T10:48:2\dZ in block 1$/)
  // The same second again has no news.
  await relay.deliver()
  expect(asked).toHaveLength(1)
  mock.clock.advance('1h')
  await relay.deliver()
  expect(chain.blocks.slice(2).map(({ timestamp }) => timestamp)).toEqual([AT + 3600, AT + 3600])
  expect(relay.counts).toEqual({ pushed: 4, rejected: 0, waiting: 0 })
})

it('behavior: a price that is set while the mock is stopped goes to the contract', async () => {
  const { mock, chain, relay, asked, lines } = start()
  await relay.deliver()
  mock.change({ prices: { BTCUSD: { price: 50_000, alone: true } } })
  await relay.deliver()
  await relay.deliver()
  expect(asked).toHaveLength(2)
  expect(chain.blocks.map(({ data }) => data)).toEqual([...asked[0]!, asked[1]![0]!].map(price => toCalldata(price)))
  expect(asked[1]![0]).toMatchObject({ feedId: 'BTCUSD', price: 5_000_000_000_000 })
  mock.change({ scenario: 'stale-btc' })
  await relay.deliver()
  expect(asked).toHaveLength(3)
  expect(lines.at(-1)).toMatch(/^pushed BTCUSD of 2025-07-24T10:43:2\dZ in block 4$/)
})

it('behavior: prices wait in order while the RPC is gone, with back-off and one line, and none is lost', async () => {
  const { mock, chain, relay, lines, asked } = start()
  chain.isGone = true
  const waits: number[] = []
  for (let second = 0; second < 8; second++) {
    await relay.read()
    waits.push(await relay.deliver())
    mock.clock.advance(1)
  }
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  expect(lines).toEqual([
    'The RPC at http://127.0.0.1:8545 does not answer: ECONNREFUSED; 2 prices waiting, next try in 0.5 s',
  ])
  const waiting = relay.counts.waiting
  expect(waiting).toBeGreaterThan(4)
  chain.isGone = false
  await relay.deliver()
  const published = new Set(asked.flat().map(price => toCalldata(price)))
  expect(new Set(chain.blocks.map(({ data }) => data))).toEqual(published)
  const times = chain.blocks.map(({ timestamp }) => timestamp)
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(times[0]).toBe(AT)
  expect(lines.at(-1)).toBe('the chain answers again')
  expect(relay.counts.waiting).toBe(0)
  // The next time it is gone, the back-off begins again.
  chain.isGone = true
  await relay.read()
  expect(await relay.deliver()).toBe(500)
})

it('behavior: nothing is left out of what was read during the last wait for the RPC', async () => {
  const { mock, chain, relay, asked } = start()
  chain.isGone = true
  await relay.deliver()
  for (let second = 0; second < 20; second++) {
    mock.clock.advance(1)
    await relay.read()
  }
  chain.isGone = false
  await relay.deliver()
  expect(relay.leftOut).toBe(0)
  expect(relay.counts.pushed).toBe(new Set(asked.flat().map(price => toCalldata(price))).size)
})

it('behavior: a price that was sent before the RPC went is not sent twice', async () => {
  const { chain, relay } = start()
  chain.refusals.eth_getTransactionReceipt = { code: -32000, message: 'busy' }
  await relay.deliver()
  expect(chain.blocks).toHaveLength(1)
  chain.refusals = {}
  await relay.deliver()
  expect(chain.blocks).toHaveLength(2)
  expect(relay.counts).toEqual({ pushed: 2, rejected: 0, waiting: 0 })
})

it('behavior: a chain that was started anew gets the price again', async () => {
  const { chain, relay } = start()
  chain.refusals.eth_getTransactionReceipt = { code: -32000, message: 'busy' }
  await relay.deliver()
  chain.blocks.length = 0
  chain.refusals = {}
  await relay.deliver()
  await relay.deliver()
  expect(chain.blocks).toHaveLength(2)
})

it('behavior: a chain that was started anew gets the prices of a stopped mock again', async () => {
  const { chain, relay, asked } = start()
  await relay.deliver()
  // A failure alone is no start.
  for (const blocks of [2, 0]) {
    chain.isGone = true
    await relay.deliver()
    chain.isGone = false
    chain.blocks.length = blocks
    await relay.deliver()
  }
  expect(chain.blocks.map(({ data }) => data)).toEqual(asked[0]!.map(price => toCalldata(price)))
  expect(relay.counts).toEqual({ pushed: 4, rejected: 0, waiting: 0 })
})

it('behavior: a chain that was set back by evm_revert gets the prices of a stopped mock again', async () => {
  const { chain, relay } = start()
  await relay.deliver()
  await relay.deliver()
  chain.blocks.length = 0
  await relay.deliver()
  expect(chain.blocks).toHaveLength(2)
  expect(relay.counts).toEqual({ pushed: 4, rejected: 0, waiting: 0 })
})

it('behavior: a chain that leads can be set back during a delivery', async () => {
  const { chain, relay, lines } = start({ leader: 'chain' }, AT)
  chain.onReceipt = () => {
    if (chain.blocks.length === 2) chain.blocks.length = 0
  }
  await relay.deliver()
  expect(lines.filter(line => !line.startsWith('pushed'))).toEqual([])
})

it.each([
  [{ code: 3, message: 'execution reverted', data: '0x1ab7da6b' }, 'error 0x1ab7da6b'],
  // keccak256('WrongSigner(address)')
  [{ code: 3, message: 'execution reverted', data: `0x32c15fc2${'0'.repeat(64)}` }, 'WrongSigner (0x32c15fc2)'],
  [{ code: 3, message: 'execution reverted', data: '0x' }, 'execution reverted'],
  [{ code: 3, message: 'execution reverted', data: '0x08c379a0' }, 'execution reverted'],
  [
    {
      code: 3,
      message: 'execution reverted',
      data: `0x08c379a0${'20'.padStart(64, '0')}${'5'.padStart(64, '0')}${'7374616c65'.padEnd(64, '0')}`,
    },
    'stale',
  ],
])('error: a revert with %o is one line, and the next price goes on', async (refusal, reason) => {
  const { chain, relay, lines } = start()
  chain.isReverting = true
  chain.refusals.eth_call = refusal
  await relay.deliver()
  expect(lines.map(line => line.replace(/ of \S+:/, ':'))).toEqual([
    `rejected by the contract, BTCUSD: ${reason}`,
    `rejected by the contract, ETHUSD: ${reason}`,
  ])
  expect(relay.counts).toEqual({ pushed: 0, rejected: 2, waiting: 0 })
})

it('error: a chain that tries transactions first', async () => {
  const { chain, relay, lines } = start()
  chain.refusals.eth_sendTransaction = { code: 3, message: 'execution reverted', data: '0x1ab7da6b' }
  await relay.deliver()
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatch(/^rejected by the contract, BTCUSD of .*: error 0x1ab7da6b$/)
})

it('error: a refused transaction waits', async () => {
  const { chain, relay, lines } = start()
  chain.refusals.eth_sendTransaction = { code: -32003, message: 'insufficient funds for gas' }
  expect(await relay.deliver()).toBe(500)
  expect(await relay.deliver()).toBe(1000)
  expect(lines).toEqual([
    'the chain refused eth_sendTransaction: insufficient funds for gas; 2 prices waiting, next try in 0.5 s',
  ])
  chain.refusals = {}
  await relay.deliver()
  expect(relay.counts).toEqual({ pushed: 2, rejected: 0, waiting: 0 })
})

it.each(['', 'main'])('error: the RPC answers %j for the id of the chain', async id => {
  const { chain, relay, lines } = start()
  Object.assign(chain, { id: id || null })
  await relay.check()
  await relay.deliver()
  expect(lines).toEqual(['The RPC gives no id of a chain; 0 prices waiting, next try in 0.5 s'])
})

it('error: no contract at the address', async () => {
  const { chain, relay, lines } = start()
  chain.hasCode = false
  await relay.deliver()
  expect(lines[0]).toBe(`The chain has no contract at ${CONTRACT}; 0 prices waiting, next try in 0.5 s`)
  expect(chain.blocks).toEqual([])
})

it('error: a mock that does not answer is asked again in the next second', async () => {
  let isDown = true
  const { mock, relay, lines } = start({
    async ask() {
      if (isDown) throw new Error('[GET] "/prices/evm/crypto": 503')
      return []
    },
  })
  await relay.deliver()
  await relay.deliver()
  expect(lines).toEqual(['no prices at 2025-07-24T10:48:25Z: [GET] "/prices/evm/crypto": 503'])
  isDown = false
  mock.clock.advance(1)
  await relay.deliver()
  expect(lines).toHaveLength(1)
})

it('behavior: prices with one signature are as many prices', async () => {
  const { mock, chain, relay } = start()
  mock.setScenario({ faults: [{ fault: 'signature/all-zero' }] })
  await relay.deliver()
  mock.clock.advance(1)
  await relay.deliver()
  expect(chain.blocks).toHaveLength(4)
  expect(new Set(chain.blocks.map(({ data }) => data)).size).toBe(4)
})

it.each([undefined, null, {}, [null], [{ feedId: 'BTCUSD', signature: 'aa' }]])('error: prices %j', async prices => {
  const { relay, lines, mock } = start({ ask: async () => prices as never })
  mock.clock.advance(1)
  await relay.read()
  await relay.deliver()
  const isList = Array.isArray(prices) && prices[0] !== null
  expect(lines).toEqual([
    isList
      ? 'not sent, BTCUSD of undefined: The price has no usable price.'
      : 'no prices at 2025-07-24T10:48:26Z: the reply has no list of prices.',
  ])
})

it('args: the chain leads, and the blocks of the relay are no time that passes', async () => {
  const { mock, chain, relay, asked } = start({ leader: 'chain' }, AT + 100)
  await relay.deliver()
  expect(mock.clock.now()).toBe(1000 * (AT + 100))
  expect(asked).toHaveLength(1)
  expect(chain.methods).not.toContain('evm_setNextBlockTimestamp')
  await relay.deliver()
  expect(asked).toHaveLength(1)
  chain.pass(60)
  await relay.deliver()
  expect(asked).toHaveLength(2)
  expect(mock.clock.now()).toBe(1000 * (AT + 160))
})

it('behavior: the blocks of the relay move a chain that leads, and bring no news', async () => {
  const { mock, chain, relay, asked } = start({ leader: 'chain' }, AT)
  chain.onCall = async () => {
    if (chain.methods.at(-1) === 'eth_sendTransaction') chain.pass(1)
  }
  await relay.deliver()
  expect(mock.clock.now()).toBe(1000 * (AT + 2))
  await relay.deliver()
  expect(asked).toHaveLength(1)
})

it('behavior: a block that another one mines during a delivery counts as time that passes', async () => {
  const { mock, chain, relay, asked } = start({ leader: 'chain' }, AT)
  chain.onReceipt = () => chain.pass(60)
  await relay.deliver()
  chain.onReceipt = () => {}
  expect(mock.clock.now()).toBe(1000 * (AT + 60))
  await relay.deliver()
  expect(asked).toHaveLength(2)
  expect(mock.clock.now()).toBe(1000 * (AT + 120))
})

it('args: without a leader the clocks are left alone', async () => {
  const { mock, chain, relay } = start({ leader: undefined }, 5)
  await relay.deliver()
  expect(chain.timestamp()).toBe(5)
  expect(mock.clock.now()).toBe(1000 * AT)
  expect(chain.blocks).toHaveLength(2)
})

it('behavior: a mock that is set back goes on, and one line says that the chain cannot follow', async () => {
  const { mock, chain, relay, lines } = start()
  await relay.deliver()
  mock.clock.advance(-3600)
  await relay.deliver()
  // The distance changes, the problem does not.
  chain.pass(7)
  await relay.deliver()
  expect(chain.blocks).toHaveLength(4)
  expect(lines.filter(line => line.includes('cannot go back'))).toEqual([
    'The chain is 3600 s ahead of the mock, and its clock cannot go back. Start the chain earlier, or let it lead: --clock chain.',
  ])
})

it.each([
  { code: -32602, message: "Timestamp error: 1753354105 is lower than previous block's timestamp" },
  { code: -32601, message: 'the method evm_setNextBlockTimestamp does not exist' },
])('behavior: prices go on, with one line, where the chain refuses the time: $message', async refusal => {
  const { mock, chain, relay, lines } = start()
  chain.refusals.evm_setNextBlockTimestamp = refusal
  await relay.deliver()
  mock.clock.advance(60)
  await relay.deliver()
  expect(chain.blocks).toHaveLength(4)
  expect(relay.counts).toEqual({ pushed: 4, rejected: 0, waiting: 0 })
  const refused = lines.filter(line => !line.startsWith('pushed'))
  expect(refused).toEqual([
    `the chain refuses the time of the mock, evm_setNextBlockTimestamp: ${refusal.message}. Let it lead: --clock chain. Or, if it is ahead of the mock, start it with an earlier --timestamp.`,
  ])
})

it('behavior: a slow chain gets the newest price of each feed in turn, and one line says how many were left out', async () => {
  const { mock, chain, relay, lines, asked } = start({ leader: undefined })
  // Each of many calls takes a second and a half of the mock's time, and `read` goes on meanwhile.
  let calls = 0
  chain.onCall = async () => {
    for (let i = 0; i < 3 && calls < 60; i++) {
      mock.clock.advance(0.5)
      await relay.read()
    }
    calls++
  }
  await relay.deliver()
  const all = asked.flat().map(price => toCalldata(price))
  const positions = chain.blocks.map(({ data }) => all.indexOf(data))
  expect(relay.leftOut).toBeGreaterThan(10)
  expect(relay.leftOut + relay.counts.pushed).toBe(new Set(all).size)
  // In order for each feed, both feeds in turn, and the last prices arrive.
  for (const feed of [0, 1]) {
    const own = positions.filter(position => position % 2 === feed)
    expect(own).toEqual([...own].sort((a, b) => a - b))
    expect(own.length).toBeGreaterThan(3)
  }
  const left = lines.filter(line => line.startsWith('left out'))
  expect(left[0]).toMatch(
    /^left out \d+ prices: the chain is slower than the mock, and gets the newest price of each feed$/,
  )
  expect(left.map(line => Number(/\d+/.exec(line)![0])).reduce((a, b) => a + b)).toBe(relay.leftOut)
})

describe('the chain', () => {
  it.each([
    ['Sepolia', 11_155_111],
    ['bsc', 56],
    ['137', 137],
    ['0x1', undefined],
    ['constructor', undefined],
  ])('args: %s', (name, id) => expect(toChainId(name)).toBe(id))

  it.each([
    [1, 'mainnet'],
    [10, 'optimism'],
    [137, 'polygon'],
    [8453, 'base'],
    [42_161, 'arbitrum'],
    [99_999, undefined],
  ])('error: %i gets nothing, unless it is allowed', async (id, name) => {
    const { chain, relay, lines } = start()
    chain.id = `0x${id.toString(16)}`
    const shown = name === undefined ? String(id) : `${id} (${name})`
    await expect(relay.check()).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
      shortMessage: `Chain ${shown} is not a local chain, so it gets no prices of a mock.`,
      details: expect.arrayContaining([['fix', expect.stringContaining(`--allow-chain ${name ?? id}`)]]),
    })
    await relay.deliver()
    expect(lines[0]).toContain(`Chain ${shown} is not a local chain`)
    expect(chain.methods).toEqual(['eth_chainId', 'eth_chainId'])
    const allowed = start({ allowChains: [id] })
    allowed.chain.id = chain.id
    await allowed.relay.check()
    await allowed.relay.deliver()
    expect(allowed.chain.blocks).toHaveLength(2)
  })

  it('behavior: one that is gone is looked at with the first delivery', async () => {
    const { chain, relay } = start()
    chain.isGone = true
    await relay.check()
    chain.isGone = false
    chain.id = '0x1'
    await relay.deliver()
    expect(chain.blocks).toEqual([])
  })

  it.each([
    // Account 1 of anvil, test key 3 of the mock, and the key 1.
    '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    testSigners()[3]!.address,
    '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf',
  ])('error: the public key of %s is for local chains only', async account => {
    const { chain, relay } = start({ account, allowChains: [11_155_111] })
    await relay.check()
    chain.id = '0xaa36a7'
    const other = start({ account, allowChains: [11_155_111] })
    other.chain.id = '0xaa36a7'
    await expect(other.relay.check()).rejects.toThrow(
      'The key of the relay is public, and chain 11155111 (sepolia) is not local.',
    )
    const own = start({ account: `0x${'ab'.repeat(20)}`, allowChains: [11_155_111] })
    own.chain.id = '0xaa36a7'
    await own.relay.check()
  })
})
