// The command line that reproduces a response on a fresh server.
import type { Feed } from '../market/feeds.js'
import { seriesSpan } from '../market/series.js'
import type { Scenario } from '../scenario/scenario.js'
import type { Scenarios } from '../scenario/scenarios.js'
import type { Session } from '../service/session.js'
import { DEFAULT_SETTINGS, type Settings } from '../settings/settings.js'
import { isPublicKey } from '../settings/shown-keys.js'
import { toInstant } from '../settings/time.js'

/** The parts of a command line that no session knows. */
export interface Started {
  readonly scenarios: Scenarios
  /** Flags of the program that are no settings. */
  readonly flags: readonly string[]
}

/** The command line of a session, with the given start of its clock: `at` in ISO 8601 with Z. */
export function toCommand(
  { context: { settings, scenario, market } }: Session,
  { at, speed, frozen }: { readonly at: string; readonly speed: number; readonly frozen: boolean },
  { scenarios, flags }: Started,
): string {
  const { seed, signer, signerKeyUnsafe, apiKeys } = settings
  const unless = (isDefault: boolean, ...words: string[]) => (isDefault ? [] : words)
  const config = unusualSettings(settings)
  const running = toText(scenario.definition, scenarios)
  return [
    'npx price-feed-mock',
    `--seed ${quote(seed)}`,
    `--at ${at}`,
    ...(frozen ? ['--frozen'] : unless(speed === 1, `--speed ${speed}`)),
    ...unless(
      String(apiKeys) === String(DEFAULT_SETTINGS.apiKeys),
      ...apiKeys.map(key => `--api-key ${isPublicKey(key, settings) ? key : '…'}`),
    ),
    ...(signerKeyUnsafe === undefined
      ? unless(signer === DEFAULT_SETTINGS.signer, `--signer ${signer}`)
      : ['--signer-key-unsafe …']),
    ...unless(running === 'calm', `--scenario ${quote(running)}`),
    ...unless(config === '{}', `--config ${quote(config)}`),
    ...flags.map(quote),
    ...seriesFlags(market.feeds, flags),
  ].join(' ')
}

/** The time of the series, and a mark for series that no file has. */
function seriesFlags(feeds: readonly Feed[], flags: readonly string[]): string[] {
  const series = feeds.flatMap(feed => feed.series ?? [])
  if (series.length === 0) return []
  const first = Math.min(...series.map(one => seriesSpan(one).from))
  return [
    ...(flags.includes('--series') ? [] : ['--series …']),
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

/** A scenario as an argument of the program: file, name or JSON. It starts from its beginning; only a snapshot keeps its progress. */
const toText = (scenario: Scenario, scenarios: Scenarios): string =>
  scenarios.fileOrNameOf(scenario) ?? JSON.stringify(scenario.source)

/** Quotes text as one word for a POSIX shell. */
export function quote(value: string): string {
  return /^[\w./:=@%+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
}
