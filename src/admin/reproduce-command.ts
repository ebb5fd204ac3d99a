// The command that brings a response back on a fresh server.
import type { Scenario } from '../scenario/scenario.js'
import type { Scenarios } from '../scenario/scenarios.js'
import type { Session } from '../service/session.js'
import { DEFAULT_SETTINGS, type Settings } from '../settings/settings.js'

/** What besides a session makes a command line. */
export interface Started {
  readonly scenarios: Scenarios
  /** Flags that the program was started with and that no setting tells. */
  readonly flags: readonly string[]
}

/** The command line of a session whose clock begins as told: `at` in ISO 8601 with Z. */
export function toCommand(
  { context: { settings, scenario } }: Session,
  { at, speed, frozen }: { readonly at: string; readonly speed: number; readonly frozen: boolean },
  { scenarios, flags }: Started,
): string {
  const { seed, signer, signerKeyUnsafe, apiKeys } = settings
  const unless = (isInitial: boolean, ...words: string[]) => (isInitial ? [] : words)
  const config = unusualSettings(settings)
  const running = toText(scenario.definition, scenarios)
  return [
    'price-feed-mock',
    `--seed ${quote(seed)}`,
    `--at ${at}`,
    ...(frozen ? ['--frozen'] : unless(speed === 1, `--speed ${speed}`)),
    ...unless(String(apiKeys) === String(DEFAULT_SETTINGS.apiKeys), ...apiKeys.map(key => `--api-key ${quote(key)}`)),
    ...(signerKeyUnsafe === undefined
      ? unless(signer === DEFAULT_SETTINGS.signer, `--signer ${signer}`)
      : ['--signer-key-unsafe …']),
    ...unless(running === 'calm', `--scenario ${quote(running)}`),
    ...unless(config === '{}', `--config ${quote(config)}`),
    ...flags.map(quote),
  ].join(' ')
}

/** What no flag tells, as the JSON of a config. */
function unusualSettings({ policy, signing }: Settings): string {
  const changed = (now: object, initial: object) => {
    const entries = Object.entries(now).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(initial[key as never]),
    )
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  }
  return JSON.stringify({
    policy: changed(policy, DEFAULT_SETTINGS.policy),
    signing: changed(signing, DEFAULT_SETTINGS.signing),
  })
}

/** A scenario as the program takes it, if need be as JSON. It begins anew there; a snapshot carries how far it has come. */
const toText = (scenario: Scenario, scenarios: Scenarios): string =>
  scenarios.fileOrNameOf(scenario) ?? JSON.stringify(scenario.source)

/** Text as one word of a POSIX shell. */
export function quote(value: string): string {
  return /^[\w./:=@%+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
}
