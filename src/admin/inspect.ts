// GET /_mock/sessions/{id}/inspect: what a session runs, with the windows of its faults.
import * as z from 'zod/mini'
import { overriddenPath, overridesInForce } from '../market/overridden.js'
import { POWERS_OF_TEN } from '../market/pricing.js'
import type { ActiveFault } from '../scenario/scenario.js'
import type { Runtime } from '../service/runtime.js'
import { NO_COUNT, type State } from '../service/state.js'
import { documented } from '../settings/schema.js'
import { defineAdminRoute } from './admin-route.js'
import { invalidQuery, second } from './query.js'
import { toPresentCommand } from './reproduce-command.js'

/** Maximum number of windows of one fault in a reply, and of those that are looked through for it. */
const MAX_WINDOWS = 200
const MAX_SEEN = 5000
const WANT_BIN = 'a number of seconds from 1 to 99999999'
/** Seconds before and after the present that are shown by default. */
const HOUR = 3600

/** GET /_mock/sessions/{id}/inspect */
export const inspectSession = defineAdminRoute({
  name: 'inspectSession',
  summary: 'Show the scenario that a session runs and the windows of its faults',
  path: '/_mock/sessions/{id}/inspect',
  query: z.strictObject({
    from: documented(second(), 'Only windows that end after this second. Default: an hour ago.'),
    to: documented(second(), 'Only windows that start before this second. Default: in an hour.'),
    bin: documented(
      z.optional(z.string().check(z.regex(/^[1-9]\d{0,7}$/, { error: WANT_BIN }))),
      'Windows that are less than so many seconds apart are shown as one. Default: 1, so that windows which adjoin are one.',
    ),
  }),
  reply: z.object({
    now: z.int(),
    reproduce: z.string(),
    signing: z.record(z.string(), z.unknown()),
    scenario: z.object({
      name: z.string(),
      title: z.string(),
      why: z.string(),
      appliedAt: z.int(),
      endedAt: documented(z.optional(z.int()), 'The second at which it was ended, if it was.'),
      source: z.record(z.string(), z.unknown()),
    }),
    overrides: documented(
      z.array(
        z.object({
          feed: z.string(),
          since: documented(z.int(), 'The second from which on the price is set.'),
          price: documented(
            z.number(),
            'The price at that second, in quote units and without faults: it moves on from there.',
          ),
        }),
      ),
      'Feeds whose price was set.',
    ),
    faults: z.array(
      z.object({
        fault: z.string(),
        planned: z.string(),
        feeds: documented(z.nullable(z.array(z.string())), 'null for all feeds.'),
        endpoints: documented(z.nullable(z.array(z.string())), 'null for all endpoints.'),
        active: z.boolean(),
        windows: documented(
          z.array(z.object({ from: z.int(), until: z.nullable(z.int()) })),
          `The first ${MAX_WINDOWS} windows in the range, of at most ${MAX_SEEN} that are joined: \`until\` is not included, and null without an end.`,
        ),
        hits: z.int(),
        misses: z.int(),
        lastMiss: z.optional(z.string()),
      }),
    ),
  }),
  async answer(context, { path, query }) {
    const session = await context.sessions.get(path.id)
    const { settings, scenario } = session.runtime
    const now = Math.floor(session.nowMs(context.receivedAt) / 1000)
    const from = query.from ?? Math.max(0, now - HOUR)
    const to = query.to ?? now + HOUR
    if (to < from) throw invalidQuery({ at: 'to', got: to, want: 'a second that is not before `from`' })
    const bin = Number(query.bin ?? 1)
    const { appliedAt, endedAt } = scenario
    const { name, title, why, source } = scenario.definition
    return {
      now,
      reproduce: toPresentCommand(session, context),
      signing: { ...settings.signing },
      scenario: { name, title, why, appliedAt, ...(endedAt === undefined ? {} : { endedAt }), source: { ...source } },
      overrides: listOverrides(session.runtime),
      faults: scenario.faults.map(fault => showFault(fault, session.record.counters, now, from, to, bin)),
    }
  },
})

/** The feeds whose price was set and not released, each with its price at that second. */
function listOverrides({ market, overrides }: Runtime) {
  return Object.entries(overrides).flatMap(([id, list]) => {
    const feed = market.feed(id)
    const last = list.at(-1)
    if (feed === undefined || last === undefined || last.factor === 1) return []
    const inForce = overridesInForce(market.feeds, overrides, feed)
    const price = overriddenPath(market.path(feed), inForce, feed.step).at(last.from) / POWERS_OF_TEN[-feed.expo]!
    return [{ feed: id, since: last.from, price }]
  })
}

function showFault(active: ActiveFault, state: State, now: number, from: number, to: number, bin: number) {
  const { index, fault, planned, feeds, endpoints, windows } = active
  const joined: { from: number; until: number }[] = []
  let seen = 0
  for (const window of windows.between(from, to)) {
    const last = joined.at(-1)
    if (++seen > MAX_SEEN) break
    if (last !== undefined && window.from - last.until < bin) last.until = window.until
    else if (joined.length === MAX_WINDOWS) break
    else joined.push({ ...window })
  }
  const { hits, misses, lastMiss } = state.faults[index] ?? NO_COUNT
  return {
    fault: fault.name,
    planned,
    feeds: feeds === undefined ? null : [...feeds],
    endpoints: endpoints === undefined ? null : [...endpoints],
    active: windows.at(now) !== undefined,
    windows: joined.map(one => ({ from: one.from, until: Number.isFinite(one.until) ? one.until : null })),
    hits,
    misses,
    ...(lastMiss === undefined ? {} : { lastMiss }),
  }
}
