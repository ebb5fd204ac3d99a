// GET /_mock/sessions/{id}/inspect: what a session runs, with the windows of its faults.
import * as z from 'zod/mini'
import { overriddenPath, overridesInForce } from '../market/overridden.js'
import { POWERS_OF_TEN } from '../market/pricing.js'
import type { Runtime } from '../service/runtime.js'
import { documented } from '../settings/schema.js'
import { defineAdminRoute } from './admin-route.js'
import { type FaultLane, faultLanes, MAX_EARLIER, MAX_SEEN, MAX_WINDOWS } from './fault-lanes.js'
import { invalidQuery, second, seconds } from './query.js'
import { toFrozenCommand } from './reproduce-command.js'

/** Seconds before and after the present that are shown by default. */
const HOUR = 3600

const windowsSchema = () =>
  documented(
    z.array(z.object({ from: z.int(), until: z.nullable(z.int()) })),
    `As they were: each time with the scenario that ran then. The first ${MAX_WINDOWS} in the range, of at most ${MAX_SEEN} that are joined: \`until\` is not included, and null without an end.`,
  )

/** GET /_mock/sessions/{id}/inspect */
export const inspectSession = defineAdminRoute({
  name: 'inspectSession',
  summary: 'Show the scenario that a session runs and the windows of its faults',
  path: '/_mock/sessions/{id}/inspect',
  query: z.strictObject({
    from: documented(second(), 'Only windows that end after this second. Default: an hour ago.'),
    to: documented(second(), 'Only windows that start before this second. Default: in an hour.'),
    bin: documented(
      seconds(),
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
          alone: documented(z.boolean(), 'Whether derived feeds stay where they are.'),
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
        windows: windowsSchema(),
        hits: documented(z.int(), 'Since this version of the scenario was applied.'),
        hitsBefore: documented(
          z.int(),
          'Of the same fault in earlier versions, which had another time or other options.',
        ),
        misses: z.int(),
        lastMiss: z.optional(z.string()),
      }),
    ),
    earlier: documented(
      z.array(z.object({ fault: z.string(), planned: z.string(), windows: windowsSchema(), hits: z.int() })),
      `Faults that the scenario no longer has, with a window in the range: at most ${MAX_EARLIER}, newest first.`,
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
    const { present, earlier } = faultLanes(session, now, { from, to, bin })
    const { name, title, why, source } = scenario.definition
    return {
      now,
      reproduce: toFrozenCommand(session, context),
      signing: { ...settings.signing },
      scenario: { name, title, why, appliedAt, endedAt, source: { ...source } },
      overrides: listOverrides(session.runtime),
      faults: present.map(lane => showFault(lane, now)),
      earlier: earlier.map(({ active: { fault, planned }, windows, count, hitsBefore }) => ({
        fault: fault.name,
        planned,
        windows: toPlain(windows),
        hits: count.hits + hitsBefore,
      })),
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
    const path = overriddenPath(market.path(feed), inForce, feed)
    const price = path.at(path.lastTick(last.from)!) / POWERS_OF_TEN[-feed.expo]!
    return [{ feed: id, since: last.from, price, alone: last.alone ?? false }]
  })
}

function showFault({ active, windows, count, hitsBefore }: FaultLane, now: number) {
  const { fault, planned, feeds, endpoints } = active
  const { hits, misses, lastMiss } = count
  return {
    fault: fault.name,
    planned,
    feeds: feeds === undefined ? null : [...feeds],
    endpoints: endpoints === undefined ? null : [...endpoints],
    active: active.windows.at(now) !== undefined,
    windows: toPlain(windows),
    hits,
    hitsBefore,
    misses,
    lastMiss,
  }
}

const toPlain = (windows: FaultLane['windows']) =>
  windows.map(({ from, until }) => ({ from, until: Number.isFinite(until) ? until : null }))
