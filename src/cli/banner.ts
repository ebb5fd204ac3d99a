// The banner of a started server: everything that changes the replies, and the command that reproduces them. At most twelve lines.

import { fetchSnapshot, quote, toCommand } from '../admin/reproduce-command.js'
import { NOT_SHOWN } from '../errors.js'
import type { RunningServer } from '../hosts/node/server.js'
import { toShownKey } from '../settings/shown-keys.js'
import { toInstant } from '../settings/time.js'
import { testKeyNumber } from '../signing/test-keys.js'
import { VERSION } from '../version.js'
import { colours } from './colours.js'
import { toFlags } from './flags.js'
import type { Config } from './options.js'
import { toPrintable } from './printable.js'

/** The content of the banner as data, which `--ready json` prints. */
export interface Ready {
  readonly url: string
  readonly historyUrl: string
  /** The file of its certificate, if it has one. */
  readonly tlsCert?: string | undefined
  /** The address of its store, without a password. */
  readonly store?: string | undefined
  /** The address it listens on. */
  readonly host: string
  /** Whether other machines can reach the admin without a token. */
  readonly isOpen: boolean
  readonly version: string
  /** The first API key; one of the user is not shown. */
  readonly apiKey: string
  readonly seed: string
  readonly clock: { readonly at: string; readonly speed: number; readonly frozen: boolean }
  readonly scenario: string
  /** The title of the scenario. */
  readonly title: string
  readonly feeds: number
  readonly firstFeeds: readonly string[]
  readonly signer: { readonly testKey: number | null; readonly address: string; readonly publicKey: string }
  /** The command that reproduces the same replies. */
  readonly reproduce: string
}

/** Describes a started server. */
export function describe({ url, historyUrl, mock, store }: RunningServer, config: Config): Ready {
  const session = mock.sessions.default
  const { context } = session
  const { settings, signer } = context
  const { virtualMs, speed, frozen } = context.clock
  const host = config.host ?? 'localhost'
  const clock = { at: toInstant(virtualMs), speed, frozen }
  const flags = toFlags(config)
  return {
    url,
    historyUrl,
    tlsCert: config.tlsCert,
    ...(store === undefined ? {} : { store }),
    host,
    isOpen: !isLoopback(host) && config.adminToken === undefined,
    version: VERSION,
    apiKey: toShownKey(settings.apiKeys[0]!, settings),
    seed: settings.seed,
    clock,
    scenario: context.scenario.definition.name,
    title: context.scenario.definition.title,
    feeds: context.market.feeds.length,
    firstFeeds: context.market.feeds.slice(0, 3).map(feed => feed.id),
    signer: {
      testKey: testKeyNumber(settings) ?? null,
      address: signer.address,
      publicKey: signer.publicKey,
    },
    reproduce: toCommand(
      session,
      clock,
      { scenarios: mock.scenarios, flags },
      {
        serverSeed: mock.sessions.parts.settings.seed,
        ...(config.snapshot === undefined
          ? fetchSnapshot(url, session.id, { hasToken: config.adminToken !== undefined, flags })
          : { file: config.snapshot }),
      },
    ),
  }
}

/** Whether an address can be reached from this machine only. */
const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

/** The banner. */
export function toBanner(ready: Ready): string {
  const trust = ready.tlsCert === undefined ? '' : `--cacert ${quote(ready.tlsCert)} `
  const { url, historyUrl, host, apiKey, seed, clock, feeds, firstFeeds, signer } = ready
  const pace = clock.frozen ? ', frozen' : clock.speed === 1 ? '' : `, ${clock.speed} × real time`
  const rows: [string, string, string][] = [
    [
      'url',
      url,
      ready.isOpen
        ? colours.yellow(`(on ${host}: anyone in the network can change it; set --admin-token)`)
        : isLoopback(host)
          ? '(index at /_mock/)'
          : `(on ${host}: reachable from the network)`,
    ],
    ...(historyUrl === url ? [] : [['history', historyUrl, '(charting)'] as [string, string, string]]),
    ...(ready.store === undefined
      ? []
      : [['store', ready.store, '(sessions of all its servers)'] as [string, string, string]]),
    ['api key', apiKey, '(value of the Authorization header)'],
    ['seed', seed, '(--seed)'],
    ['clock', `${clock.at}${pace}`, '(--at, --frozen, --speed)'],
    ['scenario', ready.scenario, `"${toPrintable(ready.title)}" (--scenario)`],
    ['feeds', `${feeds}: ${firstFeeds.join(' ')}${feeds > firstFeeds.length ? ' …' : ''}`, '(/_mock/feeds)'],
    signer.testKey === null
      ? ['signer', signer.address, colours.yellow('your own key: never use a real one')]
      : ['signer', signer.address, `test key ${signer.testKey} (--signer)`],
  ]
  const width = Math.max(...rows.map(([, value]) => value.length))
  return [
    `${colours.bold(`price-feed-mock ${ready.version}`)} — simulated prices, worthless keys. Never point production here.`,
    '',
    ...rows.map(([label, value, note]) =>
      `  ${label.padEnd(11)}${value.padEnd(width)}  ${colours.dim(note)}`.trimEnd(),
    ),
    `  ${'try'.padEnd(11)}curl ${trust}-H ${quote(`Authorization: ${apiKey === NOT_SHOWN ? '…' : apiKey}`)} ${url}/prices/${firstFeeds[0]}/latest`,
    `  ${'reproduce'.padEnd(11)}${ready.reproduce}`,
  ].join('\n')
}
