// One clock for a mock and a chain. A fresh litesvm stands at 0 and forge at 1, where every price is from the future.
import * as z from 'zod/mini'
import { isObject, PriceFeedMockError, wrongValue } from '../errors.js'
import { parseOrThrow } from '../settings/schema.js'
import { toInstant } from '../settings/time.js'

/** The clock of a mock: `mock.clock`, or one that asks a server. Times are virtual. */
export interface VirtualClock {
  /** Milliseconds since the epoch. */
  now(): number | Promise<number>
  /** Sets the time, in seconds since the epoch. */
  set(at: number): unknown
}

/** A chain behind JSON-RPC, such as anvil: an EIP-1193 provider, for example a test client of viem. */
export interface RpcProvider {
  // biome-ignore lint/suspicious/noExplicitAny: clients with typed methods are accepted as well
  request(call: any): Promise<unknown>
}

/** A chain in process, such as litesvm. */
export interface LiteSvmClock<Clock extends { unixTimestamp: bigint } = { unixTimestamp: bigint }> {
  getClock(): Clock
  setClock(clock: Clock): unknown
}

/** The side whose time is kept. */
export type ClockLeader = 'mock' | 'chain'

/** Options of `syncClock`. */
export interface SyncClockOptions {
  /**
   * The side whose time is kept; the other one is set to it.
   * @default 'mock'
   */
  readonly leader?: ClockLeader | undefined
}

const optionsSchema = z.strictObject({ leader: z.optional(z.enum(['mock', 'chain'])) })

/**
 * Sets a chain to the time of a mock, or the mock to the time of the chain, and returns that second. Over RPC it mines a block when
 * the second has changed, and the clock of the chain only goes forward.
 * @throws PriceFeedMockError CLOCK_OUT_OF_RANGE when a chain over RPC is ahead of the mock, RELAY_FAILED when it has no block
 * @example
 * await syncClock(mock.clock, svm)
 * await syncClock(mock.clock, createTestClient({ mode: 'anvil', chain: foundry, transport: http() }))
 */
export async function syncClock<Clock extends { unixTimestamp: bigint }>(
  clock: VirtualClock,
  chain: RpcProvider | LiteSvmClock<Clock>,
  options: SyncClockOptions = {},
): Promise<number> {
  const { leader = 'mock' } = parseOrThrow(optionsSchema, options, 'OPTIONS_INVALID', 'The call of syncClock')
  const target = toChainClock(chain)
  if (typeof clock?.now !== 'function')
    throw invalidArgument('clock', clock, 'the clock of a mock, such as mock.clock or priceFeed.clock')
  const chainSecond = await target.read()
  const mockSecond = Math.floor((await clock.now()) / 1000)
  if (leader === 'chain') {
    if (chainSecond !== mockSecond) await clock.set(chainSecond)
    return chainSecond
  }
  if (chainSecond !== mockSecond) await target.write(mockSecond, chainSecond)
  return mockSecond
}

interface ChainClock {
  read(): number | Promise<number>
  write(second: number, before: number): void | Promise<void>
}

function toChainClock<Clock extends { unixTimestamp: bigint }>(chain: RpcProvider | LiteSvmClock<Clock>): ChainClock {
  if (typeof (chain as Partial<LiteSvmClock>)?.getClock === 'function') return svmClock(chain as LiteSvmClock<Clock>)
  if (typeof (chain as Partial<RpcProvider>)?.request === 'function') return rpcClock(chain as RpcProvider)
  throw invalidArgument('chain', chain, 'a provider with request(), or a litesvm with getClock() and setClock()')
}

const invalidArgument = (at: string, got: unknown, want: string): PriceFeedMockError =>
  wrongValue('OPTIONS_INVALID', `Invalid ${at} of syncClock.`, { at, got, want })

const svmClock = <Clock extends { unixTimestamp: bigint }>(svm: LiteSvmClock<Clock>): ChainClock => ({
  read: () => Number(svm.getClock().unixTimestamp),
  write(second) {
    const clock = svm.getClock()
    clock.unixTimestamp = BigInt(second)
    svm.setClock(clock)
  },
})

/** The time of the latest block, in seconds. A node that has none yet answers null. */
export async function readBlockTime(rpc: RpcProvider): Promise<number> {
  const block = await rpc.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
  if (!isObject(block)) throw new PriceFeedMockError('RELAY_FAILED', 'The chain has no block yet.')
  return Number((block as Record<'timestamp', string>).timestamp)
}

const rpcClock = (rpc: RpcProvider): ChainClock => ({
  read: () => readBlockTime(rpc),
  async write(second, before) {
    if (second < before)
      throw new PriceFeedMockError(
        'CLOCK_OUT_OF_RANGE',
        `The chain is ${before - second} s ahead of the mock, and its clock cannot go back.`,
        {
          got: `${toInstant(before * 1000)} on the chain, ${toInstant(second * 1000)} in the mock`,
          fix: `start the chain earlier (anvil --timestamp ${second}), or let the chain lead`,
        },
      )
    await rpc.request({ method: 'evm_setNextBlockTimestamp', params: [`0x${second.toString(16)}`] })
    await rpc.request({ method: 'evm_mine', params: [] })
  },
})
