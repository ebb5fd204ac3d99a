// From a failed run to the smallest scenario that fails in the same way: fewest faults, narrowest requests, plainest options.
import { stageOf } from '../faults/fault.js'
import { FAULTS } from '../faults/index.js'
import { MAX_FAULTS } from '../scenario/schema.js'
import { read } from '../settings/schema.js'
import { secondsOf } from '../settings/time.js'
import { familyOf, plainerThan } from './causes.js'
import { PRICED, withoutLoop } from './courses.js'
import type { Profile } from './profile.js'
import type { HuntFault, HuntRequest, HuntRun, HuntScenario } from './types.js'
import { endOf, toDuration, windowOf } from './values.js'

/** Runs a scenario. Undefined if it passes, or fails in another way. */
export type Fails = (scenario: HuntScenario) => Promise<Failure | undefined>

/** A scenario with a run that it failed. */
export interface Failure {
  readonly scenario: HuntScenario
  readonly run: HuntRun
}

const withFaults = (scenario: HuntScenario, faults: readonly HuntFault[]): HuntScenario => ({ ...scenario, faults })

/**
 * Faults by chance as single requests: the last ones that they were applied to. A choice by chance depends on the place of a fault in the
 * list, so that any fault less would be another run.
 */
export function withoutChance({ scenario, run }: Failure): HuntScenario {
  const count = scenario.faults.filter(({ chance }) => chance !== undefined).length
  const most = Math.floor((MAX_FAULTS - (scenario.faults.length - count)) / count)
  const faults = scenario.faults.flatMap((one): HuntFault[] => {
    const { chance, from: _, for: __, repeat: ___, ...fault } = one
    if (chance === undefined) return [one]
    // Of several statuses, the request shows which one it was.
    const isHit = ({ endpoint, faults, status }: HuntRequest): boolean =>
      endpoint !== undefined && faults.includes(one.fault) && (one.options?.status ?? status) === status
    return run.requests
      .filter(isHit)
      .slice(-most)
      .map(({ endpoint, ordinal }) => {
        const where = stageOf({ name: one.fault }) === 'series' ? {} : { endpoints: [endpoint!] }
        return { ...fault, ...where, ...steady(fault), requests: String(ordinal) }
      })
  })
  return withFaults(scenario, faults)
}

/** A delay that is partly random as its mean: that part depends on the place of the fault as well. */
function steady({ options = {} }: Omit<HuntFault, 'fault'>): Pick<HuntFault, 'options'> {
  const { ms, jitterMs, ...others } = options
  if (typeof ms !== 'number' || typeof jitterMs !== 'number') return {}
  return { options: { ...others, ms: Math.round(ms + jitterMs / 2) } }
}

/** Faults that are told as one if that is possible, before they are taken away one by one. */
export const MANY = 6
/** Times that both halves are needed, up to which the fewest are looked for: nobody sees what more of them have in common. */
const MAX_SPLITS = 5

/** The fewest faults that fail: first the one that began last before the end, then halves, with the needed part of the other half. */
export async function separate({ scenario, run }: Failure, profile: Profile, fails: Fails): Promise<Failure> {
  let best: Failure = { scenario, run }
  const attempt = async (faults: readonly HuntFault[]): Promise<boolean> => {
    if (faults.length === 0 || faults.length === best.scenario.faults.length) return false
    const failed = await fails(withFaults(scenario, faults))
    best = failed ?? best
    return failed !== undefined
  }
  const begun = scenario.faults.filter((fault, i) => (run.hits[i] ?? 0) > 0 && secondsOf(fault.from) * 1000 <= run.ms)
  const endedEarly = run.ms < (profile.start + profile.seconds) * 950
  const last = [...begun].sort((a, b) => secondsOf(b.from) - secondsOf(a.from))[0]
  if (endedEarly && last !== undefined && (await attempt([last]))) return best
  if (begun.length < scenario.faults.length) await attempt(begun)
  const all = best.scenario.faults
  const inOrder = (...parts: (readonly HuntFault[])[]): HuntFault[] => all.filter(fault => parts.flat().includes(fault))
  let splits = 0
  let whole: Failure | undefined
  /** Those of a part that fail together with others which are needed. */
  const neededOf = async (part: readonly HuntFault[], others: readonly HuntFault[]): Promise<readonly HuntFault[]> => {
    if (part.length < 2 || whole !== undefined || splits === MAX_SPLITS) return part
    const [early, late] = [part.slice(0, part.length / 2), part.slice(part.length / 2)]
    // The later ones first: an earlier one was survived longer.
    for (const half of [late, early]) if (await attempt(inOrder(half, others))) return neededOf(half, others)
    // Many that do it together only are often one failure that lasts or comes again.
    if (++splits === 2 && best.scenario.faults.length > MANY) whole = await replaceAll(best, profile, fails)
    const own = await neededOf(late, [...early, ...others])
    return [...(await neededOf(early, [...own, ...others])), ...own]
  }
  await neededOf(all, [])
  return whole ?? best
}

/** One fault instead of several: an outage, alone or in the market of the others, a longer one, or each few requests fail. */
async function replaceAll({ scenario }: Failure, profile: Profile, fails: Fails): Promise<Failure | undefined> {
  // An outage may be longer than a loop.
  const once = withoutLoop(scenario)
  const { faults } = once
  const { endpoints } = profile
  const moves = faults.filter(one => familyOf(one) === 'move')
  const error = { fault: 'reply/status' }
  const outage = { ...error, ...timesOf(faults, profile) }
  const longer = { ...error, ...windowOf(profile, 0.1, 0.65) }
  // Without the pause that a 503 asks for.
  const some = { ...error, ...unionOf(faults, 'endpoints'), options: { status: 500 } }
  const isOfRequests = faults.every(({ fault }) => stageOf({ name: fault }) !== 'market')
  const attempts: HuntFault[][] = [
    [outage],
    ...(moves.length > 0 ? [[...moves, outage]] : []),
    [longer],
    // One beside the main endpoint may stop that as well.
    ...endpoints.slice(1).map(({ endpoint }) => [{ ...longer, endpoints: [endpoint] }]),
    ...(isOfRequests ? [5, 3, 2].map(every => [{ ...some, requests: { every } }]) : []),
  ]
  for (const attempt of attempts) {
    const failed = attempt.length < faults.length && (await fails(withFaults(once, attempt)))
    if (failed) return failed
  }
  return undefined
}

/** How one of several faults is tried alone: to the end of the run, from its start, and everywhere. */
const WAYS = ['late', 'whole', 'everywhere'] as const

/** The last attempt at one fault: another one instead of all, then each of several alone. */
export async function lengthen(
  { scenario, run }: Failure,
  profile: Profile,
  fails: Fails,
  ways: readonly (typeof WAYS)[number][] = WAYS,
): Promise<Failure> {
  if (scenario.faults.length < 2) return { scenario, run }
  const one = await replaceAll({ scenario, run }, profile, fails)
  if (one !== undefined) return one
  // The choice of `chance` depends on the place of a fault in the list.
  for (const way of ways)
    for (const { from, for: _, repeat, requests, chance, ...fault } of scenario.faults) {
      const { endpoints, feeds, ...bare } = fault
      const longer = {
        late: from === undefined ? fault : { ...fault, from },
        whole: fault,
        everywhere: PRICED.test(fault.fault) && feeds ? { ...bare, feeds } : bare,
      }
      const failed = await fails(withFaults(scenario, [longer[way]]))
      if (failed !== undefined) return failed
    }
  const late = ofLastRequests({ scenario, run }, profile)
  const isFewer = late.length > 0 && late.length < scenario.faults.length
  // A fault that begins after its loop could not begin again.
  return (isFewer ? await fails(withFaults(withoutLoop(scenario), late)) : undefined) ?? { scenario, run }
}

/**
 * The faults of the requests just before a failure, from then on. Those before may have been needed only since each fault less shifts the
 * requests by whose numbers the last ones are chosen.
 */
function ofLastRequests({ scenario, run }: Failure, { endpoints }: Profile): HuntFault[] {
  const hits = run.requests.filter(({ faults }) => faults.length > 0)
  const last = hits.at(-1)?.at ?? 0
  const late = hits.filter(({ at }) => at > last - 1000 * Math.min(...endpoints.map(({ interval }) => interval)))
  const { loop } = scenario
  const from = Math.floor((late[0]?.at ?? 0) / 1000)
  return scenario.faults
    .filter(one => late.some(hit => hit.faults.includes(one.fault) && one.endpoints?.includes(hit.endpoint!) !== false))
    .map(({ requests, chance, ...fault }) => {
      const { for: _, repeat, ...always } = fault
      const longer = loop === undefined ? fault : always
      return (requests ?? chance ?? loop) === undefined || from === 0 ? fault : { ...longer, from: toDuration(from) }
    })
}

/** A selector for all that the faults select, if each of them selects some. */
function unionOf(faults: readonly HuntFault[], name: 'feeds' | 'endpoints'): Pick<HuntFault, 'feeds' | 'endpoints'> {
  const all = faults.map(fault => fault[name])
  return all.every(list => list !== undefined) ? { [name]: [...new Set(all.flat())] } : {}
}

/** The time of faults that have windows, from the first to the end of the last; otherwise a part of the run, with calm around it. */
function timesOf(faults: readonly HuntFault[], profile: Profile): Pick<HuntFault, 'from' | 'for'> {
  const windows = faults.filter(one => one.for !== undefined && one.repeat === undefined)
  const from = Math.min(...windows.map(one => secondsOf(one.from)))
  const until = Math.max(...windows.map(endOf))
  return until - from >= profile.seconds * 0.2
    ? { ...(from > 0 && { from: toDuration(from) }), for: toDuration(until - from) }
    : windowOf(profile, 0.25, 0.4)
}

/** Makes the faults of a scenario plainer and narrower, one after the other; then fewer, without a loop and a clock of its own. */
export async function simplify(failure: Failure, profile: Profile, fails: Fails): Promise<Failure> {
  let best = failure
  for (let i = 0; i < failure.scenario.faults.length; i++) best = await simplifyFault(best, i, profile, fails)
  const { faults, clock, loop } = best.scenario
  if (faults.length > 1)
    for (const attempt of fewerThan(faults)) {
      const failed = await fails(withFaults(best.scenario, attempt))
      if (failed !== undefined) return simplify(failed, profile, fails)
    }
  if (loop !== undefined) {
    const once = withoutLoop(best.scenario)
    const always = withFaults(
      once,
      once.faults.map(({ requests, from, for: _, repeat, ...fault }) => fault),
    )
    best = (await fails(once)) ?? (await fails(always)) ?? best
  }
  const { clock: _, ...today } = best.scenario
  return (clock === undefined ? undefined : await fails(today)) ?? best
}

/** Changes a fault, unless the change is undefined. Returns whether the scenario still fails with it. */
type Attempt = (change: (fault: HuntFault) => HuntFault | undefined) => Promise<boolean>

/** Makes one fault plainer and narrower. */
async function simplifyFault(failure: Failure, i: number, profile: Profile, fails: Fails): Promise<Failure> {
  let best = failure
  const present = (): HuntFault => best.scenario.faults[i]!
  const attempt: Attempt = async change => {
    const now = present()
    const changed = change(now)
    if (changed === undefined) return false
    // It is so already, and fails.
    if (JSON.stringify(changed) === JSON.stringify(now)) return true
    const failed = await fails(withFaults(best.scenario, best.scenario.faults.with(i, changed)))
    best = failed ?? best
    return failed !== undefined
  }
  const { clock, ...today } = failure.scenario
  const original = present()
  // A closed market is the cause only if a stale price of today is none.
  if (clock !== undefined && original.fault === 'market/closed') {
    const [[stale]] = plainerThan(original) as [[HuntFault]]
    best = (await fails(withFaults(today, today.faults.with(i, replaced(original, stale))))) ?? best
  } else
    for (const plainer of plainerThan(original)) {
      let isWhole = true
      for (const one of plainer) isWhole = isWhole && (await attempt(fault => replaced(fault, one)))
      if (isWhole) break
      best = failure
    }
  if (best === failure) await attempt(fault => outageWhileQuiet(fault, best.run, profile))
  if (!(await attempt(({ options, ...fault }) => (hasDefaults(fault.fault) ? fault : undefined))))
    for (const name of Object.keys(present().options ?? {})) await attempt(fault => without(fault, name))
  await attempt(({ chance, ...fault }) => fault)
  // A window is met or missed by the speed of a machine.
  if (!(await attempt(({ from, for: _, repeat, ...fault }) => fault)))
    await attempt(({ for: _, repeat, ...fault }) => fault)
  await narrow(attempt, present, profile)
  return best
}

/** A fault without one of its options, if it has others and does not need it. */
function without({ options = {}, ...fault }: HuntFault, name: string): HuntFault | undefined {
  const { [name]: _, ...others } = options
  return Object.keys(others).length > 0 && takes(fault.fault, others) ? { ...fault, options: others } : undefined
}

/**
 * An outage as long as a consumer kept quiet after a refused key or a pause that it was asked for: if it does the same, the mistake is
 * about what was missed meanwhile.
 */
function outageWhileQuiet(fault: HuntFault, { requests }: HuntRun, { endpoints }: Profile): HuntFault | undefined {
  const isQuiet = /^(key|limit)$/.test(familyOf(fault)) || fault.options?.retryAfter !== undefined
  if (fault.fault !== 'reply/status' || !isQuiet) return undefined
  const hit = requests.find(one => one.faults.includes(fault.fault))
  const next = hit && requests.find(one => one.at > hit.at && one.endpoint === hit.endpoint)
  const use = endpoints.find(one => one.endpoint === hit?.endpoint)
  if (next === undefined || use === undefined || next.at - hit!.at < 2000 * use.interval) return undefined
  const { endpoints: own, feeds } = fault
  const times = { from: toDuration(hit!.at / 1000), for: toDuration((next.at - hit!.at) / 1000) }
  const places = { ...(own && { endpoints: own }), ...(feeds && { feeds }) }
  return { fault: fault.fault, ...places, ...times, options: { status: 500 } }
}

/** Fewer faults than several that were made plainer: those of one kind as one, everywhere if need be, or any one less. */
function fewerThan(faults: readonly HuntFault[]): readonly (readonly HuntFault[])[] {
  const [{ fault, options }] = faults as [HuntFault]
  const areEqual = faults.every(one => JSON.stringify(one.options) === JSON.stringify(options))
  const one = { fault, ...unionOf(faults, 'endpoints'), ...unionOf(faults, 'feeds') }
  const asOne = [
    ...(areEqual ? [{ ...one, ...(options && { options }) }] : []),
    ...(hasDefaults(fault) ? [{ fault }] : []),
  ]
  return [
    ...(faults.every(other => other.fault === fault) ? asOne.map(all => [all]) : []),
    ...faults.map((_, i) => faults.toSpliced(i, 1)),
  ]
}

/** Whether a fault takes some options. */
function takes(name: string, options: object): boolean {
  const fault = FAULTS.find(one => one.name === name)
  return fault !== undefined && read(fault.options, options).problems === undefined
}

/** Whether a fault needs no options. */
const hasDefaults = (name: string): boolean => takes(name, {})

/** Feeds of a fault that are tried alone. */
const MAX_NARROWED = 4

/** One endpoint, one feed, one request. */
async function narrow(attempt: Attempt, present: () => HuntFault, profile: Profile): Promise<void> {
  const stage = stageOf({ name: present().fault })
  const isOfRequests = stage !== 'market'
  const places = present().endpoints ?? profile.endpoints.map(({ endpoint }) => endpoint)
  if (isOfRequests && stage !== 'series' && places.length > 1)
    for (const endpoint of places) if (await attempt(fault => ({ ...fault, endpoints: [endpoint] }))) break
  const feeds = present().feeds ?? profile.feeds.slice(0, 2)
  if (feeds.length > 1 && feeds.length <= MAX_NARROWED && !isOfReply(stage))
    for (const feed of feeds) if (await attempt(fault => ({ ...fault, feeds: [feed] }))) break
  // Requests are counted from the start of the window.
  const isFirst = isOfRequests && (await attempt(fault => ({ ...fault, requests: { first: 1 } })))
  if (!isFirst)
    await attempt(fault =>
      typeof fault.requests === 'string' ? { ...fault, requests: fault.requests.replace(/[-,].*/, '') } : undefined,
    )
}

const isOfReply = (stage: string): boolean => stage === 'reply' || stage === 'wire'

/** Another fault at the same place and time, with the selectors that it takes. */
function replaced({ fault, options: _, alone: __, ...selectors }: HuntFault, by: HuntFault): HuntFault {
  const [was, is] = [stageOf({ name: fault }), stageOf({ name: by.fault })]
  const { endpoints, requests, chance, feeds, ...times } = selectors
  // The name comes first, as in other faults: the same scenario is not run again.
  const name = { fault: by.fault }
  if (is === was) return { ...name, ...selectors, ...by }
  if (is === 'market') return { ...name, ...times, ...(feeds && { feeds }), ...by }
  const { feeds: ___, ...others } = selectors
  const own = was === 'series' ? { endpoints: ['candles'] } : {}
  return { ...name, ...(isOfReply(is) ? others : selectors), ...own, ...by }
}
