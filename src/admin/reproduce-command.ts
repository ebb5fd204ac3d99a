// The command line that reproduces a response on a fresh server.
import type { Feed } from '../market/feeds.js'
import { seriesSpan } from '../market/series.js'
import type { Scenarios } from '../scenario/scenarios.js'
import type { State } from '../service/apply-faults.js'
import { isPresent } from '../service/changes.js'
import type { Runtime } from '../service/runtime.js'
import type { Session } from '../service/sessions.js'
import type { Snapshot } from '../service/snapshot.js'
import { DEFAULT_SETTINGS, isPublicKey, mergePatches, type Settings } from '../settings/settings.js'
import { parseInstant, toInstant } from '../settings/time.js'
import type { AdminContext } from './admin-route.js'

/** The parts of a command line that no session knows. */
export interface Started {
  readonly scenarios: Scenarios
  /** Flags of the program that are no settings. */
  readonly flags: readonly string[]
}

/** `at` is ISO 8601 with Z; undefined for the real time of the start. */
type StartedClock = Omit<Settings['clock'], 'at'> & { readonly at: string | undefined }

/** The file that the start of a command writes. */
export const SNAPSHOT_FILE = 'snapshot.json'

/** Where a command gets a snapshot of the session from, if flags cannot express its state. */
interface SnapshotOrigin {
  /** The seed of the server, which its synthetic feeds depend on. */
  readonly serverSeed: string
  /** The start of a shell command, which writes the file; empty if there is none, or the file is there already. */
  readonly save: string
  readonly file: string
  /** The command that runs beside the server, for `exec`. */
  readonly command?: readonly string[] | undefined
  /** The argument of `--scenario`, if the command has another scenario than the session. The rest of a fresh session is in flags. */
  readonly scenario?: string | undefined
  /** Whether the session has changed since then, so that its present settings say nothing. */
  readonly isPast?: boolean | undefined
}

interface Moment {
  readonly runtime: Runtime
  readonly state: State
}

/**
 * The command line that gives the same replies as a session, with the given start of its clock. Its state is in flags if they can
 * express it, otherwise in a snapshot.
 */
export function toCommand(
  session: Moment,
  clock: StartedClock,
  { scenarios, flags: given }: Started,
  origin: SnapshotOrigin,
): string {
  const { settings, scenario, market } = session.runtime
  const { seed, signer, signerKeyUnsafe, apiKeys } = settings
  const { serverSeed, save, file, command } = origin
  const unless = (isDefault: boolean, ...words: string[]) => (isDefault ? [] : words)
  const config = unusualSettings(settings)
  const { definition } = scenario
  const running = origin.scenario ?? scenarios.fileOrNameOf(definition) ?? JSON.stringify(definition.source)
  const isInFlags =
    origin.scenario !== undefined ||
    (origin.isPast !== true &&
      hasStateOfFlags(session, clock) &&
      (seed === serverSeed || !given.includes('--synthetic-feeds')))
  // The server that the snapshot comes from still has its ports.
  const flags = isInFlags || save === '' ? given : withFreePorts(given)
  const ownSeed = isInFlags ? seed : serverSeed
  return [
    `${isInFlags ? '' : save}npx price-feed-mock${command === undefined ? '' : ' exec'}`,
    // As a word of its own it would be an option.
    `--seed${ownSeed.startsWith('--') ? '=' : ' '}${quote(ownSeed)}`,
    ...unless(isInFlags, `--snapshot ${quote(file)}`),
    ...unless(clock.at === undefined, `--at ${clock.at}`),
    ...(clock.frozen ? ['--frozen'] : unless(clock.speed === 1, `--speed ${clock.speed}`)),
    ...unless(
      String(apiKeys) === String(DEFAULT_SETTINGS.apiKeys),
      ...apiKeys.map(key => `--api-key ${isPublicKey(key, settings) ? key : '…'}`),
    ),
    ...(signerKeyUnsafe === undefined
      ? unless(!isInFlags || signer === DEFAULT_SETTINGS.signer, `--signer ${signer}`)
      : ['--signer-key-unsafe …']),
    ...unless(!isInFlags || running === 'calm', `--scenario ${quote(running)}`),
    ...unless(!isInFlags || config === '{}', `--config ${quote(config)}`),
    ...flags.map(quote),
    ...seriesFlags(market.feeds, session.runtime.setup.createdWith.series === undefined && flags.includes('--series')),
    ...(command === undefined ? [] : ['--', ...command.map(quote)]),
  ].join(' ')
}

/** Whether a fresh session with the same settings, started at the time of the clock, gives the same replies. */
function hasStateOfFlags({ runtime, state }: Moment, { at, speed, frozen }: StartedClock): boolean {
  const { settings, scenario, overrides } = runtime
  const { faults, definition, appliedAt } = scenario
  const { seed, policy } = settings
  const startMs = parseInstant(at!)!
  const started = { seed, policy, clock: { at: startMs, speed, frozen } }
  // Counters are compared only if a reply depends on them.
  const isCounted = faults.some(
    ({ fault, requests, chance, options }) =>
      requests !== undefined || chance < 1 || 'count' in fault || Boolean((options as { jitterMs?: number }).jitterMs),
  )
  const hasAsked = Object.keys(state.ordinals).some(name => state.ordinals[name] !== state.applied[name])
  return (
    Object.keys(overrides).length === 0 &&
    scenario.endedAt === undefined &&
    (faults.length === 0 || appliedAt === Math.floor(startMs / 1000)) &&
    !(isCounted && hasAsked) &&
    // The settings of a scenario win over flags.
    JSON.stringify(mergePatches(started, definition.settings)) === JSON.stringify(mergePatches(started, {}))
  )
}

/** The time of the series, and a mark for series that no file has. */
function seriesFlags(feeds: readonly Feed[], areInFlags: boolean): string[] {
  const series = feeds.flatMap(feed => feed.series ?? [])
  if (series.length === 0) return []
  const first = Math.min(...series.map(one => seriesSpan(one).from))
  return [
    ...(areInFlags ? [] : ['--series …']),
    ...(series[0]!.shift === 0 ? [] : [`--series-at ${toInstant(first * 1000)}`]),
  ]
}

/** Settings without a flag, as the JSON of a config. */
function unusualSettings({ policy, signing }: Settings): string {
  const changed = (now: object, defaults: object) => {
    const entries = Object.entries(now).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(defaults[key as never]),
    )
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  }
  return JSON.stringify({
    policy: changed(policy, DEFAULT_SETTINGS.policy),
    signing: changed(signing, DEFAULT_SETTINGS.signing),
  })
}

/** Flags with any free port in place of each port, and without the address under which clients reach this server. */
function withFreePorts(flags: readonly string[]): string[] {
  const free = flags
    .map((flag, i) => (/^--(history-)?port$/.test(flags[i - 1] ?? '') ? '0' : flag))
    .filter((flag, i) => flag !== '--public-url' && flags[i - 1] !== '--public-url')
  return free.includes('--port') ? free : ['--port', '0', ...free]
}

/**
 * Quotes text as one word for a POSIX shell: between double quotes, as the shells of Windows take it too, unless some character in it
 * means something else there.
 */
export function quote(value: string): string {
  if (/^[\w./:=@%+-]+$/.test(value)) return value
  return /["$`!]|\\(\\|$)/.test(value) ? `'${value.replaceAll("'", "'\\''")}'` : `"${value}"`
}

/**
 * The command that brings a moment of a session back, with a clock that stands still.
 * @param before the number of the request before which it was, and the snapshot of then; by default it is the present one
 */
export function toFrozenCommand(
  session: Session,
  { addresses, flags, scenarios, sessions, receivedAt }: AdminContext,
  before?: { readonly n: number; readonly snapshot: Snapshot },
): string {
  const { id, record, runtime } = session
  const { state, clock } = before?.snapshot ?? {
    state: record.counters,
    clock: { virtualMs: session.nowMs(receivedAt) },
  }
  const save = addresses.saveSnapshot?.(id, before?.n) ?? ''
  const isPast = before !== undefined && !isPresent(record.setup.past, before.n)
  const origin = { serverSeed: sessions.parts.settings.seed, save, file: SNAPSHOT_FILE, isPast }
  const at = toInstant(Math.floor(clock.virtualMs / 1000) * 1000)
  return toCommand({ runtime, state }, { at, speed: 1, frozen: true }, { scenarios, flags }, origin)
}

/**
 * The start of a command that saves a snapshot of a session from a running server, with `&&` at its end. A token has a placeholder, since no output shows it.
 * @param flags flags of the program, among them the certificate to trust
 * @param before number of the request before which it is taken; undefined for now
 */
export function saveSnapshot(
  url: string,
  id: string,
  hasToken: boolean,
  flags: readonly string[] = [],
  before?: number,
): string {
  const at = flags.indexOf('--tls-cert')
  return [
    'curl -sSf -X POST',
    ...(at < 0 ? [] : [`--cacert ${quote(flags[at + 1]!)}`]),
    ...(hasToken ? ['-H "Authorization: Bearer …"'] : []),
    quote(`${url}/_mock/sessions/${id}/snapshot${before === undefined ? '' : `?before=${before}`}`),
    `-o ${SNAPSHOT_FILE} && `,
  ].join(' ')
}
