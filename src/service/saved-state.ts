// The format of a state file: JSON lines. A header, the sessions in order of creation, and a footer, without which a file is not whole.
import * as z from 'zod/mini'
import { getOrCreate } from '../caches.js'
import { isObject, isPriceFeedMockError, PriceFeedMockError, tryOrThrow } from '../errors.js'
import { readSeries } from '../market/read-series.js'
import type { Scenarios } from '../scenario/scenarios.js'
import { assertNoProblems, type DeepReadonly, findPrototypes, integer, parseOrThrow, read } from '../settings/schema.js'
import { mergeSettings } from '../settings/settings.js'
import { testKeyNumber } from '../signing/signer.js'
import { VERSION } from '../version.js'
import { assertRestorable, MAX_SESSIONS } from './admission.js'
import { firstScenario } from './changes.js'
import { readClock } from './clock.js'
import { MAX_JOURNAL_ENTRIES, type SavedJournal } from './journal.js'
import { journalEntrySchema } from './journal-entry.js'
import { MAX_BINS } from './journal-tally.js'
import { countersSchema, type Setup, setupSchema, toData } from './record.js'
import { sessionIdSchema } from './session-settings.js'
import { MAX_EVICTED, type Session, type Sessions } from './sessions.js'
import { checkSnapshot, counter, fingerprint, snapshotSchema } from './snapshot.js'

const FORMAT = 'price-feed-mock state'
/** The file has checksums since version 2, and records instead of snapshots since version 3. */
const FORMAT_VERSION = 3

const short = z.string().check(z.maxLength(4096))

const headerSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: integer(1, FORMAT_VERSION),
  program: short,
  savedAt: counter,
})

/** First and last of some times, with the least and the greatest distance between two that follow each other: null for one time. */
const timesSchema = z.strictObject({
  first: z.number(),
  last: z.number(),
  least: z.nullable(z.number()),
  most: z.nullable(z.number()),
})

/** The schema of counts of requests, by endpoint. */
export const tallySchema = z.strictObject({
  endpoint: short,
  requests: counter,
  /** Number of answers by status. */
  statuses: z.record(short, counter),
  /** Number of answers by what the consumer got. */
  got: z._default(z.record(short, counter), {}),
  bins: z._default(
    z.strictObject({
      /** Seconds of a bin, a power of two: it doubles when there would be too many. */
      width: integer(1, 4_294_967_296),
      /** By number: that of the second divided by the width. */
      counts: z.array(z.tuple([counter, z.record(short, counter)])).check(z.maxLength(MAX_BINS)),
    }),
    { width: 1, counts: [] },
  ),
  virtual: timesSchema,
  real: timesSchema,
})

/** The schema of a journal. */
export const journalSchema = z.strictObject({
  /** The number of its last entry. */
  added: counter,
  /** Oldest first. `age` orders the entries of all journals. */
  entries: z.array(z.extend(journalEntrySchema, { id: counter, age: counter })).check(z.maxLength(MAX_JOURNAL_ENTRIES)),
  /** The requests whose entries are gone, by endpoint. */
  gone: z.array(tallySchema).check(z.maxLength(100)),
  goneUntil: counter,
})

const lineSchema = z.strictObject({
  setup: setupSchema,
  counters: countersSchema,
  /** Fingerprint of the feeds, and the number of the test key, as in a snapshot. */
  feeds: snapshotSchema.shape.feeds,
  signer: snapshotSchema.shape.signer,
  journal: journalSchema,
})

const footerSchema = z.strictObject({
  sessions: integer(0, MAX_SESSIONS + 1),
  rest: z.strictObject({
    /** Number of sessions that got their id here. */
    named: counter,
    /** Number of uses of sessions that can be evicted. */
    uses: counter,
    /** The latest use of each of them. */
    lastUse: z.array(z.tuple([sessionIdSchema, counter])).check(z.maxLength(MAX_SESSIONS + 1)),
    /** Ids of evicted sessions, oldest first. */
    evicted: z.array(short).check(z.maxLength(MAX_EVICTED)),
  }),
})

/** The parts of the sessions that no session holds. */
export type SavedRest = DeepReadonly<z.output<typeof footerSchema>['rest']>

/** The lines of the state of a mock, made one by one, so that the caller can pause between them. */
export function* toLines({ sessions }: { readonly sessions: Sessions }, savedAt: number): Generator<string> {
  yield toLine({ format: FORMAT, version: FORMAT_VERSION, program: VERSION, savedAt })
  let count = 0
  for (const session of sessions.list()) {
    // Deleted or evicted during a pause.
    if (!sessions.list().includes(session)) continue
    count++
    yield toLine(toSaved(session, savedAt))
  }
  yield toLine({ sessions: count, rest: sessions.rest })
}

const toLine = (data: unknown): string => `${JSON.stringify(data)}\n`

/** A session with its clock as it is at real time `savedAt`, and with the seed and the policy of this server below its own. */
function toSaved({ record: { setup, counters }, runtime, journal }: Session, savedAt: number) {
  const { clock } = counters
  const { seed, policy } = runtime.shared.baseOf(setup)
  return {
    setup: toData({ ...setup, base: { seed, policy } }),
    counters: { ...counters, clock: { ...clock, virtualMs: readClock(clock, savedAt), realMs: savedAt } },
    feeds: fingerprint(runtime.market.feeds),
    signer: testKeyNumber(runtime.settings) ?? null,
    journal: journal.save(),
  } as z.input<typeof lineSchema>
}

/** A saved state that is read. */
export interface Restored {
  readonly sessions: number
  /** Real time of the save, in milliseconds since the epoch. */
  readonly savedAt: number
}

/**
 * Restores a state into a new mock. After an error the mock must not be used.
 * @param lines the lines of a file
 * @param toRealMs the real time at which the clocks of a state continue
 * @throws PriceFeedMockError STATE_INVALID
 */
export function restoreLines(
  path: string,
  lines: Iterable<string>,
  { sessions }: { readonly sessions: Sessions },
  toRealMs: (savedAt: number) => number,
): Restored {
  const iterator = lines[Symbol.iterator]()
  let at = 0
  const next = (): unknown => {
    const line = iterator.next()
    at++
    if (line.done) throw damaged(path, at, 'the end of the file', 'more lines: the file is not whole')
    return tryOrThrow(
      () => JSON.parse(line.value),
      () => damaged(path, at, 'no JSON', 'one JSON object in a line'),
    )
  }
  const { version, savedAt } = readHeader(path, next())
  const realMs = toRealMs(savedAt)
  const intern = createIntern()
  const internScenario = createScenarioIntern(sessions.parts.scenarios)
  let count = 0
  for (;;) {
    const written = next()
    assertNoProblems('STATE_INVALID', `Line ${at} of ${path}`, findPrototypes(written))
    const line = version < FORMAT_VERSION ? fromVersion2(written, savedAt) : written
    if (isObject(line) && 'rest' in line) {
      const { rest, sessions: expected } = parseOrThrow(footerSchema, line, 'STATE_INVALID', `Line ${at} of ${path}`)
      if (expected !== count) throw damaged(path, at, `${count} sessions`, `${expected} sessions`)
      if (!iterator.next().done) throw damaged(path, at + 1, 'more lines', 'the end of the file')
      sessions.loadRest(rest)
      return { sessions: count, savedAt }
    }
    if (++count > MAX_SESSIONS + 1) throw damaged(path, at, 'more sessions', `at most ${MAX_SESSIONS + 1}`)
    const saved = parseOrThrow(lineSchema, line, 'STATE_INVALID', `Line ${at} of ${path}`)
    try {
      const session = restoreSession(saved, realMs, sessions, internScenario)
      session.journal.load(intern(saved.journal))
    } catch (error) {
      throw isPriceFeedMockError(error) ? notRestorable(path, saved.setup.id, error) : error
    }
  }
}

/** A line of version 1 or 2 of the format, which had a snapshot in it, as one of version 3. */
function fromVersion2(line: unknown, savedAt: number): unknown {
  const { ledger, snapshot, journal, id, kept, patch, series, seriesAt, ...saved } = Object(line)
  if (ledger !== undefined) return { ...saved, rest: ledger }
  const { seed, policy, signer, clock, overrides, scenario, state, seriesShift = 0, feeds } = Object(snapshot)
  const entries: SavedJournal['entries'] = Array.isArray(journal?.entries) ? journal.entries : []
  const last = entries.reduce((most, entry) => Math.max(most, entry?.refusedKey ?? 0), 0)
  return {
    setup: {
      verdicts: [],
      past: [],
      // Its own settings, the counters of a restored snapshot, and whether it replaces an evicted one.
      ...saved,
      id,
      isNamed: kept,
      createdWith: { ...patch, series, seriesAt },
      base: { seed, policy },
      scenario,
      overrides,
      seriesShift,
    },
    counters: { ...state, clock: { ...clock, realMs: savedAt }, refused: { last, marks: [] }, at: savedAt },
    feeds,
    signer,
    journal,
  }
}

/** @param intern shares equal scenarios of several sessions */
function restoreSession(
  { setup: saved, counters, feeds, signer }: z.output<typeof lineSchema>,
  realMs: number,
  sessions: Sessions,
  intern: <T>(source: T) => T,
): Session {
  const { createdWith, scenario } = saved
  const shared = sessions.parts
  // A reset needs it.
  firstScenario(saved.id, saved.createdWith, shared)
  const setup: Setup = {
    ...saved,
    createdWith:
      createdWith.scenario === undefined ? createdWith : { ...createdWith, scenario: intern(createdWith.scenario) },
    scenario: { ...scenario, source: intern(scenario.source) },
  }
  const { signing } = mergeSettings(shared.settings, setup.own)
  const ownFeeds = shared.feedsOf(setup.createdWith, readSeries)
  const continued = { feeds, signer, signing, overrides: saved.overrides }
  assertNoProblems('SNAPSHOT_INVALID', 'The session', checkSnapshot(continued, ownFeeds, shared.settings))
  assertRestorable(setup)
  return sessions.addSaved({ setup, counters: { ...counters, clock: { ...counters.clock, realMs } } })
}

function readHeader(path: string, header: unknown): Pick<z.output<typeof headerSchema>, 'version' | 'savedAt'> {
  const { format, version } = (header ?? {}) as { format?: unknown; version?: unknown }
  if (format !== FORMAT)
    throw new PriceFeedMockError('STATE_INVALID', `${path} is not a state of price-feed-mock.`, {
      fix: 'name another file; a new one is created',
    })
  if (![1, 2, FORMAT_VERSION].includes(version as number)) {
    const shortMessage = `${path} has version ${String(version).slice(0, 20)} of the format.`
    throw new PriceFeedMockError('STATE_INVALID', shortMessage, {
      want: `version ${FORMAT_VERSION}, 2 or 1, which this program (${VERSION}) reads`,
      fix: 'use the program that wrote it, or move the file away',
    })
  }
  const { value } = read(headerSchema, header)
  if (value === undefined) throw damaged(path, 1, 'an invalid header', 'format, version, program and savedAt')
  return value
}

/** The error of a damaged state file. */
export function damaged(path: string, line: number, got: string, want: string): PriceFeedMockError {
  return new PriceFeedMockError('STATE_INVALID', `${path} is damaged.`, {
    at: `line ${line}`,
    got,
    want,
    fix: 'put a copy in its place, or move it away to begin anew',
  })
}

function notRestorable(path: string, id: string, cause: PriceFeedMockError): PriceFeedMockError {
  return new PriceFeedMockError('STATE_INVALID', `The session "${id}" of ${path} cannot be restored.`, {
    problems: cause.problems,
    details: [['reason', cause.shortMessage], ...cause.details.filter(([label]) => label !== 'fix')],
    fix: 'start with the options of the server that saved it, or move the file away',
    cause,
  })
}

/** Creates a function that parses equal scenarios once: all sessions that have it share the result. */
function createScenarioIntern(scenarios: Scenarios): <T>(source: T) => T {
  const sources = new Map<string, unknown>()
  return <T>(source: T) => {
    if (!isObject(source)) return source
    const text = JSON.stringify(source)
    return getOrCreate(sources, text, () => scenarios.get(source).source) as T
  }
}

/** Creates a function that shares equal texts of journals, as those of requests are shared: a journal counts them as shared. */
function createIntern(): (journal: z.output<typeof journalSchema>) => SavedJournal {
  const texts = new Map<string, string>()
  const lists = new Map<string, readonly string[]>()
  const share = (text: string): string => getOrCreate(texts, text, () => text)
  return journal => ({
    ...journal,
    entries: journal.entries.map(entry => ({
      ...entry,
      endpoint: share(entry.endpoint),
      method: share(entry.method),
      apiKey: entry.apiKey === undefined ? undefined : share(entry.apiKey),
      faults: getOrCreate(lists, entry.faults.join(' '), () => entry.faults.map(share)),
    })),
  })
}
