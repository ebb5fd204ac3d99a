// A keeper: it reads the price of one feed and posts it, with its signature, to a contract that pays nothing for mistakes.
import type { Deps } from '../world.js'

interface Latest {
  feedId: string
  price: number
  expo: number
  ts: number
  signature: string
  recoveryId: number
}
/** A price as it is posted. */
export interface Post {
  feedId: string
  price: bigint
  expo: number
  ts: number
  signature: Uint8Array
  recoveryId: number
}
/** The contract. A post that it refuses costs the keeper its gas. */
interface Contract {
  post(post: Post): void
  readonly last: { readonly price: bigint; readonly ts: number } | undefined
}

const FEED = 'ETHUSD'
const POLL_MS = 3_000
const MAX_AGE = 30
const MAX_AHEAD = 0
/** A post at least so often, in seconds, and at every such change. */
const HEARTBEAT = 45
const DEVIATION = 0.005
/** A change of this size waits for a second price. */
const JUMP = 0.2

export function createKeeper({ fetch, now, sleep, recover, signer, key }: Deps, contract: Contract) {
  let jump: Latest | undefined
  let waitUntil = 0
  let delayMs = POLL_MS
  const alarms: string[] = []

  const seconds = () => now() / 1000

  function messageOf({ feedId, price, expo, ts }: Latest): Uint8Array {
    const bytes = new Uint8Array(49)
    const view = new DataView(bytes.buffer)
    for (let at = 0; at < feedId.length; at++) bytes[at] = feedId.charCodeAt(at)
    view.setBigInt64(32, BigInt(price), true)
    view.setInt8(40, expo)
    view.setBigUint64(41, BigInt(ts), true)
    return bytes
  }

  async function read(): Promise<Latest> {
    const reply = await fetch(`/prices/${FEED}/latest`, { key, timeoutMs: 5_000 })
    if (reply.status === 429) {
      const wait = Number(reply.header('retry-after'))
      waitUntil = now() + (wait > 0 && wait < 600 ? wait : 30) * 1000
    }
    if (reply.status === 401) {
      alarms.push('key rejected')
      waitUntil = now() + 60_000
    }
    if (!reply.ok) throw new Error(`status ${reply.status}`)
    return JSON.parse(await reply.text()) as Latest
  }

  function toPost(latest: Latest): Post {
    const { feedId, price, expo, ts, signature, recoveryId } = latest
    if (feedId !== FEED) throw new Error('another feed')
    if (![price, expo, ts, recoveryId].every(Number.isSafeInteger)) throw new Error('no integer')
    if (expo !== -8) throw new Error('another expo')
    if (price <= 0) throw new Error('no price')
    if (!/^[0-9a-f]{128}$/.test(signature)) throw new Error('no signature')
    if (ts < seconds() - MAX_AGE) throw new Error('stale')
    if (ts > seconds() + MAX_AHEAD) throw new Error('from the future')
    const rs = Uint8Array.from(signature.match(/../g)!, two => Number.parseInt(two, 16))
    // The contract refuses the upper half of s.
    if (rs[32]! >= 0x80) throw new Error('high s')
    if (recover(messageOf(latest), rs, recoveryId) !== signer) throw new Error('wrong signer')
    return { feedId, price: BigInt(price), expo, ts, signature: rs, recoveryId }
  }

  function isDue({ price, ts }: Post): boolean {
    const { last } = contract
    if (last === undefined) return true
    if (ts <= last.ts) return false
    const change = Math.abs(Number(price) / Number(last.price) - 1)
    return change >= DEVIATION || ts - last.ts >= HEARTBEAT
  }

  /** Whether a jump was seen twice, in two ticks. */
  function isConfirmed(latest: Latest): boolean {
    const { last } = contract
    if (last === undefined || Math.abs(latest.price / Number(last.price) - 1) < JUMP) {
      jump = undefined
      return true
    }
    if (jump !== undefined && latest.ts > jump.ts && Math.abs(latest.price / jump.price - 1) < JUMP / 4) return true
    if (jump === undefined || latest.ts > jump.ts) jump = latest
    return false
  }

  async function step(): Promise<void> {
    const latest = await read()
    const post = toPost(latest)
    delayMs = POLL_MS
    if (!isConfirmed(latest) || !isDue(post)) return
    contract.post(post)
  }

  return {
    async run(): Promise<void> {
      for (;;) {
        if (now() >= waitUntil)
          try {
            await step()
          } catch (error) {
            alarms.push((error as Error).message)
            delayMs = Math.min(15_000, delayMs * 1.5)
          }
        await sleep(delayMs)
      }
    },
    alarms,
  }
}
