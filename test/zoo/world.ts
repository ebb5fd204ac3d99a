// The world of a consumer: virtual time, and a service that answers in it. Nothing waits in real time.
import { secp256k1 } from '@bitauth/libauth'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Mock } from '../../src/index.js'
import { type Outcome, toPairs } from '../../src/outcome.js'

/** A reply, as much of that of `fetch` as the consumers use. */
export interface Reply {
  readonly status: number
  readonly ok: boolean
  header(name: string): string | undefined
  /** Rejects where the body breaks off. */
  text(): Promise<string>
}

/** All that a consumer may touch. Times are in milliseconds. */
export interface Deps {
  now(): number
  sleep(ms: number): Promise<void>
  /** Rejects without a reply, and after `timeoutMs` without a whole head. */
  fetch(path: string, options: { readonly key?: string | undefined; readonly timeoutMs?: number }): Promise<Reply>
  /** The address that signed a message, in lower case, by keccak256 and r‖s of 64 bytes. Throws where no key can have signed. */
  recover(message: Uint8Array, rs: Uint8Array, recoveryId: number): string
  /** Work in another process, which takes no time: all others wait for it. */
  outside<T>(work: Promise<T>): Promise<T>
  /** The address to trust. */
  readonly signer: string
  readonly key: string
}

/** A request as the world saw it. */
export interface Seen {
  readonly at: number
  readonly path: string
  readonly key: string | undefined
  readonly status: number
  readonly retryAfter: number | undefined
}

/** Virtual time, in which one session of a mock answers. */
export interface World {
  readonly deps: Omit<Deps, 'signer' | 'key'>
  readonly seen: readonly Seen[]
  /** Lets time pass until `ms` after the start, or until nothing more is to be learnt. */
  run(ms: number, isDone?: () => boolean): Promise<void>
  /** Calls back every so many milliseconds, after everything else of that moment. */
  watch(everyMs: number, check: () => void): void
}

type Timer = { readonly at: number; readonly order: number; readonly callback: () => void }

/** Requests in a second. */
const MOST_A_SECOND = 200

/** The seconds of a `Retry-After`, which may be a date. */
const secondsOf = (text: string, now: number): number =>
  Number.isNaN(Number(text)) ? (Date.parse(text) - now) / 1000 : Number(text)

const cache = new Map<string, string>()

/** Recovers an address. Signatures repeat in the runs of one scenario, so each is recovered once. */
function recover(message: Uint8Array, rs: Uint8Array, recoveryId: number): string {
  if (recoveryId === undefined || recoveryId === null) throw new Error('no recovery id')
  const key = `${bytesToHex(message)} ${bytesToHex(rs)} ${recoveryId}`
  let address = cache.get(key)
  if (address === undefined) {
    const point = secp256k1.recoverPublicKeyUncompressed(rs, recoveryId as 0, keccak_256(message))
    if (typeof point === 'string') throw new Error(point)
    address = `0x${bytesToHex(keccak_256(point.slice(1)).slice(12))}`
    cache.set(key, address)
  }
  return address
}

/**
 * Creates a world at `startMs`, whose requests go to paths below `prefix`.
 * @param aheadMs what the clock of the session is ahead of that of the mock
 */
export function createWorld(mock: Mock, startMs: number, prefix: string, aheadMs: number): World {
  let time = startMs
  let order = 0
  const timers: Timer[] = []
  const outside = new Set<Promise<unknown>>()
  const seen: Seen[] = []
  const at = (ms: number, callback: () => void): void => {
    timers.push({ at: ms, order: order++, callback })
  }
  const sleep = (ms: number): Promise<void> =>
    // As setTimeout has it, where NaN is no pause.
    new Promise(resolve => at(time + Math.max(1, ms || 0), resolve))

  const fetch: Deps['fetch'] = async (path, { key, timeoutMs = Number.POSITIVE_INFINITY }) => {
    const served = mock.serve({ method: 'GET', target: prefix + path, authorization: key, receivedAt: time - aheadMs })
    if (served === undefined) throw new Error(`The service has no ${path}.`)
    const { outcome } = served
    const headers = new Map(
      'headers' in outcome ? toPairs(outcome.headers).map(([name, value]) => [name.toLowerCase(), value]) : [],
    )
    const retryAfter = headers.get('retry-after')
    // One that asks without a pause has been seen to: more of it would take long.
    if ((seen.at(-MOST_A_SECOND)?.at ?? 0) > time - 1000) await new Promise(() => {})
    seen.push({
      at: time,
      path,
      key,
      status: 'status' in outcome ? outcome.status : 0,
      retryAfter: retryAfter === undefined ? undefined : secondsOf(retryAfter, time),
    })
    const takes = outcome.kind === 'timeout' ? (outcome.closeAfterMs ?? Number.POSITIVE_INFINITY) : outcome.delayMs
    if (takes >= timeoutMs) {
      await sleep(timeoutMs)
      throw new Error('The request timed out.')
    }
    await (takes === Number.POSITIVE_INFINITY ? new Promise(() => {}) : sleep(takes))
    if (outcome.kind === 'timeout' || outcome.kind === 'reset') throw new Error('The connection was closed.')
    const left = timeoutMs - takes
    return {
      status: outcome.status,
      ok: outcome.status >= 200 && outcome.status < 300,
      header: name => headers.get(name),
      text: () => readBody(outcome, left),
    }
  }

  async function readBody(outcome: Exclude<Outcome, { kind: 'timeout' | 'reset' }>, leftMs: number): Promise<string> {
    if (outcome.kind === 'truncate') throw new Error('The connection was closed in the middle of the body.')
    const takes = outcome.kind === 'dribble' ? (outcome.pieces - 1) * outcome.everyMs : 0
    await sleep(Math.min(takes, leftMs))
    if (takes > leftMs) throw new Error('The request timed out.')
    return outcome.body
  }

  return {
    deps: {
      now: () => time,
      sleep,
      fetch,
      recover,
      async outside(work) {
        const settled = work.catch(() => {})
        outside.add(settled)
        await settled
        outside.delete(settled)
        return work
      },
    },
    seen,
    async run(ms, isDone) {
      const end = startMs + ms
      while (!isDone?.()) {
        // All that follows from the last timer happens before the next one.
        do {
          await Promise.all(outside)
          await new Promise(resolve => setImmediate(resolve))
        } while (outside.size > 0)
        timers.sort((a, b) => a.at - b.at || a.order - b.order)
        const next = timers[0]
        if (next === undefined || next.at > end) break
        timers.shift()
        time = next.at
        next.callback()
      }
      time = end
    },
    watch(everyMs, check) {
      const again = (): void => {
        check()
        // Behind all others of the next moment.
        timers.push({ at: time + everyMs, order: Number.MAX_SAFE_INTEGER, callback: again })
      }
      again()
    },
  }
}
