// GET /_mock/sessions/{id}/inspect: what a session runs, with the windows of its faults.
import * as z from 'zod/mini'
import { PriceFeedMockError } from '../errors.js'
import type { ActiveFault } from '../scenario/scenario.js'
import { NO_COUNT, type State } from '../service/state.js'
import { documented } from '../settings/schema.js'
import { defineAdminRoute } from './admin-route.js'
import { toPresentCommand } from './reproduce-command.js'

/** Maximum number of windows of one fault in a reply. */
const MAX_WINDOWS = 200
/** Seconds before and after the present that are shown by default. */
const HOUR = 3600

const second = () =>
  z.optional(z.string().check(z.regex(/^\d{1,10}$/, { error: 'whole seconds since the epoch, such as 1753354105' })))

/** GET /_mock/sessions/{id}/inspect */
export const inspectSession = defineAdminRoute({
  name: 'inspectSession',
  summary: 'Show the scenario that a session runs and the windows of its faults',
  path: '/_mock/sessions/{id}/inspect',
  query: z.strictObject({
    from: documented(second(), 'Only windows that end after this second. Default: an hour ago.'),
    to: documented(second(), 'Only windows that start before this second. Default: in an hour.'),
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
    overrides: documented(z.array(z.string()), 'Feeds whose price was set.'),
    faults: z.array(
      z.object({
        fault: z.string(),
        planned: z.string(),
        feeds: documented(z.nullable(z.array(z.string())), 'null for all feeds.'),
        endpoints: documented(z.nullable(z.array(z.string())), 'null for all endpoints.'),
        active: z.boolean(),
        windows: documented(
          z.array(z.object({ from: z.int(), until: z.nullable(z.int()) })),
          `The first ${MAX_WINDOWS} windows in the range: \`until\` is not included, and null without an end.`,
        ),
        hits: z.int(),
        misses: z.int(),
        lastMiss: z.optional(z.string()),
      }),
    ),
  }),
  async answer(context, { path, query }) {
    const session = await context.sessions.get(path.id)
    const { settings, scenario, overrides } = session.runtime
    const now = Math.floor(session.nowMs(context.receivedAt) / 1000)
    const from = Number(query.from ?? now - HOUR)
    const to = Number(query.to ?? now + HOUR)
    if (to < from)
      throw new PriceFeedMockError('REQUEST_INVALID', 'The query has 1 problem.', {
        problems: [{ at: 'to', got: to, want: 'a second that is not before `from`' }],
      })
    const { appliedAt, endedAt } = scenario
    const { name, title, why, source } = scenario.definition
    return {
      now,
      reproduce: toPresentCommand(session, context),
      signing: { ...settings.signing },
      scenario: { name, title, why, appliedAt, ...(endedAt === undefined ? {} : { endedAt }), source: { ...source } },
      overrides: Object.entries(overrides)
        .filter(([, list]) => list.at(-1)?.factor !== 1)
        .map(([id]) => id),
      faults: scenario.faults.map(fault => showFault(fault, session.record.counters, now, from, to)),
    }
  },
})

function showFault(active: ActiveFault, state: State, now: number, from: number, to: number) {
  const { index, fault, planned, feeds, endpoints, windows } = active
  const shown: { from: number; until: number | null }[] = []
  for (const window of windows.between(from, to)) {
    if (shown.length === MAX_WINDOWS) break
    shown.push({ from: window.from, until: Number.isFinite(window.until) ? window.until : null })
  }
  const { hits, misses, lastMiss } = state.faults[index] ?? NO_COUNT
  return {
    fault: fault.name,
    planned,
    feeds: feeds === undefined ? null : [...feeds],
    endpoints: endpoints === undefined ? null : [...endpoints],
    active: windows.at(now) !== undefined,
    windows: shown,
    hits,
    misses,
    ...(lastMiss === undefined ? {} : { lastMiss }),
  }
}
