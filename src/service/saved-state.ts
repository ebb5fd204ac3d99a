// The format of a state file: JSON lines. A header, the sessions in order of creation, and a footer, without which a file is not whole.
import * as z from 'zod/mini'
import { isPriceFeedMockError, PriceFeedMockError } from '../errors.js'
import { readSeries } from '../market/read-series.js'
import type { Scenarios } from '../scenario/scenarios.js'
import { assertNoProblems, findPrototypes, integer, parseOrThrow, read } from '../settings/schema.js'
import { settingsSchema } from '../settings/settings.js'
import { toInstant } from '../settings/time.js'
import { VERSION } from '../version.js'
import { MAX_JOURNAL_ENTRIES, type SavedJournal } from './journal.js'
import { KEY_PROBLEMS } from './key-problem.js'
import { MAX_PAST } from './past.js'
import type { Session } from './session.js'
import {
  type SessionBody,
  type SessionPatch,
  sessionBodySchema,
  sessionIdSchema,
  sessionPatchSchema,
} from './session-settings.js'
import { MAX_EVICTED, MAX_SESSIONS, type Sessions } from './sessions.js'
import { quotaSchema, readSnapshot, snapshotSchema, takeSnapshot } from './snapshot.js'
import { verdictSchema } from './verdict-schema.js'
import { MAX_VERDICTS } from './verdicts.js'

/** Identifies a state file. */
const FORMAT = 'price-feed-mock state'
/** The file has checksums since version 2. Its content is the same. */
const FORMAT_VERSION = 2

const counter = integer(0, Number.MAX_SAFE_INTEGER)
const short = z.string().check(z.maxLength(4096))

const headerSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: integer(1, FORMAT_VERSION),
  program: short,
  savedAt: counter,
})

const timesSchema = z.strictObject({
  first: z.number(),
  last: z.number(),
  least: z.nullable(z.number()),
  most: z.nullable(z.number()),
})

const journalSchema = z.strictObject({
  added: counter,
  entries: z
    .array(
      z.strictObject({
        id: counter,
        age: counter,
        n: counter,
        ordinal: counter,
        endpoint: short,
        method: short,
        target: short,
        targetLength: z.optional(counter),
        apiKey: z.optional(short),
        keyProblem: z.optional(z.enum(KEY_PROBLEMS)),
        refusedKey: z.optional(counter),
        status: integer(0, 999),
        retryAfter: z.optional(z.number()),
        faults: z.array(short).check(z.maxLength(1000)),
        quotas: z.optional(z.array(z.nullable(quotaSchema)).check(z.maxLength(1000))),
        now: z.number(),
        receivedAt: z.number(),
        durationMs: z.optional(z.number()),
        evicted: z.optional(z.literal(true)),
      }),
    )
    .check(z.maxLength(MAX_JOURNAL_ENTRIES)),
  gone: z
    .array(
      z.strictObject({
        endpoint: short,
        requests: counter,
        statuses: z.record(short, counter),
        virtual: timesSchema,
        real: timesSchema,
      }),
    )
    .check(z.maxLength(100)),
  goneUntil: counter,
})

const sessionSchema = z.strictObject({
  id: sessionIdSchema,
  kept: z.boolean(),
  own: settingsSchema,
  patch: sessionPatchSchema,
  series: sessionBodySchema.shape.series,
  seriesAt: sessionBodySchema.shape.seriesAt,
  snapshot: z.unknown(),
  restored: z.optional(snapshotSchema.shape.state),
  replacesEvicted: z.boolean(),
  /** Missing in files of version 0.1.0. */
  verdicts: z.optional(z.array(verdictSchema).check(z.maxLength(MAX_VERDICTS))),
  past: z.optional(
    z.array(z.strictObject({ until: counter, snapshot: z.optional(snapshotSchema) })).check(z.maxLength(MAX_PAST + 1)),
  ),
})
const lineSchema = z.extend(sessionSchema, { journal: journalSchema })

const footerSchema = z.strictObject({
  sessions: integer(0, MAX_SESSIONS + 1),
  ledger: z.strictObject({
    named: counter,
    uses: counter,
    lastUse: z.array(z.tuple([sessionIdSchema, counter])).check(z.maxLength(MAX_SESSIONS + 1)),
    evicted: z.array(short).check(z.maxLength(MAX_EVICTED)),
  }),
})

/** The part of a mock that is saved. */
interface Saveable {
  readonly sessions: Sessions
}

/** The part of a mock that a state is restored into. */
interface Restorable extends Saveable {
  readonly scenarios: Scenarios
}

/** The lines of a state, made one by one, so that the caller can pause between them. */
export function* toLines({ sessions }: Saveable, savedAt: number): Generator<string> {
  yield toLine({ format: FORMAT, version: FORMAT_VERSION, program: VERSION, savedAt })
  let count = 0
  for (const session of sessions.list()) {
    // Deleted or evicted during a pause.
    if (!sessions.list().includes(session)) continue
    count++
    yield toLine({ ...toSavedSession(session, savedAt), journal: session.journal.save() })
  }
  yield toLine({ sessions: count, ledger: sessions.ledger })
}

const toLine = (data: unknown): string => `${JSON.stringify(data)}\n`

/** A session as data at real time `savedAt`, without its journal. */
export function toSavedSession(session: Session, savedAt: number): object {
  const { kept, own, patch, restored, replacesEvicted, verdicts, past } = session.remainder
  return {
    id: session.id,
    kept,
    own,
    patch: toInput(patch),
    ...session.ownSeries,
    snapshot: takeSnapshot(session, savedAt),
    restored,
    replacesEvicted,
    ...(verdicts.length === 0 ? {} : { verdicts }),
    ...(past.length === 0 ? {} : { past }),
  }
}

/** A parsed change as it can be parsed again: a number would be a time in seconds. */
function toInput({ clock, ...patch }: SessionPatch): object {
  if (clock === undefined) return patch
  return { ...patch, clock: clock.at === undefined ? clock : { ...clock, at: toInstant(clock.at) } }
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
  { sessions, scenarios }: Restorable,
  toRealMs: (savedAt: number) => number,
): Restored {
  const iterator = lines[Symbol.iterator]()
  let at = 0
  const next = (): unknown => {
    const line = iterator.next()
    at++
    if (line.done) throw damaged(path, at, 'the end of the file', 'more lines: the file is not whole')
    try {
      return JSON.parse(line.value)
    } catch {
      throw damaged(path, at, 'no JSON', 'one JSON object in a line')
    }
  }
  const savedAt = readHeader(path, next())
  const realMs = toRealMs(savedAt)
  const intern = createIntern()
  const internScenario = createScenarioIntern(scenarios)
  let count = 0
  for (;;) {
    const line = next()
    if (typeof line === 'object' && line !== null && 'ledger' in line) {
      const { ledger, sessions: expected } = parseOrThrow(footerSchema, line, 'STATE_INVALID', `Line ${at} of ${path}`)
      if (expected !== count) throw damaged(path, at, `${count} sessions`, `${expected} sessions`)
      if (!iterator.next().done) throw damaged(path, at + 1, 'more lines', 'the end of the file')
      sessions.loadLedger(ledger)
      return { sessions: count, savedAt }
    }
    if (++count > MAX_SESSIONS + 1) throw damaged(path, at, 'more sessions', `at most ${MAX_SESSIONS + 1}`)
    assertNoProblems('STATE_INVALID', `Line ${at} of ${path}`, findPrototypes(line))
    const saved = parseOrThrow(lineSchema, line, 'STATE_INVALID', `Line ${at} of ${path}`)
    try {
      const { id, kept, journal } = saved
      const make = (body: SessionBody): Session => sessions.addSaved(id, kept, body, realMs, readSeries)
      const session = restoreSession(saved, realMs, make, internScenario)
      session.journal.load(intern(journal))
    } catch (error) {
      throw isPriceFeedMockError(error) ? notRestorable(path, saved.id, error) : error
    }
  }
}

/**
 * Reads a session that was saved without its journal, and makes it.
 * @throws PriceFeedMockError STATE_INVALID, or an error of a session that cannot be restored
 */
export function readSavedSession(
  data: unknown,
  realMs: number,
  make: (id: string, kept: boolean, body: SessionBody) => Session,
): Session {
  const saved = parseOrThrow(sessionSchema, data, 'STATE_INVALID', 'The session')
  return restoreSession(
    saved,
    realMs,
    body => make(saved.id, saved.kept, body),
    source => source,
  )
}

/** @param internScenario shares equal scenarios of several sessions */
function restoreSession(
  {
    kept,
    own,
    series,
    seriesAt,
    restored,
    replacesEvicted,
    verdicts = [],
    past = [],
    ...saved
  }: z.output<typeof sessionSchema>,
  realMs: number,
  make: (body: SessionBody) => Session,
  internScenario: <T>(source: T) => T,
): Session {
  const patch = withScenario(saved.patch as SessionPatch, internScenario)
  const session = make({ ...patch, series, seriesAt })
  const { scenario, ...snapshot } = readSnapshot(saved.snapshot, session)
  const shared = { ...scenario, source: internScenario(scenario.source) }
  const remainder = { kept, own, patch, restored, replacesEvicted, verdicts, past }
  session.restore({ ...snapshot, scenario: shared }, realMs, remainder)
  return session
}

function readHeader(path: string, header: unknown): number {
  const { format, version } = (header ?? {}) as { format?: unknown; version?: unknown }
  if (format !== FORMAT)
    throw new PriceFeedMockError('STATE_INVALID', `${path} is not a state of price-feed-mock.`, {
      details: [['fix', 'name another file; a new one is created']],
    })
  if (version !== FORMAT_VERSION && version !== 1)
    throw new PriceFeedMockError(
      'STATE_INVALID',
      `${path} has version ${String(version).slice(0, 20)} of the format.`,
      {
        details: [
          ['want', `version ${FORMAT_VERSION} or 1, which this program (${VERSION}) reads`],
          ['fix', 'use the program that wrote it, or move the file away'],
        ],
      },
    )
  const { value } = read(headerSchema, header)
  if (value === undefined) throw damaged(path, 1, 'an invalid header', 'format, version, program and savedAt')
  return value.savedAt
}

/** The error of a damaged state file. */
export function damaged(path: string, line: number, got: string, want: string): PriceFeedMockError {
  return new PriceFeedMockError('STATE_INVALID', `${path} is damaged.`, {
    details: [
      ['at', `line ${line}`],
      ['got', got],
      ['want', want],
      ['fix', 'put a copy in its place, or move it away to begin anew'],
    ],
  })
}

function notRestorable(path: string, id: string, cause: PriceFeedMockError): PriceFeedMockError {
  return new PriceFeedMockError('STATE_INVALID', `The session "${id}" of ${path} cannot be restored.`, {
    problems: cause.problems,
    details: [
      ['reason', cause.shortMessage],
      ...cause.details.filter(([label]) => label !== 'fix'),
      ['fix', 'start with the options of the server that saved it, or move the file away'],
    ],
    cause,
  })
}

/** Creates a function that parses equal scenarios once: all sessions that have it share the result. */
function createScenarioIntern(scenarios: Scenarios): <T>(source: T) => T {
  const sources = new Map<string, unknown>()
  return <T>(source: T) => {
    if (typeof source !== 'object' || source === null) return source
    const text = JSON.stringify(source)
    if (!sources.has(text)) sources.set(text, scenarios.get(source).source)
    return sources.get(text) as T
  }
}

const withScenario = (patch: SessionPatch, intern: <T>(source: T) => T): SessionPatch =>
  patch.scenario === undefined ? patch : { ...patch, scenario: intern(patch.scenario) }

/** Creates a function that shares equal texts of journals, as those of requests are shared: a journal counts them as shared. */
function createIntern(): (journal: z.output<typeof journalSchema>) => SavedJournal {
  const texts = new Map<string, string>()
  const lists = new Map<string, readonly string[]>()
  const share = (text: string): string => shared(texts, text, text)
  return journal => ({
    ...journal,
    entries: journal.entries.map(entry => ({
      ...entry,
      endpoint: share(entry.endpoint),
      method: share(entry.method),
      apiKey: entry.apiKey === undefined ? undefined : share(entry.apiKey),
      faults: shared(lists, entry.faults.join(' '), entry.faults.map(share)),
    })),
  })
}

function shared<T>(known: Map<string, T>, key: string, value: T): T {
  const found = known.get(key)
  if (found !== undefined) return found
  known.set(key, value)
  return value
}
