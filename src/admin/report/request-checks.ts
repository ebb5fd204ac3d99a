// Checks of requests and of faults: key-form, unknown-feeds, faults-fired and polling-rate.<endpoint>, which is information only: no
// rate is right for every service.
import * as z from 'zod/mini'
import { countOf, nearest, shorten } from '../../errors.js'
import type { ActiveFault } from '../../scenario/scenario.js'
import { NO_COUNT } from '../../service/apply-faults.js'
import { KEY_PROBLEMS, type KeyProblem } from '../../service/key-problem.js'
import { documented } from '../../settings/schema.js'
import { type AskedRequest, type Check, finding, formatMs, median } from './check.js'

const DESCRIPTIONS: Readonly<Record<KeyProblem, string>> = {
  query: 'in the query instead of the header',
  missing: 'without a key in the header Authorization',
  several: 'with several values in the header',
  scheme: 'after a scheme such as Bearer',
  quotes: 'in quotes or brackets',
  case: 'in another case',
  unknown: 'a key that the mock does not accept',
}

/** How the API key was sent wrongly. Its place is the header Authorization, whose value is the key alone. */
export const keyForm: Check = {
  id: 'key-form',
  title: 'The API key is sent bare in Authorization',
  find({ requests }) {
    const wrong = requests.filter(({ keyProblem }) => keyProblem !== undefined)
    const keyed = requests.filter(({ apiKey }) => apiKey)
    if (wrong.length === 0)
      return keyed.length === 0
        ? finding('not-seen', 'No request needed a key.')
        : finding('ok', `${countOf(keyed.length, 'request')} sent an accepted key.`, keyed)
    const forms = KEY_PROBLEMS.flatMap(problem => {
      const count = wrong.filter(({ keyProblem }) => keyProblem === problem).length
      return count === 0 ? [] : `${count} ${DESCRIPTIONS[problem]}`
    })
    const text = `${countOf(wrong.length, 'request')} sent the key wrongly: ${forms.join('; ')}. The value of Authorization is the key itself.`
    return finding('failed', text, wrong)
  },
}

/** Number of ids in the text, and characters of each. */
const MAX_IDS = 10
const MAX_LENGTH = 40

/** The ids that were asked for and that no feed has. They can be overlooked for long: some replies leave such a feed out. */
export const unknownFeeds: Check = {
  id: 'unknown-feeds',
  title: 'Feeds that were asked for exist',
  find({ requests, session: { runtime } }) {
    const { feeds, feed } = runtime.market
    const unknown = new Set<string>()
    const shownBy = requests.filter(request => {
      const ids = idsOf(request).filter(id => feed(id) === undefined)
      for (const id of ids) unknown.add(id)
      return ids.length > 0
    })
    if (requests.every(request => idsOf(request).length === 0)) return finding('not-seen', 'No feed was asked for.')
    if (shownBy.length === 0) return finding('ok', 'Every feed that was asked for exists.')
    const known = feeds.map(({ id }) => id)
    const list = [...unknown].slice(0, MAX_IDS).map(id => {
      const closest = nearest(id, known)
      const short = shorten(id, MAX_LENGTH)
      return closest === undefined ? `"${short}"` : `"${short}" (nearest: ${closest})`
    })
    const more = unknown.size > MAX_IDS ? ` and ${unknown.size - MAX_IDS} more` : ''
    const text = `${countOf(shownBy.length, 'request')} asked for ${countOf(unknown.size, 'feed')} that ${unknown.size === 1 ? 'does' : 'do'} not exist: ${list.join(', ')}${more}.`
    return finding('failed', text, shownBy)
  },
}

function idsOf({ feedParameters, targetLength }: AskedRequest): string[] {
  const ids = feedParameters.flatMap(value => value.split(','))
  // The last id of a truncated target may be incomplete.
  return (targetLength === undefined ? ids : ids.slice(0, -1)).filter(id => id !== '')
}

const MAX_FAULTS = 5

/** The faults of the scenario that no reply has shown since it was applied. No mistake of the consumer: its test may be short. */
export const faultsFired: Check = {
  id: 'faults-fired',
  title: 'Faults of the scenario that fired',
  find({ requests, session: { runtime, record }, now }) {
    const { faults, definition, appliedAt } = runtime.scenario
    if (faults.length === 0) return finding('not-seen', 'The scenario has no faults.')
    const silent = faults.filter(({ index }) => (record.counters.faults[index] ?? NO_COUNT).hits === 0)
    const scenario = definition.name === 'inline' ? 'the scenario' : definition.name
    const shownBy = requests.filter(request => request.faults.length > 0)
    const fired = `${faults.length - silent.length} of ${countOf(faults.length, 'fault')} of ${scenario} fired`
    if (silent.length === 0) return finding('ok', `${fired}.`, shownBy)
    const some = silent.slice(0, MAX_FAULTS).map(fault => `${fault.fault.name} (${fault.planned}; ${reasonOf(fault)})`)
    const more = silent.length > MAX_FAULTS ? `, and ${silent.length - MAX_FAULTS} more` : ''
    const text = `${fired}. Not yet: ${some.join(', ')}${more}.`
    return silent.length === faults.length ? finding('not-seen', text) : finding('info', text, shownBy)

    function reasonOf({ index, windows }: ActiveFault): string {
      if (windows.first(appliedAt, now) === undefined) return 'not begun'
      const { misses, lastMiss } = record.counters.faults[index] ?? NO_COUNT
      return misses === 0 ? 'no endpoint that it acts on was asked' : `last miss: ${lastMiss}`
    }
  },
}

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
  const medianOf = (time: (request: AskedRequest) => number): number | null => {
    const distances = repeated.flatMap(group => group.slice(1).map((next, i) => time(next) - time(group[i]!)))
    // A clock that was set back shows no pace.
    return median(distances.filter(ms => ms >= 0)) ?? null
  }
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
    // A virtual distance is known up to its whole seconds.
    const isAlike = medianVirtualMs === null || medianMs === null || Math.abs(medianVirtualMs - medianMs) <= 1000
    const virtual =
      perVirtualMinute === null || isAlike
        ? ''
        : ` In virtual time: ${perVirtualMinute} a minute, the same again after ${formatMs(medianVirtualMs)}.`
    const interval =
      medianMs === null
        ? ' Nothing was asked twice.'
        : ` The same was asked again after ${formatMs(medianMs)} (median).`
    return finding('info', `${countOf(own.length, 'request')}${rate}.${interval}${virtual}`, own)
  },
})
