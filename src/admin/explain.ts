// GET /_mock/explain?url=…: the reply that a request would get next, stage by stage. Counts and changes nothing.
import * as z from 'zod/mini'
import {
  explain as explainRequest,
  explanationSchema,
  type Moment,
  momentBefore,
  momentOf,
} from '../service/explain.js'
import type { RunInTurns } from '../service/market-stage.js'
import type { ServiceRequest } from '../service/request.js'
import { documented } from '../settings/schema.js'
import { type Addresses, defineAdminRoute, invalidQuery, second } from './admin-route.js'
import { snapshotAt } from './past-runtime.js'

const WANT_URL = 'a URL or a path of one of the five endpoints, such as /prices/BTCUSD/latest'

/** GET /_mock/explain */
export const explain = defineAdminRoute({
  name: 'explain',
  summary: 'Explain the next reply to a request, stage by stage: ?url= and optionally &key=',
  path: '/_mock/explain',
  query: z.strictObject({
    url: documented(
      z.string({ error: WANT_URL }).check(z.minLength(1, { error: WANT_URL })),
      'URL of one of the five endpoints, or its path below the base address, with its query.',
    ),
    key: documented(
      z.optional(z.string()),
      'API key. Default: the key of this request, or else the first key of the session.',
    ),
    at: documented(
      second(),
      'Second of the virtual time at which the request is answered. In the past with the scenario and the prices of then, and the counters with which they ended; otherwise with those of now. Default: now.',
    ),
    body: documented(z.optional(z.literal('whole')), 'Do not truncate the body and the signed messages.'),
  }),
  example: '?url=/prices/BTCUSD/latest',
  reply: explanationSchema,
  errors: ['SESSION_INVALID', 'SCENARIO_UNKNOWN'],
  async answer({ sessions, receivedAt, authorization, run, addresses }, { query: { url, key, at, body } }) {
    const path = belowBase(url, addresses)
    const target = path.startsWith('/') || /^[a-z][a-z0-9+.-]*:/i.test(path) ? path : `/${path}`
    const given = { method: 'GET', target, authorization: key ?? authorization, receivedAt }
    const session = await sessions.preview(given)
    const asked = { ...given, authorization: given.authorization ?? session.runtime.settings.apiKeys[0] }
    const then = at === undefined ? undefined : snapshotAt(session, at, Math.floor(session.nowMs(receivedAt) / 1000))
    const moment = then === undefined ? momentOf(session, at) : momentBefore(session, then, at)
    const explained = await explainAt(moment, asked, run, body)
    if (explained === undefined) throw invalidQuery({ at: 'url', got: url, want: WANT_URL })
    return explained
  },
})

/** A URL of the mock below its base address, which may have a path of its own. */
function belowBase(url: string, { baseUrl, historyUrl }: Addresses): string {
  const bases = [baseUrl, historyUrl].filter(base => url.startsWith(`${base}/`))
  return url.slice(Math.max(0, ...bases.map(({ length }) => length)))
}

/** Explains a request. It changes nothing, so the requests of the session do not wait for it, but for its look-ups others do not wait. */
export function explainAt(moment: Moment, request: ServiceRequest, run: RunInTurns, body?: 'whole') {
  const { runtime, counters } = moment
  return run(
    request,
    () => runtime.shared.respond.lookUps(runtime, counters, request, {}),
    made => explainRequest(moment, request, body, made),
  )
}
