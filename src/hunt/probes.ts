// The faults that a hunt tries: all that can act on an endpoint of the consumer, each with several values.
import { canActOn, type Fault, stageOf } from '../faults/fault.js'
import type { Profile } from './profile.js'
import type { HuntFault } from './types.js'
import { valuesOf } from './values.js'

/** A fault with options, and the endpoints to try it on. */
export interface Probe {
  readonly fault: Fault
  readonly options: HuntFault['options']
  /** Endpoints of the consumer on which the fault can act. */
  readonly endpoints: readonly string[]
  /** Feeds that its options are for; undefined for any. */
  readonly feeds?: readonly string[]
  /** Its number among the values of its fault for these endpoints, from 0. */
  readonly round: number
}

/** The names of the faults that a consumer can never meet. */
export const leftOutOf = (faults: readonly Fault[], profile: Profile): string[] =>
  faults.filter(fault => endpointsOf(fault, profile).length === 0).map(({ name }) => name)

/**
 * All probes, those of the first values first.
 * @param frequent endpoints that are tried together; any other has probes of its own
 */
export function probesOf(faults: readonly Fault[], profile: Profile, frequent: readonly string[]): Probe[] {
  const probes = faults.flatMap(fault => {
    const endpoints = endpointsOf(fault, profile)
    const together = endpoints.filter(one => frequent.includes(one))
    const groups = [together, ...endpoints.filter(one => !frequent.includes(one)).map(one => [one])]
    const chosen = stageOf(fault) === 'market' ? [endpoints] : groups
    const values = valuesOf(fault, profile)
    return chosen.flatMap(group => {
      const own = values.map(
        ({ endpoints: only = group, ...rest }) => [group.filter(one => only.includes(one)), rest] as const,
      )
      return own
        .filter(([endpoints]) => endpoints.length > 0)
        .map(([endpoints, { feeds, ...options }], round) => ({
          fault,
          options,
          endpoints,
          round,
          ...(feeds === undefined ? {} : { feeds }),
        }))
    })
  })
  return probes.sort((a, b) => a.round - b.round)
}

function endpointsOf(fault: Fault, { endpoints }: Profile): string[] {
  const isOfOrder = fault.name.startsWith('signature/batch-')
  return endpoints
    .filter(({ endpoint, feeds }) => canActOn(fault, endpoint) && (!isOfOrder || feeds.length > 1))
    .map(({ endpoint }) => endpoint)
}

/** Whether it may last: an outage, or a fault of the market. Others concern single replies. */
export const isLasting = ({ fault }: Probe): boolean =>
  /^(market|wire)$/.test(stageOf(fault)) || /^reply\/(status|latency|rate-limit)$/.test(fault.name)

/** Whether a consumer rightly keeps quiet for a while after it. */
export const isFollowedByQuiet = ({ fault, options }: Probe): boolean =>
  fault.name === 'reply/rate-limit' || options?.retryAfter !== undefined || /^4(01|29)$/.test(String(options?.status))

/** The fault of a scenario for a probe. Selectors that its stage does not take are left out. */
export function toFault({ fault, options, feeds }: Probe, selectors: Omit<HuntFault, 'fault' | 'options'>): HuntFault {
  const { requests, endpoints, ...others } = selectors
  const stage = stageOf(fault)
  return {
    fault: fault.name,
    ...others,
    ...(feeds === undefined ? {} : { feeds }),
    ...(endpoints === undefined || stage === 'market' || stage === 'series' ? {} : { endpoints }),
    ...(requests === undefined || stage === 'market' ? {} : { requests }),
    ...(options === undefined || Object.keys(options).length === 0 ? {} : { options }),
  }
}
