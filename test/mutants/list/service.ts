// Mistakes in the service: clock, journal, routing, sessions.
import type { Mutant } from '../mutant.js'

/** Mistakes in the service: clock, journal, routing, sessions. */
export const SERVICE: readonly Mutant[] = [
  {
    file: 'service/clock.ts',
    find: '(realMs - since) * speed',
    replace: '(realMs - since)',
    why: 'the clock runs at real speed',
  },
  {
    file: 'service/clock.ts',
    find: 'virtualMs >= (LATEST + 1) * 1000',
    replace: 'virtualMs > (LATEST + 1) * 1000',
    why: 'the first second after 2105 is accepted',
  },
  {
    file: 'service/clock.ts',
    find: 'at ?? realMs, realMs, speed',
    replace: 'at ?? 0, realMs, speed',
    why: 'a clock without a time starts in 1970',
  },
  {
    file: 'service/journal.ts',
    find: 'entry.n <= n',
    replace: 'entry.n < n',
    why: 'a journal that is rewound loses its last entry',
  },
  {
    file: 'service/journal.ts',
    find: 'numbered.id > id',
    replace: 'numbered.id >= id',
    why: 'an event that was seen is sent again',
  },
  {
    file: 'service/journal.ts',
    find: 'next = (next + 1) % capacity',
    replace: 'next = (next + 1) % (capacity + 1)',
    why: 'the ring of the journal grows beyond its capacity',
  },
  {
    file: 'service/request.ts',
    find: "const [name, value] = equals < 0 ? [pair, '']",
    replace: "const [name, value] = equals < 0 ? ['', pair]",
    why: 'a name without a value is read as a value',
  },
  {
    file: 'service/request.ts',
    find: "decodeText(value.replaceAll('+', ' '))",
    replace: 'decodeText(value)',
    why: 'a plus in a value stays a plus',
  },
  {
    file: 'service/router.ts',
    find: "if (value === '') return undefined",
    replace: '',
    why: 'an empty segment is the value of a parameter',
  },
  {
    file: 'service/router.ts',
    find: 'endpoint.anyCase && segment.toLowerCase()',
    replace: 'segment.toLowerCase()',
    why: 'every route is matched in any case',
  },
  {
    file: 'service/respond.ts',
    find: 'ordinal: ordinal - (state.applied[endpoint] ?? 0)',
    replace: 'ordinal',
    why: 'a new scenario counts the requests before it',
  },
  {
    file: 'service/respond.ts',
    find: "method === 'GET' || method === 'HEAD'",
    replace: "method === 'GET'",
    why: 'a HEAD does not count',
  },
  {
    file: 'service/respond.ts',
    find: 'const n = state.n + 1',
    replace: 'const n = state.n',
    why: 'requests are numbered from 0',
  },
  {
    file: 'service/endpoint-context.ts',
    find: 'now - 60 * minutes + 1',
    replace: 'now - 60 * minutes',
    why: 'a window of history is a second too long',
  },
  {
    file: 'service/endpoint-context.ts',
    find: `if (!selects(active, feed.id)) return before
      const context`,
    replace: 'const context',
    why: 'a tick fault touches feeds that it is not for',
  },
  {
    file: 'service/endpoint-context.ts',
    find: 'Math.max(1, ...overrides',
    replace: 'Math.min(1, ...overrides',
    why: 'the largest price of an overridden feed is too small',
  },
  {
    file: 'service/market-stage.ts',
    find: 'if (own >= earliest) continue',
    replace: 'if (own <= earliest) continue',
    why: 'of several horizons the latest counts',
  },
  {
    file: 'service/market-stage.ts',
    find: 'earlierWindows(windows, feed.lag)',
    replace: 'windows',
    why: 'a market fault begins a lag late',
  },
  {
    file: 'service/prices.ts',
    find: 'path.lastTick(now - feed.lag)',
    replace: 'path.lastTick(now)',
    why: 'a price is overridden from a tick that is not published',
  },
  {
    file: 'service/prices.ts',
    find: 'price === null ? 1 :',
    replace: 'price === null ? 0 :',
    why: 'an override that is removed leaves a price of 0',
  },
  {
    file: 'service/prices.ts',
    find: 'from <= last.from',
    replace: 'from < last.from',
    why: 'a snapshot with two overrides at one second is accepted',
  },
  {
    file: 'service/select-faults.ts',
    find: "if (stage !== 'reply' && stage !== 'wire') key",
    replace: "if (stage === 'reply' || stage === 'wire') key",
    why: 'answers of different faults share a place in the cache',
  },
  {
    file: 'service/sessions.ts',
    find: 'one[1] < least[1] ? one : least',
    replace: 'one[1] > least[1] ? one : least',
    why: 'the session that was used last is forgotten',
  },
  {
    file: 'service/sessions.ts',
    find: 'if (!known.created) lastUse.set(id, ++uses)',
    replace: '',
    why: 'a session that is in use counts as idle',
  },
  {
    file: 'service/sessions.ts',
    find: 'body.id === undefined && sessions.has(id)',
    replace: 'false',
    why: 'a generated name can be taken',
  },
  {
    file: 'service/sessions.ts',
    find: "if (key.startsWith('session.')) return sessions.has(key.slice(8)) ? key.slice(8) : undefined",
    replace: "if (key.startsWith('session.')) return key.slice(8)",
    why: 'a key of no session is accepted',
  },
  {
    file: 'service/session.ts',
    find: 'settings.seed === before.settings.seed ? before.overrides : {}',
    replace: 'before.overrides',
    why: 'overrides outlive a change of the seed',
  },
  {
    file: 'service/session.ts',
    find: 'const isBefore = now < before.scenario.origin',
    replace: 'const isBefore = false',
    why: 'a clock before the scenario does not restart it',
  },
  {
    file: 'service/session.ts',
    find: 'journal.rewind(state.n)',
    replace: 'journal.clear()',
    why: 'a restored session has no journal',
  },
  {
    file: 'service/snapshot.ts',
    find: 'if (theirs !== here)',
    replace: "if (theirs === '')",
    why: 'a snapshot of other feeds is accepted',
  },
  {
    file: 'service/reply-headers.ts',
    find: '!hasBody(status)',
    replace: 'hasBody(status) && false',
    why: 'a reply without a body has the headers of one',
  },
]
