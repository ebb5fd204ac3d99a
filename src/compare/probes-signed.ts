// The probes of signatures: the layouts of both forms, the form of a batch, and the signers. Signatures are collected from all answers,
// and a layout is searched under which those of one form have one key. And the probe of heartbeats and lags: it polls prices, and sees
// the moments in which ticks are published.
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { oncePerObject } from '../caches.js'
import { greatestCommonDivisor } from '../market/windows.js'
import type { Layout } from '../settings/layouts.js'
import { createEncoder, type Tick } from '../signing/encode.js'
import { recoverKey } from '../signing/recover.js'
import { readResponse, type SignedBlock } from '../signing/signed-response.js'
import { testSigners } from '../signing/signers.js'
import { type FoundLayout, type SignedTick, searchLayout } from './layout-search.js'
import {
  type Answer,
  type Asking,
  at,
  type ByFeed,
  changesOf,
  listAt,
  type OptionPatch,
  type Probe,
  type ProbeContext,
  type Question,
  type Seen,
  to,
} from './probe.js'

/** A signature, its form, and the prices that it covers. */
type SignedPrices = NonNullable<ReturnType<typeof toSigned>>

const SIGNATURE = /^(0x)?([0-9a-f]{64})([0-9a-f]{64})([0-9a-f]{2})?$/i

/** The signatures of some answers that differ. Others, such as those of malformed prices, are left out. */
export function signaturesOf(answers: ProbeContext['answers'], form: SignedBlock['form']): SignedPrices[] {
  const found = new Map<string, SignedPrices>()
  for (const { question, answer } of answers) {
    if (answer.status !== 200) continue
    // A batch may number its feeds: their order is that of the request.
    const ids = (/[?&]feedIds=([^&]*)/.exec(question.target)?.[1] ?? '').split(',')
    const items = listAt(answer.body, 'prices')
    const numbers = new Map(items.map((item, i) => [at(item, 'feedId'), ids[items.length === ids.length ? i : -1]]))
    for (const block of readResponse(answer.body, number => numbers.get(number))?.blocks ?? []) {
      const signed = block.form === form ? toSigned(block) : undefined
      if (signed !== undefined) found.set(`${signed.r} ${signed.s}`, signed)
    }
  }
  return [...found.values()]
}

function toSigned({ prices, signature, recoveryId }: SignedBlock) {
  const match = typeof signature === 'string' ? SIGNATURE.exec(signature) : null
  const ticks = prices.flatMap(({ tick }) => tick ?? [])
  if (match === null || ticks.length !== prices.length) return undefined
  const [, prefix = '', r, s, end] = match as unknown as [string, '' | '0x', string, string, string?]
  const v = end === undefined ? undefined : Number.parseInt(end, 16)
  const id = v === undefined ? recoveryId : v >= 27 ? v - 27 : v
  return {
    ticks,
    r: BigInt(`0x${r}`),
    s: BigInt(`0x${s}`),
    recoveryId: id === 0 || id === 1 ? (id as 0 | 1) : undefined,
    hexPrefix: prefix,
    /** The bytes behind r and s. */
    v,
    isUpperCase: /[A-F]/.test(r + s),
  }
}

/** Two signed prices for a search, if possible of different feeds: then no byte of an id can be taken for another. */
export function pairOf(signatures: readonly SignedPrices[]): readonly [SignedTick, SignedTick] | undefined {
  const single = signatures
    .filter(({ ticks }) => ticks.length === 1)
    .map(({ ticks, r, s, recoveryId }): SignedTick => ({ tick: ticks[0]!, r, s, recoveryId }))
  const [first] = single
  if (first === undefined) return undefined
  const second = single.find(({ tick }) => tick.feedId !== first.tick.feedId) ?? single[1]
  return second && [first, second]
}

/** A found layout, in the form of a setting. */
export function toLayout({ candidate }: FoundLayout, signatures: readonly SignedPrices[]): Layout {
  const vs = signatures.flatMap(({ v }) => v ?? [])
  return {
    fields: [...candidate.fields],
    digest: candidate.digest,
    prefix: candidate.prefix,
    signature: vs.length === 0 ? 'rs' : vs.some(v => v >= 27) ? 'rsv' : 'rsy',
    hexPrefix: signatures[0]!.hexPrefix,
  }
}

/** The ways to sign several prices together. Ours has the first one only. */
const BATCHES: Readonly<
  Record<string, (messages: readonly Uint8Array[], hash: (bytes: Uint8Array) => Uint8Array) => Uint8Array>
> = {
  'one after the other, as shown': messages => concatBytes(...messages),
  'one after the other, the last one first': messages => concatBytes(...[...messages].reverse()),
  'sorted by their bytes': messages => concatBytes(...[...messages].sort(compareBytes)),
  'the digests of the prices': (messages, hash) => concatBytes(...messages.map(hash)),
  'the first one only': ([first]) => first!,
}

const compareBytes = (a: Uint8Array, b: Uint8Array): number => (bytesToHex(a) < bytesToHex(b) ? -1 : 1)

/** The addresses of the keys that made those of some signatures that cover a single price, sorted. */
export function signersOf(found: FoundLayout, signatures: readonly SignedPrices[]): string[] {
  const { encode, digest } = encoderOf(found)
  const single = signatures.filter(({ ticks }) => ticks.length === 1)
  return [...new Set(single.flatMap(signed => recover(signed, digest(encode(signed.ticks)))))].sort()
}

/** The way in which the prices of a batch are signed; undefined if none gives one of the signers. */
export function batchFormOf(found: FoundLayout, batch: SignedPrices, signers: readonly string[]): string | undefined {
  const { encode, digest } = encoderOf(found)
  const messages = batch.ticks.map(tick => encode([tick]))
  return Object.keys(BATCHES).find(name =>
    recover(batch, digest(BATCHES[name]!(messages, digest))).some(address => signers.includes(address)),
  )
}

function encoderOf({ candidate, transform }: FoundLayout) {
  const layout: Layout = { ...candidate, fields: [...candidate.fields], signature: 'rs', hexPrefix: '' }
  const { encode, digest } = createEncoder(layout)
  const apply = transform?.apply ?? ((tick: Tick) => tick)
  return { digest, encode: (ticks: readonly Tick[]) => encode(ticks.map(apply), 'wrap') }
}

/** The address of the key that made a signature; several where the recovery id is unknown. */
function recover({ r, s, recoveryId }: SignedPrices, digest: Uint8Array): string[] {
  const rs = hexToBytes(r.toString(16).padStart(64, '0') + s.toString(16).padStart(64, '0'))
  const ids = recoveryId === undefined ? [0, 1] : [recoveryId]
  return ids.flatMap(id => recoverKey(rs, id, digest)?.address ?? [])
}

type Form = 'svm' | 'evm'
/** A found layout with all signatures of its form, or the reason why there is none. */
type Searched = { readonly found: FoundLayout; readonly signatures: readonly SignedPrices[] } | string

/** Times that a service is asked again for another price. */
const MAX_REPEATS = 4

const searchedIn = oncePerObject((_: ProbeContext) => new Map<Form, Searched>())

function* layoutOf(context: ProbeContext, form: Form): Asking<Searched> {
  const searched = searchedIn(context)
  const result = searched.get(form) ?? (yield* search(context, form))
  searched.set(form, result)
  return result
}

function* search(context: ProbeContext, form: Form): Asking<Searched> {
  const [first, second = first] = context.feeds
  const ask = (id: string, more?: Partial<Question>): Question =>
    form === 'svm' ? to.latest(id, more) : to.evm([id], more)
  for (const id of [first, second]) yield ask(id)
  const read = () => signaturesOf(context.answers, form)
  for (let i = 0; i < MAX_REPEATS && read().length > 0 && pairOf(read()) === undefined; i++) {
    yield { pause: 2 }
    yield ask(first, { again: true })
  }
  const signatures = read()
  const pair = pairOf(signatures)
  if (signatures.length === 0) return 'no signature was seen'
  if (pair === undefined) return 'one signature only, and a search needs two'
  const found = yield* searchLayout(pair, context.layouts, context.maxCandidates)
  return found === undefined ? 'none of the layouts that were tried' : { found, signatures }
}

const layoutProbe = (form: Form): Probe => ({
  name: `signed bytes, ${form}`,
  page: 'docs/signatures.md',
  option: `signing.${form}`,
  *ask(context) {
    const searched = yield* layoutOf(context, form)
    if (typeof searched === 'string') return searched
    const { found, signatures } = searched
    return {
      ...(toLayout(found, signatures) as unknown as Readonly<Record<string, Seen>>),
      ...(found.transform === undefined ? {} : { values: found.transform.name }),
      ...(signatures.some(({ isUpperCase }) => isUpperCase) ? { letters: 'upper case' } : {}),
    }
  },
  toPatch(seen: string | (Layout & { values?: string; letters?: string })): OptionPatch | undefined {
    if (typeof seen === 'string') return undefined
    const { values, letters, ...layout } = seen
    if (values !== undefined || letters !== undefined || (form === 'evm' && layout.signature === 'rs')) return undefined
    const name = `observed-${form}`
    return { signing: { [form]: name, layouts: { [name]: layout } } }
  },
})

/** The probes of signatures. They come last, because they read the answers to all others. */
export const SIGNED_PROBES: readonly Probe[] = [
  layoutProbe('svm'),
  layoutProbe('evm'),
  {
    name: 'signed bytes of a batch',
    page: 'docs/signatures.md',
    *ask(context) {
      const searched = yield* layoutOf(context, 'svm')
      if (typeof searched === 'string') return searched
      yield to.batch(context.feeds)
      const { found, signatures } = searched
      const signers = signersOf(found, signatures)
      // One price twice has the same bytes in any order, and ours never answers it.
      const several = ({ ticks }: SignedPrices) => ticks.some(({ feedId }) => feedId !== ticks[0]!.feedId)
      const batches = signaturesOf(context.answers, 'svm').filter(several)
      const forms = batches.map(batch => batchFormOf(found, batch, signers) ?? 'another way')
      return [...new Set(forms)].join(', ') || 'no batch of several prices was seen'
    },
  },
  {
    name: 'signers',
    page: 'docs/signatures.md',
    option: 'signer',
    isOwn: true,
    *ask(context) {
      const found: string[] = []
      for (const form of ['svm', 'evm'] as const) {
        const searched = yield* layoutOf(context, form)
        if (typeof searched !== 'string') found.push(...signersOf(searched.found, searched.signatures))
      }
      return [...new Set(found)]
    },
    toPatch(seen: readonly string[]) {
      const signer = testSigners().find(({ address }) => seen.includes(address))?.number
      return signer === undefined ? undefined : { signer }
    },
  },
]

/** Polls, a second apart: enough to see the moment in which a tick of a feed is published. */
const POLLS = 35
/** A heartbeat above it cannot be told within the time of all polls, but from the times in histories. */
export const MAX_HEARTBEAT = 32
/** Minutes of histories. For every heartbeat up to 4096 s, one of them has exactly two ticks. */
const WINDOWS = Array.from({ length: 8 }, (_, i) => [2 << i, 3 << i]).flat()
const MAX_LAG = 60

const isPowerOfTwo = (value: number): boolean => value > 0 && (value & (value - 1)) === 0

/** Heartbeats and lags by feed; several lags fit where no poll was at the moment of publication. */
interface Beat {
  readonly heartbeat: number | string
  readonly lag: number | readonly [from: number, to: number] | string
}
type Beats = ByFeed<Beat & { readonly [key: string]: Seen }>

/** The times of the ticks of a feed, and the ages at which the newest one was seen. */
interface Watched {
  readonly times: Set<number>
  readonly ages: number[]
}

function toBeat({ times, ages }: Watched): Beat {
  const [first = 0, ...rest] = times
  const heartbeat = Math.abs(rest.reduce((sum, time) => greatestCommonDivisor(sum, time - first), 0))
  if (heartbeat === 0) return { heartbeat: `above ${MAX_HEARTBEAT}`, lag: 'not told' }
  // The newest tick is at least as old as the lag, and the next one is not there yet.
  const bounds = [Math.max(...ages) - heartbeat + 1, Math.min(...ages)].map(age => Math.min(MAX_LAG, Math.max(0, age)))
  const [from, to] = bounds.sort((a, b) => a - b) as [number, number]
  return { heartbeat, lag: from === to ? from : [from, to] }
}

/** Adds the times of the highest and lowest ticks of ever longer windows, until one is refused. Returns the number of windows. */
function* readHistories(ids: readonly string[], watched: ReadonlyMap<string, Watched>): Asking<number> {
  for (const [i, minutes] of WINDOWS.entries()) {
    const { status, body } = yield to.history(ids, minutes)
    if (status !== 200) return i
    for (const id of ids)
      for (const end of ['high', 'low']) {
        const ts = at(body, id, end, 'ts')
        if (Number.isInteger(ts)) watched.get(id)!.times.add(ts as number)
      }
  }
  return WINDOWS.length
}

/** The row of heartbeats and lags. It comes last, because it takes most of the time. */
export const TICK_PROBE: Probe = {
  name: 'heartbeat and lag',
  page: 'docs/feeds.md',
  option: 'feeds',
  *ask({ feeds }) {
    const watched = new Map<string, Watched>()
    const polled: number[] = []
    let isBatch = true
    for (let poll = 0; poll < POLLS; poll++) {
      if (poll > 0) yield { pause: 1 }
      const answers: Answer[] = isBatch ? [yield to.batch(feeds, { again: true })] : []
      isBatch = answers[0]?.status === 200
      // A service may have too low a limit of ids, here and below.
      if (!isBatch) for (const id of feeds) answers.push(yield to.latest(id, { again: true }))
      const { now } = answers[0]!
      polled.push(now)
      const prices = isBatch ? listAt(answers[0]!.body, 'prices') : answers.slice(-feeds.length).map(({ body }) => body)
      prices.forEach((price, i) => {
        const ts = at(price, 'ts')
        if (typeof ts !== 'number' || !Number.isInteger(ts)) return
        const { times, ages } = watched.get(feeds[i]!) ?? { times: new Set(), ages: [] }
        watched.set(feeds[i]!, { times: times.add(ts), ages: [...ages, now - ts] })
      })
    }
    if (polled.at(-1)! - polled[0]! < MAX_HEARTBEAT - 2) return 'its clock stands still, or runs at another speed'
    // Two ticks are one heartbeat apart, or several that were missed.
    const slow = feeds.filter(id => (watched.get(id)?.times.size ?? 3) <= 2)
    if (slow.length > 0 && (yield* readHistories(slow, watched)) === 0)
      for (const id of slow) yield* readHistories([id], watched)
    return Object.fromEntries([...watched].map(([id, seen]) => [id, toBeat(seen) as Beats[string]]))
  },
  same(theirs: string | Beats, ours: string | Beats) {
    if (typeof theirs !== 'object' || typeof ours !== 'object') return theirs === ours
    return Object.entries(theirs).every(([id, beat]) => isSameBeat(beat, ours[id]))
  },
  toPatch(theirs: string | Beats, _, ours: string | Beats) {
    if (typeof theirs === 'string') return undefined
    return changesOf(theirs, ours, (beat, id) => {
      const { heartbeat } = beat
      const own = at(ours, id) as Beat | undefined
      if (isSameBeat(beat, own)) return undefined
      if (typeof heartbeat !== 'number') return { heartbeat: 2 * MAX_HEARTBEAT }
      const [from = 0, to = from] = lagsOf(beat)
      const [ownLag = from] = own === undefined ? [] : lagsOf(own)
      // Of the lags that fit, the one that is closest to ours.
      return isPowerOfTwo(heartbeat) ? { heartbeat, lag: Math.min(to, Math.max(from, ownLag)) } : undefined
    })
  },
}

const lagsOf = ({ lag }: Beat): readonly number[] => (typeof lag === 'string' ? [] : [lag].flat())

/** Whether one lag fits both. */
function isSameBeat(one: Beat, other: Beat | undefined): boolean {
  if (one.heartbeat !== other?.heartbeat) return false
  const [ours, theirs] = [lagsOf(one), lagsOf(other)]
  return ours.length === 0 || theirs.length === 0 || (ours[0]! <= theirs.at(-1)! && theirs[0]! <= ours.at(-1)!)
}
