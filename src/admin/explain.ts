// GET /_mock/explain?url=…: the reply that a request would get next, stage by stage. Counts and changes nothing.
import * as z from 'zod/mini'
import { type Outcome, toPairs } from '../outcome.js'
import { type Explanation, explain as explainRequest, type Moment, momentBefore, momentOf } from '../service/explain.js'
import type { RunInTurns } from '../service/market-stage.js'
import { GOT } from '../service/received.js'
import type { ServiceRequest } from '../service/request.js'
import type { Runtime } from '../service/runtime.js'
import { documented } from '../settings/schema.js'
import { defineAdminRoute } from './admin-route.js'
import { snapshotAt } from './past-runtime.js'
import { invalidQuery, second } from './query.js'

const tickSchema = documented(
  z.object({
    feedId: z.string(),
    price: documented(z.string(), 'Integer in units of 10^expo; a string, so that every integer is exact.'),
    expo: z.int32(),
    ts: documented(z.int(), 'Seconds since the epoch.'),
  }),
  'One price of a feed.',
  'Tick',
)

const WANT_URL = 'a URL or a path of one of the five endpoints, such as /prices/BTCUSD/latest'

/** Longer bodies and messages are truncated, unless the caller asks for the whole body. */
export const MAX_BODY_CHARACTERS = 2000
const AT_MOST = `at most ${MAX_BODY_CHARACTERS} characters of it unless the whole is asked for`

/** An explanation as JSON. */
export const explanationSchema = documented(
  z.object({
    session: z.string(),
    seed: z.string(),
    scenario: z.string(),
    endpoint: z.string(),
    ordinal: documented(z.int(), 'Number of the request among the requests of its endpoint.'),
    now: documented(z.int(), 'Virtual time in seconds since the epoch.'),
    key: z.enum(['accepted', 'refused', 'missing']),
    ticks: documented(
      z.array(z.object({ before: tickSchema, after: tickSchema })),
      'Each tick of the market, before and after the tick faults.',
    ),
    signatures: z.array(
      z.object({
        layout: z.string(),
        signer: documented(z.string(), "Address of the session's signer; a fault may sign with another key."),
        shown: documented(z.array(tickSchema), 'Prices in the reply.'),
        covered: documented(z.array(tickSchema), 'Prices in the signed message.'),
        bytes: documented(z.string(), `The signed message in hex, ${AT_MOST}.`),
        digest: documented(z.string(), 'Its hash in hex.'),
        signature: z.string(),
        recoveryId: z.int32(),
      }),
    ),
    faults: z.array(
      z.object({
        fault: z.string(),
        planned: documented(z.string(), 'When and where the scenario applies it.'),
        applied: z.boolean(),
        reason: documented(z.optional(z.string()), 'Why it is not applied.'),
      }),
    ),
    got: documented(z.enum(GOT), 'What a consumer gets with it.'),
    why: documented(z.optional(z.string()), 'The reason, unless it is `fresh`.'),
    outcome: z.object({
      kind: z.enum(['reply', 'reset', 'truncate', 'timeout', 'dribble']),
      delayMs: documented(z.number(), 'Delay of the reply in milliseconds.'),
      status: z.optional(z.int()),
      headers: z.optional(z.record(z.string(), z.string())),
      body: documented(z.optional(z.string()), `The body, ${AT_MOST}.`),
    }),
  }),
  'How a request is answered, stage by stage.',
  'Explanation',
)

/** GET /_mock/explain */
export const explain = defineAdminRoute({
  name: 'explain',
  summary: 'Explain the next reply to a request, stage by stage: ?url= and optionally &key=',
  path: '/_mock/explain',
  query: z.strictObject({
    url: documented(
      z.string({ error: WANT_URL }).check(z.minLength(1, { error: WANT_URL })),
      'URL or path of one of the five endpoints, with its query.',
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
  async answer({ sessions, receivedAt, authorization, run }, { query: { url, key, at, body } }) {
    const target = url.startsWith('/') || /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `/${url}`
    const given = { method: 'GET', target, authorization: key ?? authorization, receivedAt }
    const session = await sessions.preview(given)
    const asked = { ...given, authorization: given.authorization ?? session.runtime.settings.apiKeys[0] }
    const then = at === undefined ? undefined : snapshotAt(session, at, Math.floor(session.nowMs(receivedAt) / 1000))
    const moment = then === undefined ? momentOf(session, at) : momentBefore(session, then, at)
    const explained = await explainAt(moment, asked, run)
    if (explained === undefined) throw invalidQuery({ at: 'url', got: url, want: WANT_URL })
    return toPlainExplanation(
      moment.runtime,
      explained,
      body === 'whole' ? Number.POSITIVE_INFINITY : MAX_BODY_CHARACTERS,
    )
  },
})

/** Explains a request. It changes nothing, so the requests of the session do not wait for it, but for its look-ups others do not wait. */
export function explainAt(moment: Moment, request: ServiceRequest, run: RunInTurns) {
  const { runtime, counters } = moment
  return run(
    request,
    () => runtime.shared.respond.lookUps(runtime, counters, request, {}),
    made => explainRequest(moment, request, made),
  )
}

/** An explanation as JSON, with texts of at most `most` characters. */
export function toPlainExplanation(
  { id, settings, signer, scenario }: Runtime,
  { ticks, signatures, faults, outcome, received: { got, why }, ...rest }: Explanation,
  most: number,
): z.output<typeof explanationSchema> {
  return {
    session: id,
    seed: settings.seed,
    scenario: scenario.definition.name,
    ...rest,
    ticks: [...ticks],
    signatures: signatures.map(({ shown, covered, ...signature }) => ({
      ...signature,
      bytes: truncate(signature.bytes, most),
      signer: signer.address,
      shown: [...shown],
      covered: [...covered],
    })),
    faults: [...faults],
    got,
    ...(why === undefined ? {} : { why }),
    outcome: toPlain(outcome, most),
  }
}

function toPlain(outcome: Outcome, maxCharacters: number) {
  const { kind, delayMs } = outcome
  if (!('status' in outcome)) return { kind, delayMs }
  const { status, headers, body } = outcome
  return { kind, delayMs, status, headers: Object.fromEntries(toPairs(headers)), body: truncate(body, maxCharacters) }
}

function truncate(text: string, maxCharacters: number): string {
  const more = text.length - maxCharacters
  return more > 0 ? `${text.slice(0, maxCharacters)}… ${more} more` : text
}
