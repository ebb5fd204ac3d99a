// GET /_mock/explain?url=…: how a request would be answered next, stage by stage. Nothing is counted and nothing changes.
import * as z from 'zod/mini'
import { PriceFeedMockError } from '../errors.js'
import { type Outcome, toPairs } from '../outcome.js'
import { explain as explainRequest } from '../service/explain.js'
import { defineAdminRoute } from './admin-route.js'

/** A price of 10^expo; `price` is text so that every integer is exact. */
const tickSchema = z.object({ feedId: z.string(), price: z.string(), expo: z.int(), ts: z.int() })

const WANT_URL = 'a URL or a path of one of the five endpoints, such as /prices/BTCUSD/latest'

/** Bodies are shown so far. */
const SHOWN_CHARACTERS = 2000

/** The admin route `/_mock/explain`. Without `key` it asks with the key of the request itself, or with the first key of the session. */
export const explain = defineAdminRoute({
  name: 'explain',
  summary: 'How a request would be answered next, stage by stage: ?url= and, if need be, &key=',
  path: '/_mock/explain',
  query: z.strictObject({
    url: z.string({ error: WANT_URL }).check(z.minLength(1, { error: WANT_URL })),
    key: z.optional(z.string()),
  }),
  example: '?url=/prices/BTCUSD/latest',
  reply: z.object({
    session: z.string(),
    seed: z.string(),
    scenario: z.string(),
    endpoint: z.string(),
    /** The number that the request would have among those of its endpoint. */
    ordinal: z.int(),
    now: z.int(),
    key: z.enum(['accepted', 'refused', 'missing']),
    /** Ticks as the market has them, and as they are answered. */
    ticks: z.array(z.object({ before: tickSchema, after: tickSchema })),
    signatures: z.array(
      z.object({
        layout: z.string(),
        /** Address of the session's signer; a fault may have signed by another. */
        signer: z.string(),
        shown: z.array(tickSchema),
        covered: z.array(tickSchema),
        bytes: z.string(),
        digest: z.string(),
        signature: z.string(),
        recoveryId: z.int(),
      }),
    ),
    faults: z.array(
      z.object({ fault: z.string(), planned: z.string(), applied: z.boolean(), reason: z.optional(z.string()) }),
    ),
    outcome: z.object({
      kind: z.enum(['reply', 'reset', 'truncate', 'timeout', 'dribble']),
      delayMs: z.number(),
      status: z.optional(z.int()),
      headers: z.optional(z.record(z.string(), z.string())),
      body: z.optional(z.string()),
    }),
  }),
  answer({ sessions, receivedAt, authorization }, { query: { url, key } }) {
    const target = url.startsWith('/') || /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `/${url}`
    const routed = sessions.preview({ method: 'GET', target, authorization: key ?? authorization, receivedAt })
    const { session, request } = routed
    const { settings, signer, scenario } = session.context
    const sent = key ?? authorization ?? settings.apiKeys[0]
    const explained = explainRequest(session, { ...request, authorization: sent })
    if (explained === undefined)
      throw new PriceFeedMockError('REQUEST_INVALID', 'The query has 1 problem.', {
        problems: [{ at: 'url', got: url, want: WANT_URL }],
      })
    const { ticks, signatures, faults, outcome, ...rest } = explained
    return {
      session: session.id,
      seed: settings.seed,
      scenario: scenario.definition.name,
      ...rest,
      ticks: [...ticks],
      signatures: signatures.map(({ shown, covered, ...signature }) => ({
        ...signature,
        signer: signer.address,
        shown: [...shown],
        covered: [...covered],
      })),
      faults: [...faults],
      outcome: toPlain(outcome),
    }
  },
})

function toPlain(outcome: Outcome) {
  const { kind, delayMs } = outcome
  if (!('status' in outcome)) return { kind, delayMs }
  const { status, headers, body } = outcome
  const more = body.length - SHOWN_CHARACTERS
  const shown = more > 0 ? `${body.slice(0, SHOWN_CHARACTERS)}… ${more} more` : body
  return { kind, delayMs, status, headers: Object.fromEntries(toPairs(headers)), body: shown }
}
