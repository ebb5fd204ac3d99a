// The order in which a hunt tries scenarios: packs of several kinds in turns with the built-in scenarios, and singles at the end.
import type { Fault } from '../faults/fault.js'
import { builtInTrials } from './courses.js'
import { createPacks, type Kind, OTHER_CLOCKS, type Pack } from './packs.js'
import type { Profile } from './profile.js'
import type { HuntRun, HuntScenario, Trial } from './types.js'

const TURNS = (
  'plain, requests, seldom, lasting, clock, course, feeds for long, beside, requests, seldom, course, ' +
  'lasting, one feed, course, course, seldom, course, down, clock, feed beside, requests, ' +
  'feeds for long, clock, seldom, lasting, requests, clock, course, seldom, plain, beside, requests, ' +
  'course, feeds for long, seldom, moving, lasting, course, down, lasting, one feed, clock, feed beside'
).split(', ') as Kind[]

/** Built-in scenarios that are tried in turns with packs. Those after them add few faults, so each waits for some packs. */
const [FIRST_BUILT_INS, LATER] = [10, 8]
/** Requests below which a run meets half of them at most: each becomes several, or has faults that no request is left for. */
const SHORT_RUN = 30

/**
 * Starts a search.
 * @param isExcluded whether a fault, or a built-in scenario, is left out from now on
 */
export function createSearch(
  faults: readonly Fault[],
  scenarios: Readonly<Record<string, HuntScenario>>,
  profile: Profile,
  seed: string,
  isExcluded: (name: string) => boolean,
) {
  const packs = createPacks(faults, profile, seed, isExcluded)
  /** The packs of trials, to try again what was not met. */
  const packOf = new Map<Trial, Pack>()
  const builtIn = builtInTrials(scenarios, faults, profile)
  const laterBuiltIns = builtIn.length - FIRST_BUILT_INS / (profile.requests.length < SHORT_RUN ? 2 : 1)
  let isBuiltInNext = false
  let turn = 0

  function nextPack(kinds: readonly Kind[]): Trial | undefined {
    for (let tries = 0; tries < kinds.length; tries++) {
      const kind = packs.isTroubleDue() ? 'in trouble' : kinds[turn++ % kinds.length]!
      const pack = packs.make(kind)
      if (pack === undefined) continue
      const trial = toTrial(kind, pack, isExcluded)
      packOf.set(trial, pack)
      return trial
    }
    return undefined
  }

  function nextBuiltIn(): Trial | undefined {
    for (;;) {
      const one = builtIn.shift()
      if (one === undefined) return undefined
      if (isExcluded(one.label) || (one.scenario.clock !== undefined && isExcluded(OTHER_CLOCKS))) continue
      const left = one.scenario.faults.filter(({ fault }) => !isExcluded(fault))
      if (left.length > 0) return { ...one, scenario: { ...one.scenario, faults: left } }
    }
  }

  return {
    /** Undefined once everything was tried. */
    next(): Trial | undefined {
      isBuiltInNext = !isBuiltInNext && (builtIn.length > laterBuiltIns || packs.made() % LATER === 0)
      const trial = isBuiltInNext ? (nextBuiltIn() ?? nextPack(TURNS)) : (nextPack(TURNS) ?? nextBuiltIn())
      return trial ?? nextPack(['single'])
    },
    /** Takes the result of a trial. */
    done(trial: Trial, run: HuntRun): void {
      packs.done(packOf.get(trial) ?? { placed: [] }, trial.scenario, run)
      packOf.delete(trial)
    },
  }
}

function toTrial(kind: Kind, { placed, under = [], at, like }: Pack, isExcluded: (name: string) => boolean): Trial {
  const faults = [...under.filter(({ fault }) => !isExcluded(fault)), ...placed.map(({ fault }) => fault)]
  const names = [...new Set(faults.map(({ fault }) => fault))]
  const clock = at === undefined ? {} : { clock: { at } }
  const scenario = { ...like, title: kind, why: 'A trial of a hunt.', ...clock, faults }
  return { label: `${kind}: ${names.join(', ')}`, scenario }
}
