// polling-rate.<endpoint>: how often an endpoint is asked. Information only: no rate is right for every service.
import * as z from 'zod/mini'
import { countOf } from '../../errors.js'
import { documented } from '../../settings/schema.js'
import { type AskedRequest, type Check, finding, formatMs, median } from './check.js'

const rate = () => z.nullable(z.number())

/** How often an endpoint is asked. */
export const pollingSchema = z.object({
  endpoint: z.string(),
  requests: z.int(),
  perMinute: documented(rate(), 'Requests in a minute of real time; null for fewer than two.'),
  perVirtualMinute: documented(rate(), 'The same in virtual time; null while the clock stands still.'),
  medianMs: documented(rate(), 'Median real milliseconds between two requests with the same parameters.'),
  medianVirtualMs: documented(rate(), 'The same in virtual milliseconds, in whole seconds.'),
})

/** Measures how often an endpoint is asked. */
export function measurePolling(
  endpoint: string,
  requests: readonly AskedRequest[],
  groups: readonly (readonly AskedRequest[])[],
): z.output<typeof pollingSchema> {
  const own = requests.filter(request => request.endpoint === endpoint)
  const repeated = groups.filter(([first]) => first!.endpoint === endpoint)
  const medianOf = (time: (request: AskedRequest) => number): number | null =>
    median(repeated.flatMap(group => group.slice(1).map((next, i) => time(next) - time(group[i]!)))) ?? null
  return {
    endpoint,
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
    if (own.length === 0) return finding('not-seen', `${endpoint} was not asked.`)
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
    return finding('info', `${countOf(own.length, 'request')}${rate}.${interval}${virtual}`, own)
  },
})

/** Whether a virtual distance is the real one, up to its whole seconds. */
const isAlike = (virtualMs: number, realMs: number): boolean => Math.abs(virtualMs - realMs) <= 1000
