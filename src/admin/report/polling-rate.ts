// polling-rate.<endpoint>: how often an endpoint is asked. Information only: no rate is right for every service.
import { countOf } from '../../errors.js'
import { type AskedRequest, type Check, formatMs, median, notSeen } from './check.js'

/** How often an endpoint is asked. */
export interface Polling {
  readonly requests: number
  /** By the first and the last request; null for fewer than two, or if no time has passed. */
  readonly perMinute: number | null
  readonly perVirtualMinute: number | null
  /** Median real and virtual milliseconds between two requests that ask the same; null if none was repeated. */
  readonly medianMs: number | null
  readonly medianVirtualMs: number | null
}

/** Measures how often an endpoint is asked. */
export function measurePolling(
  endpoint: string,
  requests: readonly AskedRequest[],
  groups: readonly (readonly AskedRequest[])[],
): Polling {
  const own = requests.filter(request => request.endpoint === endpoint)
  const repeated = groups.filter(([first]) => first!.endpoint === endpoint)
  const medianOf = (time: (request: AskedRequest) => number): number | null =>
    median(repeated.flatMap(group => group.slice(1).map((next, i) => time(next) - time(group[i]!)))) ?? null
  return {
    requests: own.length,
    perMinute: perMinute(own.map(realMs)),
    perVirtualMinute: perMinute(own.map(virtualMs)),
    medianMs: medianOf(realMs),
    medianVirtualMs: medianOf(virtualMs),
  }
}

const realMs = ({ receivedAt }: AskedRequest): number => receivedAt
const virtualMs = ({ now }: AskedRequest): number => now * 1000

function perMinute(times: readonly number[]): number | null {
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0)
  if (span <= 0) return null
  const rate = ((times.length - 1) / span) * 60_000
  return rate < 100 ? Math.round(rate * 10) / 10 : Math.round(rate)
}

/** Creates the check of one endpoint. */
export const pollingRate = (endpoint: string): Check => ({
  id: `polling-rate.${endpoint}`,
  title: `Polling rate of ${endpoint}`,
  find({ requests, groups }) {
    const own = requests.filter(request => request.endpoint === endpoint)
    if (own.length === 0) return notSeen(`${endpoint} was not asked.`)
    const { perMinute, perVirtualMinute, medianMs, medianVirtualMs } = measurePolling(endpoint, requests, groups)
    const span = own.at(-1)!.receivedAt - own[0]!.receivedAt
    const rate = perMinute === null ? '' : ` in ${formatMs(span)}: ${perMinute} a minute of real time`
    const virtual =
      perVirtualMinute === null || medianVirtualMs === null || medianMs === null || isAlike(medianVirtualMs, medianMs)
        ? ''
        : ` In virtual time: ${perVirtualMinute} a minute, the same again after ${formatMs(medianVirtualMs)}.`
    const interval =
      medianMs === null
        ? ' Nothing was asked twice.'
        : ` The same was asked again after ${formatMs(medianMs)} (median).`
    const text = `${countOf(own.length, 'request')}${rate}.${interval}${virtual}`
    return { status: 'info', text, shownBy: own.map(({ n }) => n) }
  },
})

/** Whether a virtual distance is the real one, up to its whole seconds. */
const isAlike = (virtualMs: number, realMs: number): boolean => Math.abs(virtualMs - realMs) <= 1000
