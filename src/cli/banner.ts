// What a person sees when the server is up: every line is a reason why the next run would differ. At most twelve of them.
import pc from 'picocolors'
import type { RunningServer } from '../hosts/node/server.js'
import { toInstant } from '../settings/time.js'
import { VERSION } from '../version.js'
import type { Config } from './options.js'

/** Everything that the banner says, as data: the line of `--ready json`. */
export interface Ready {
  readonly url: string
  readonly historyUrl: string
  readonly version: string
  readonly apiKey: string
  readonly seed: string
  readonly clock: { readonly at: string; readonly speed: number; readonly frozen: boolean }
  readonly scenario: string
  readonly feeds: number
  readonly firstFeeds: readonly string[]
  readonly signer: { readonly testKey: number | null; readonly address: string; readonly publicKey: string }
  /** The command that brings the same bytes back. */
  readonly again: string
}

/** Describes a server that has just started. */
export function describe({ url, historyUrl, mock }: RunningServer, config: Config, realMs: number): Ready {
  const { world, nowMs } = mock.session(realMs)
  const { settings, signer, clock } = world
  const at = toInstant(nowMs(realMs))
  return {
    url,
    historyUrl,
    version: VERSION,
    apiKey: settings.apiKeys[0]!,
    seed: settings.seed,
    clock: { at, speed: clock.speed, frozen: clock.frozen },
    scenario: 'calm',
    feeds: world.market.feeds.length,
    firstFeeds: world.market.feeds.slice(0, 3).map(feed => feed.id),
    signer: {
      testKey: settings.signerKeyUnsafe ? null : settings.signer,
      address: signer.address,
      publicKey: signer.publicKey,
    },
    again: [
      'price-feed-mock',
      `--seed ${quote(settings.seed)}`,
      `--at ${at}`,
      ...(clock.frozen ? ['--frozen'] : []),
      ...(clock.speed === 1 ? [] : [`--speed ${clock.speed}`]),
      ...(settings.signer === 0 ? [] : [`--signer ${settings.signer}`]),
      ...(config.feeds === undefined ? [] : [`--feeds ${quote(config.feeds)}`]),
      ...(config.syntheticFeeds ? [`--synthetic-feeds ${config.syntheticFeeds}`] : []),
    ].join(' '),
  }
}

/** The banner. */
export function toBanner(ready: Ready): string {
  const { url, historyUrl, apiKey, seed, clock, feeds, firstFeeds, signer } = ready
  const pace = clock.frozen ? ', frozen' : clock.speed === 1 ? '' : `, ${clock.speed} × real time`
  const rows: [string, string, string][] = [
    ['url', url, '(index at /_mock/)'],
    ...(historyUrl === url ? [] : [['history', historyUrl, '(charting)'] as [string, string, string]]),
    ['api key', apiKey, '(sent bare in Authorization)'],
    ['seed', seed, '(--seed)'],
    ['clock', `${clock.at}${pace}`, '(--at, --frozen, --speed)'],
    ['feeds', `${feeds}: ${firstFeeds.join(' ')}${feeds > firstFeeds.length ? ' …' : ''}`, '(/_mock/feeds)'],
    signer.testKey === null
      ? ['signer', signer.address, pc.yellow('a key of your own: never one that guards anything')]
      : ['signer', signer.address, `test key ${signer.testKey} (--signer)`],
  ]
  const width = Math.max(...rows.map(([, value]) => value.length))
  return [
    `${pc.bold(`price-feed-mock ${ready.version}`)} — simulated prices, worthless keys. Never point production here.`,
    '',
    ...rows.map(([label, value, note]) => `  ${label.padEnd(9)}${value.padEnd(width)}  ${pc.dim(note)}`.trimEnd()),
    `  ${'try'.padEnd(9)}curl -H ${quote(`Authorization: ${apiKey}`)} ${url}/prices/${firstFeeds[0]}/latest`,
    `  ${'again'.padEnd(9)}${ready.again}`,
    '',
  ].join('\n')
}

/** Text as one word of a POSIX shell. */
function quote(value: string): string {
  return /^[\w./:=@%+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
}
