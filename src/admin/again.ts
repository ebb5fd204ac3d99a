// The command that brings a response back on a fresh server.
import type { Scenario } from '../scenario/scenario.js'
import type { Session } from '../service/session.js'
import { DEFAULT_SETTINGS, type Settings } from '../settings/settings.js'
import { toInstant } from '../settings/time.js'

/**
 * The command line of a session at virtual time `nowMs`, frozen there.
 * @param flags that the program was started with and that no setting tells
 */
export function toCommand({ world }: Session, nowMs: number, flags: readonly string[]): string {
  const { settings } = world
  const { scenario } = world.scenario
  const config = unusualSettings(settings)
  return [
    'price-feed-mock',
    `--seed ${quote(settings.seed)}`,
    `--at ${toInstant(Math.floor(nowMs / 1000) * 1000)}`,
    '--frozen',
    ...(settings.signer === DEFAULT_SETTINGS.signer ? [] : [`--signer ${settings.signer}`]),
    ...(String(settings.apiKeys) === String(DEFAULT_SETTINGS.apiKeys)
      ? []
      : settings.apiKeys.map(key => `--api-key ${quote(key)}`)),
    ...(settings.signerKeyUnsafe === undefined ? [] : ['--signer-key-unsafe …']),
    ...(scenario.name === 'calm' ? [] : [`--scenario ${quote(toText(scenario))}`]),
    ...(config === '{}' ? [] : [`--config ${quote(config)}`]),
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

/** A scenario as the command line takes it: by name, or as JSON. It begins anew there; a snapshot carries how far it has come. */
const toText = ({ name, source }: Scenario): string => (name === 'inline' ? JSON.stringify(source) : name)

/** Text as one word of a POSIX shell. */
export function quote(value: string): string {
  return /^[\w./:=@%+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
}
