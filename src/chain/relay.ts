// The relay: brings the prices of a mock to a contract as time passes, each in a transaction of its own.
import { countOf, firstLineOf, isPriceFeedMockError, PriceFeedMockError, withoutStop } from '../errors.js'
import { LATEST, toInstant } from '../settings/time.js'
import { assertChain } from './allowed-chains.js'
import { describeError, type EvmSignedPrice, toCalldata } from './calldata.js'
import { type ClockLeader, type RpcProvider, readBlockTime, syncClock, type VirtualClock } from './clock.js'
import { RpcAnswerError } from './rpc.js'

/** A transaction to the contract. */
export interface RelayTransaction {
  readonly to: string
  readonly data: string
}

/** Everything that a relay uses, so that it runs without a process. */
export interface RelayOptions {
  readonly rpc: RpcProvider
  readonly clock: VirtualClock
  /** Asks the mock for the prices of now, once for each of its seconds and settings. After an error, which is reported, it waits for the next. */
  ask(): Promise<readonly EvmSignedPrice[]>
  /**
   * The settings of the mock: another object after a change, which may give a stopped mock new prices.
   * @default prices change with time only
   */
  readonly settings?: (() => object) | undefined
  report(line: string): void
  /** The address of the contract, which has `UPDATE_PRICE`. */
  readonly contract: string
  /**
   * The side whose time the other follows.
   * @default the clocks are left alone
   */
  readonly leader?: ClockLeader | undefined
  /**
   * Sends a transaction and returns its hash.
   * @default by the first account of the chain, which anvil has unlocked
   */
  readonly send?: ((transaction: RelayTransaction) => Promise<string>) | undefined
  /**
   * Ids of the chains besides local ones that it may write to.
   * @default none
   */
  readonly allowChains?: readonly number[] | undefined
  /**
   * The address whose key `send` uses. A public key is refused on chains that are not local.
   * @default the key is the chain's
   */
  readonly account?: string | undefined
}

/** The time between two calls, if all is well. */
export const RELAY_MS = 200
/** Looks for a block before a line says that there is none. */
const MANY_LOOKS = 25
const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 30_000

/** Creates a relay. Calls of `deliver` must not overlap. Neither `read` nor `deliver` rejects. */
export function createRelay(options: RelayOptions) {
  const { rpc, contract, clock, leader, send, allowChains = [], report } = options
  const queue = createRelayQueue(options)
  const counts = { pushed: 0, rejected: 0 }
  let firstAccount: string | undefined
  let isChecked = false
  /** The last block with a price of the relay, until its time is known. */
  let lastBlock: string | undefined
  /** The last transaction in a block. A chain that was started anew, or set back by `evm_revert`, does not know it. */
  let lastHash: string | undefined
  let failures = 0
  /** The last reported problem: the same one again is no news. */
  let problem = ''

  const request = <T>(method: string, ...params: readonly unknown[]): Promise<T> =>
    rpc.request({ method, params }) as Promise<T>

  const sendFromChain = async (transaction: RelayTransaction): Promise<string> => {
    firstAccount ??= (await request<string[]>('eth_accounts'))[0]
    if (firstAccount === undefined) throw relayFailed('The chain has no unlocked account: give the key of one.')
    return request('eth_sendTransaction', { from: firstAccount, ...transaction })
  }

  /** A call without code succeeds, so a wrong address would go unnoticed. */
  const assertTarget = async (): Promise<void> => {
    // Where the clocks are one, it asks the chain all the time anyway.
    if (isChecked) return leader && findLoss()
    const chainId = Number((await request<string | null>('eth_chainId')) ?? Number.NaN)
    if (!Number.isSafeInteger(chainId)) throw relayFailed('The RPC gives no id of a chain.')
    assertChain(chainId, allowChains, options.account)
    const code = await request<string>('eth_getCode', contract, 'latest')
    if (code === '0x') throw relayFailed(`The chain has no contract at ${contract}.`)
    await findLoss()
    isChecked = true
  }

  /** Reads the prices of now again, if the chain has lost those that it had. */
  const findLoss = async (): Promise<void> => {
    if (lastHash === undefined || (await request('eth_getTransactionReceipt', lastHash)) !== null) return
    lastHash = undefined
    queue.readAgain()
  }

  /** Gives the next block the time at which a price was read. */
  const setTime = async (at: number): Promise<void> => {
    if (leader !== 'mock') return
    if (at < (await readBlockTime(rpc))) return
    try {
      await request('evm_setNextBlockTimestamp', `0x${at.toString(16)}`)
    } catch (error) {
      reportRefusedTime(error)
    }
  }

  /** An anvil that was started anew can be ahead of its blocks, and other chains have no such method. Prices go on. */
  const reportRefusedTime = (error: unknown): void => {
    if (!(error instanceof RpcAnswerError) || !error.shortMessage.startsWith('evm_')) throw error
    reportOnce(
      `the chain refuses the time of the mock, ${withoutStop(error.shortMessage)}. Let it lead: --clock chain. Or, if it is ahead of the mock, start it with an earlier --timestamp.`,
    )
  }

  /** Sends a price if it was not sent, and waits for its block. Returns false while there is none. */
  const push = async (waiting: Waiting): Promise<boolean> => {
    const { price, at } = waiting
    let data: string
    try {
      data = toCalldata(price)
    } catch (error) {
      if (!isPriceFeedMockError(error)) throw error
      counts.rejected++
      report(`not sent, ${nameOf(price)}: ${firstLine(error)}`)
      return true
    }
    if (waiting.hash === undefined) {
      await setTime(at)
      try {
        waiting.hash = await (send ?? sendFromChain)({ to: contract, data })
      } catch (error) {
        // Some chains try a transaction before they take it.
        if (!(error instanceof RpcAnswerError) || !/revert/i.test(error.shortMessage)) throw error
        return reject(price, toReason(error))
      }
    }
    const receipt = await request<Receipt | null>('eth_getTransactionReceipt', waiting.hash)
    if (receipt === null) {
      // A chain that was started anew does not know it.
      if ((await request('eth_getTransactionByHash', waiting.hash)) === null) delete waiting.hash
      else if (++waiting.looks === MANY_LOOKS)
        report(`sent, but in no block yet, ${nameOf(price)}: does the chain mine?`)
      return false
    }
    lastBlock = receipt.blockNumber
    lastHash = waiting.hash
    if (Number(receipt.status) !== 1) return reject(price, await explain(data, receipt))
    counts.pushed++
    report(`pushed ${nameOf(price)} in block ${Number(receipt.blockNumber)}`)
    return true
  }

  const reject = (price: EvmSignedPrice, reason: string): true => {
    counts.rejected++
    report(`rejected by the contract, ${nameOf(price)}: ${reason}`)
    return true
  }

  /** The reason of a revert, by the same call on the same block. */
  const explain = async (data: string, { blockNumber, from }: Receipt): Promise<string> => {
    try {
      await request('eth_call', { from, to: contract, data }, blockNumber)
      return 'it reverted, but does not any more'
    } catch (error) {
      if (error instanceof RpcAnswerError) return toReason(error)
      throw error
    }
  }

  const follow = async (): Promise<void> => {
    if (leader === undefined) return
    try {
      await syncClock(clock, rpc, { leader })
    } catch (error) {
      // The mock was set back. Prices go on: the contract decides about them.
      if (!isPriceFeedMockError(error) || error.code !== 'CLOCK_OUT_OF_RANGE') return reportRefusedTime(error)
      reportOnce(`${firstLine(error)} Start the chain earlier, or let it lead: --clock chain.`, '', error.code)
    }
  }

  /** The blocks of the relay move a chain that leads. Only others, also those that came meanwhile, count as time that passes. */
  const skipOwnTime = async (): Promise<void> => {
    if (lastBlock === undefined) return
    const block = await request<{ timestamp: string } | null>('eth_getBlockByNumber', lastBlock, false)
    lastBlock = undefined
    // It is gone with a chain that was started anew or set back.
    if (block === null) return
    const timestamp = Number(block.timestamp)
    queue.markRead(timestamp)
    await clock.set(timestamp)
  }

  /** @param key identifies the problem where the figures of its line change */
  const reportOnce = (line: string, rest = '', key = line): void => {
    if (key !== problem) report(line + rest)
    problem = key
  }

  const deliverOrThrow = async (): Promise<void> => {
    await assertTarget()
    if (leader === 'chain') await follow()
    await queue.read()
    for (let first = queue.first(); first !== undefined; first = queue.first()) {
      const isDone = await push(first)
      queue.release()
      if (!isDone) return
      queue.done(first)
    }
    if (leader === 'mock') await follow()
    if (leader === 'chain') await skipOwnTime()
  }

  return {
    /** @throws PriceFeedMockError OPTIONS_INVALID if the chain answers and must not get prices of a mock */
    async check() {
      try {
        await assertTarget()
      } catch (error) {
        if (isPriceFeedMockError(error) && error.code === 'OPTIONS_INVALID') throw error
        // It is reported with the first delivery.
      }
    },
    /** Puts the prices of a new second of the mock into the queue. Call it more than once a second, also while the chain is gone. */
    // Where the chain leads, the mock has the time of the chain only after `deliver` has asked for it.
    read: leader === 'chain' ? async () => {} : queue.read,
    /** Brings the queue to the chain. Resolves to the milliseconds until the next call. */
    async deliver() {
      try {
        await deliverOrThrow()
        if (failures > 0) {
          report('the chain answers again')
          problem = ''
        }
        failures = 0
        return RELAY_MS
      } catch (error) {
        isChecked = false
        queue.keep()
        const ms = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures++, 10))
        const refused = error instanceof RpcAnswerError ? 'the chain refused ' : ''
        reportOnce(
          `${refused}${withoutStop(firstLine(error))}`,
          `; ${countOf(queue.length, 'price')} waiting, next try in ${ms / 1000} s`,
        )
        return ms
      }
    },
    /** The number of prices that were left out for newer ones, because the chain is slow. */
    get leftOut() {
      return queue.leftOut
    },
    get counts() {
      return { ...counts, waiting: queue.length }
    },
  }
}

type Receipt = Readonly<Record<'status' | 'blockNumber' | 'from', string>>

const relayFailed = (shortMessage: string): PriceFeedMockError => new PriceFeedMockError('RELAY_FAILED', shortMessage)

/** A price in a line: faults may have left its time out. */
const nameOf = ({ feedId, ts }: EvmSignedPrice): string =>
  `${feedId} of ${Number.isSafeInteger(ts) && ts <= LATEST ? toInstant(ts * 1000) : String(ts)}`

/** `Error(string)` of https://docs.soliditylang.org/en/latest/control-structures.html#revert */
const ERROR_STRING = '0x08c379a0'

function toReason({ data, shortMessage }: RpcAnswerError): string {
  const message = shortMessage.replace(/^eth_\w+: /, '')
  if (data === undefined || data === '0x') return message
  if (!data.startsWith(ERROR_STRING)) return describeError(data.slice(0, 10))
  const length = Number.parseInt(data.slice(74, 138), 16)
  const bytes = data.slice(138, 138 + 2 * length).match(/../g) ?? []
  const text = bytes
    .map(byte => String.fromCharCode(Number.parseInt(byte, 16)))
    .join('')
    .replace(/[^ -~]/g, '?')
  return text || message
}

interface Waiting {
  readonly price: EvmSignedPrice
  /** The second of the mock at which it was read. */
  readonly at: number
  hash?: string
  /** How often its block was looked for. */
  looks: number
  /** Whether it has waited for a chain that was gone. */
  isKept: boolean
}

/** The prices of a feed that may wait behind another one before the chain counts as slow. */
const MAX_BEHIND = 3
/** The most prices that wait: an hour of 25 feeds. */
const MAX_WAITING = 90_000

/** Creates the queue of a relay: the prices of each second of the mock, in order, until the chain has them. */
function createRelayQueue({ ask, settings, clock, report }: RelayOptions) {
  const queue: Waiting[] = []
  /** The last price of each feed. A signature alone does not tell them apart: faults show one beside another price. */
  const lastPrices = new Map<string, string>()
  const textOf = (price: EvmSignedPrice): string => Object.values(price).join()
  let leftOut = 0
  let isKeeping = false
  let hasNews = false
  let lastSecond: number | undefined
  let lastSettings: object | undefined
  let reading: Promise<void> | undefined

  const readSecond = async (): Promise<void> => {
    const second = Math.floor((await clock.now()) / 1000)
    const now = settings?.()
    if (second === lastSecond && now === lastSettings) return
    lastSecond = second
    lastSettings = now
    let prices: readonly EvmSignedPrice[]
    try {
      prices = pricesOf(await ask())
    } catch (error) {
      report(`no prices at ${toInstant(second * 1000)}: ${firstLine(error)}`)
      return
    }
    for (const price of prices) {
      const text = textOf(price)
      if (lastPrices.get(price.feedId) === text) continue
      lastPrices.set(price.feedId, text)
      queue.push({ price, at: second, looks: 0, isKept: isKeeping })
      hasNews = true
    }
    if (queue.length <= MAX_WAITING) return
    const dropped = queue.splice(0, queue.length - MAX_WAITING).length
    report(`dropped the oldest ${dropped} prices: more than ${MAX_WAITING} wait`)
  }

  /** Leaves all but the newest price of each feed out. The feeds keep their order, so that none waits for ever. */
  const leaveOutOld = (): void => {
    if (!hasNews) return
    hasNews = false
    const isLoose = ({ hash, isKept }: Waiting): boolean => hash === undefined && !isKept
    const loose = queue.filter(isLoose)
    const newest = new Map(loose.map(waiting => [waiting.price.feedId, waiting]))
    const count = loose.length - newest.size
    if (count <= MAX_BEHIND * newest.size) return
    const rest = queue.filter(waiting => !isLoose(waiting))
    queue.length = 0
    for (const waiting of [...rest, ...newest.values()]) queue.push(waiting)
    leftOut += count
    report(
      `left out ${countOf(count, 'price')}: the chain is slower than the mock, and gets the newest price of each feed`,
    )
  }

  return {
    get length() {
      return queue.length
    },
    get leftOut() {
      return leftOut
    },
    /** Asks for the prices of a new second. One call at a time does: prices stay in order when the mock answers late. */
    read(): Promise<void> {
      reading ??= readSecond().finally(() => {
        reading = undefined
      })
      return reading
    },
    markRead(second: number) {
      lastSecond = second
    },
    /** The chain has lost all prices: those of now are news again, except where one waits. */
    readAgain() {
      lastSecond = undefined
      lastPrices.clear()
      for (const { price } of queue) lastPrices.set(price.feedId, textOf(price))
    },
    /** The first price. A slow chain gets the newest one of each feed. */
    first(): Waiting | undefined {
      leaveOutOld()
      return queue[0]
    },
    /** Takes a price out that the chain has, or has refused. */
    done(waiting: Waiting) {
      if (queue[0] === waiting) queue.shift()
    },
    /** From now on no price is left out, until the chain answers again. */
    keep() {
      isKeeping = true
      for (const waiting of queue) waiting.isKept = true
    },
    /** The chain answers. */
    release() {
      isKeeping = false
    },
  }
}

/** The prices of a reply, which faults may have changed. Fields are checked before they are sent. */
function pricesOf(value: unknown): readonly EvmSignedPrice[] {
  if (Array.isArray(value) && value.every(price => typeof price === 'object' && price !== null)) return value
  throw new PriceFeedMockError('RESPONSE_UNRECOGNISED', 'the reply has no list of prices.')
}

/** The first line of an error; keys are never in it, because errors of transactions do not repeat them. */
const firstLine = (error: unknown): string => (isPriceFeedMockError(error) ? error.shortMessage : firstLineOf(error))
