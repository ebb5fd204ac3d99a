// What a person sees when the server is up: every line is a reason why the next run would differ. At most twelve of them.

import { quote } from '../admin/again.js'
import type { RunningServer } from '../hosts/node/server.js'
import type { World } from '../service/moment.js'
import { DEFAULT_SETTINGS } from '../settings/settings.js'
import { toInstant } from '../settings/time.js'
import { VERSION } from '../version.js'
import { colours } from './colours.js'
import type { Resolved } from './sources.js'

/** Everything that the banner says, as data: the line of `--ready json`. */
export interface Ready {
  readonly url: string
  readonly historyUrl: string
  /** Where it listens. */
  readonly host: string
  readonly version: string
  readonly apiKey: string
  readonly seed: string
  readonly clock: { readonly at: string; readonly speed: number; readonly frozen: boolean }
  readonly scenario: string
  /** What happens in it. */
  readonly title: string
  readonly feeds: number
  readonly firstFeeds: readonly string[]
  readonly signer: { readonly testKey: number | null; readonly address: string; readonly publicKey: string }
  /** The command that brings the same bytes back. */
  readonly again: string
}

/** Describes a server that has just started. */
export function describe({ url, historyUrl, mock }: RunningServer, resolved: Resolved, realMs: number): Ready {
  const { world } = mock.session(realMs)
  const { settings, signer, clock } = world
  const at = toInstant(clock.virtualMs)
  return {
    url,
    historyUrl,
    host: resolved.config.host ?? 'localhost',
    version: VERSION,
    apiKey: settings.apiKeys[0]!,
    seed: settings.seed,
    clock: { at, speed: clock.speed, frozen: clock.frozen },
    scenario: world.scenario.scenario.name,
    title: world.scenario.scenario.title,
    feeds: world.market.feeds.length,
    firstFeeds: world.market.feeds.slice(0, 3).map(feed => feed.id),
    signer: {
      testKey: settings.signerKeyUnsafe ? null : settings.signer,
      address: signer.address,
      publicKey: signer.publicKey,
    },
    again: toCommand(world, resolved, at),
  }
}

/** The command that brings the same bytes back; a private key has to be put in anew. */
function toCommand({ settings, clock }: World, { config, configFile, chosen }: Resolved, at: string): string {
  // Beside a config file a default is told as well: the file may set something else.
  const unless = (isInitial: boolean, ...flags: string[]) => (isInitial && configFile === undefined ? [] : flags)
  const { apiKeys, seed, signer, signerKeyUnsafe } = settings
  return [
    'price-feed-mock',
    ...(configFile === undefined ? [] : [`--config ${quote(configFile)}`]),
    `--seed ${quote(seed)}`,
    `--at ${at}`,
    ...(clock.frozen ? ['--frozen'] : unless(clock.speed === 1, `--speed ${clock.speed}`)),
    ...unless(String(apiKeys) === String(DEFAULT_SETTINGS.apiKeys), ...apiKeys.map(key => `--api-key ${quote(key)}`)),
    ...(signerKeyUnsafe === undefined ? unless(signer === 0, `--signer ${signer}`) : ['--signer-key-unsafe …']),
    ...(chosen.scenario === undefined ? [] : [`--scenario ${quote(toText(config.scenario))}`]),
    ...(config.handlers === undefined ? [] : [`--handlers ${quote(config.handlers)}`]),
    ...(config.scenarios === undefined ? [] : [`--scenarios ${quote(config.scenarios)}`]),
    ...(config.feeds === undefined ? [] : [`--feeds ${quote(config.feeds)}`]),
    ...unless(!config.syntheticFeeds, `--synthetic-feeds ${config.syntheticFeeds ?? 0}`),
  ].join(' ')
}

/** A scenario as the command line takes it: a name, a file, or JSON. */
const toText = (scenario: unknown): string => (typeof scenario === 'string' ? scenario : JSON.stringify(scenario))

/** Hosts that stand for every address of the machine. */
const ANY_ADDRESS = /^(0\.0\.0\.0|\[?::\]?)$/

/** The banner. */
export function toBanner(ready: Ready): string {
  const { url, historyUrl, host, apiKey, seed, clock, feeds, firstFeeds, signer } = ready
  const pace = clock.frozen ? ', frozen' : clock.speed === 1 ? '' : `, ${clock.speed} × real time`
  const rows: [string, string, string][] = [
    ['url', url, ANY_ADDRESS.test(host) ? `(on ${host}: reachable from the network)` : '(index at /_mock/)'],
    ...(historyUrl === url ? [] : [['history', historyUrl, '(charting)'] as [string, string, string]]),
    ['api key', apiKey, '(sent bare in Authorization)'],
    ['seed', seed, '(--seed)'],
    ['clock', `${clock.at}${pace}`, '(--at, --frozen, --speed)'],
    ['scenario', ready.scenario, `"${ready.title}" (--scenario)`],
    ['feeds', `${feeds}: ${firstFeeds.join(' ')}${feeds > firstFeeds.length ? ' …' : ''}`, '(/_mock/feeds)'],
    signer.testKey === null
      ? ['signer', signer.address, colours.yellow('a key of your own: never one that guards anything')]
      : ['signer', signer.address, `test key ${signer.testKey} (--signer)`],
  ]
  const width = Math.max(...rows.map(([, value]) => value.length))
  return [
    `${colours.bold(`price-feed-mock ${ready.version}`)} — simulated prices, worthless keys. Never point production here.`,
    '',
    ...rows.map(([label, value, note]) => `  ${label.padEnd(9)}${value.padEnd(width)}  ${colours.dim(note)}`.trimEnd()),
    `  ${'try'.padEnd(9)}curl -H ${quote(`Authorization: ${apiKey}`)} ${url}/prices/${firstFeeds[0]}/latest`,
    `  ${'again'.padEnd(9)}${ready.again}`,
  ].join('\n')
}
