// The banner of a started server: everything that changes the replies, and the command that reproduces them. At most twelve lines.
import { quote, SNAPSHOT_FILE, saveSnapshot, toCommand } from '../admin/reproduce-command.js'
import { showSigner } from '../admin/sessions.js'
import { NOT_SHOWN, toPrintable } from '../errors.js'
import type { RunningServer } from '../hosts/node/server.js'
import type { Mock } from '../index.js'
import type { Runtime } from '../service/runtime.js'
import { toShownKey } from '../settings/settings.js'
import { toInstant } from '../settings/time.js'
import { VERSION } from '../version.js'
import { type Config, longName, namedSeries, OPTIONS } from './options.js'
import { colours } from './output.js'

/** The content of the banner as data, which `--ready json` prints. */
export type Ready = ReturnType<typeof describe>

/**
 * Describes a started server.
 * @param command the command that runs beside it
 * @param adminToken the token of `--admin-token auto`; one of the user is not shown
 */
export function describe(
  { url, historyUrl, mock, store, restored }: RunningServer,
  config: Config,
  command?: readonly string[],
  adminToken?: string,
) {
  const session = mock.sessions.default
  const { runtime, record } = session
  const { settings, scenario, market } = runtime
  const { virtualMs, speed, frozen } = record.counters.clock
  const host = config.host ?? 'localhost'
  const clock = { at: toInstant(virtualMs), speed, frozen }
  const flags = toFlags(config)
  return {
    url,
    historyUrl,
    tlsCert: config.tlsCert,
    /** Without a password. */
    store,
    host,
    adminToken,
    isOpen: !isLoopback(host) && config.adminToken === undefined,
    version: VERSION,
    /** The first one; one of the user is not shown. */
    apiKey: toShownKey(settings.apiKeys[0]!, settings),
    seed: settings.seed,
    clock,
    sources: sourcesOf(runtime, config, restored !== undefined),
    scenario: scenario.definition.name,
    title: scenario.definition.title,
    feeds: market.feeds.length,
    firstFeeds: market.feeds.slice(0, 3).map(feed => feed.id),
    signer: showSigner(runtime),
    reproduce: toCommand(
      { runtime, state: record.counters },
      clock,
      { scenarios: mock.scenarios, flags },
      {
        serverSeed: mock.sessions.parts.settings.seed,
        command,
        ...(config.snapshot === undefined
          ? { save: saveSnapshot(url, session.id, config.adminToken !== undefined, flags), file: SNAPSHOT_FILE }
          : { save: '', file: config.snapshot }),
      },
    ),
  }
}

/**
 * The command that runs another one in a scenario.
 * @param mock one that has just been made from the same configuration
 * @param scenario the argument of `--scenario`
 */
export function toExecCommand(
  { sessions, scenarios }: Pick<Mock, 'sessions' | 'scenarios'>,
  config: Config,
  command: readonly string[],
  scenario: string,
): string {
  const { runtime, record } = sessions.default
  const { virtualMs, speed, frozen } = record.counters.clock
  // Without a start time, the command begins at the real one, as this one did.
  const at = config.clock?.at === undefined ? undefined : toInstant(virtualMs)
  return toCommand(
    { runtime, state: record.counters },
    { at, speed, frozen },
    { scenarios, flags: toFlags(config) },
    { serverSeed: sessions.parts.settings.seed, command, scenario, save: '', file: '' },
  )
}

/** The sources of a session's settings. A scenario's own settings win over flags, and a session that was saved over both. */
function sourcesOf({ scenario }: Runtime, { snapshot, clock = {} }: Config, isRestored: boolean) {
  const saved = snapshot === undefined ? (isRestored ? '--state' : undefined) : '--snapshot'
  const { settings } = scenario.definition
  const inScenario = ['at', 'frozen', 'speed'].filter(name => settings.clock?.[name as 'at'] !== undefined)
  const isMoved = saved === '--snapshot' && Object.values(clock).some(value => value !== undefined)
  return {
    seed: saved ?? (settings.seed === undefined ? '--seed' : 'of the scenario, which wins over --seed'),
    clock:
      (isMoved ? undefined : saved) ??
      (inScenario.length === 0 || isMoved
        ? '--at, --frozen, --speed'
        : `of the scenario, which wins over ${inScenario.map(name => `--${name}`).join(', ')}`),
    scenario: saved ?? '--scenario',
  }
}

const isLoopback = (host: string): boolean => /^\[?(localhost|(::ffff:)?127(\.\d{1,3}){3}|::1)\]?$/i.test(host)

/** Ports from 1024 on that browsers and `fetch` refuse, by the Fetch standard: servers of other protocols are there. */
const REFUSED_PORTS =
  /^(1719|1720|1723|2049|3659|4045|4190|5060|5061|6000|6566|6665|6666|6667|6668|6669|6679|6697|10080)$/

function noteOnUrl({ url, host, isOpen }: Ready): string {
  if (isOpen) return colours.yellow(`(on ${host}: anyone in the network can change it; set --admin-token)`)
  const { port } = new URL(url)
  if (REFUSED_PORTS.test(port)) return colours.yellow(`(browsers and fetch refuse port ${port}: choose another --port)`)
  return isLoopback(host) ? '(console at /_mock/)' : `(on ${host}: reachable from the network)`
}

/** The banner. */
export function toBanner(ready: Ready): string {
  const trust = ready.tlsCert === undefined ? '' : `--cacert ${quote(ready.tlsCert)} `
  const { url, historyUrl, apiKey, seed, clock, feeds, firstFeeds, signer } = ready
  const pace = clock.frozen ? ', frozen' : clock.speed === 1 ? '' : `, ${clock.speed} × real time`
  const rows: [label: string, value: string | undefined, note: string][] = [
    ['url', url, noteOnUrl(ready)],
    ['history', historyUrl === url ? undefined : historyUrl, '(charting)'],
    ['store', ready.store, '(sessions of all its servers)'],
    ['api key', apiKey, '(value of the Authorization header)'],
    ['admin', ready.adminToken, '(token for /_mock/: Authorization: Bearer)'],
    ['seed', seed, `(${ready.sources.seed})`],
    ['clock', `${clock.at}${pace}`, `(${ready.sources.clock})`],
    ['scenario', ready.scenario, `"${toPrintable(ready.title)}" (${ready.sources.scenario})`],
    ['feeds', `${feeds}: ${firstFeeds.join(' ')}${feeds > firstFeeds.length ? ' …' : ''}`, '(/_mock/feeds)'],
    signer.testKey === null
      ? ['signer', signer.address, colours.yellow('your own key: never use a real one')]
      : ['signer', signer.address, `test key ${signer.testKey} (--signer)`],
  ]
  const width = Math.max(...rows.map(([, value = '']) => value.length))
  return [
    `${colours.bold(`price-feed-mock ${ready.version}`)} — simulated prices, worthless keys. Never point production here.`,
    '',
    ...rows.flatMap(([label, value, note]) =>
      value === undefined ? [] : `  ${label.padEnd(11)}${value.padEnd(width)}  ${colours.dim(note)}`.trimEnd(),
    ),
    `  ${'try'.padEnd(11)}curl ${trust}-H ${quote(`Authorization: ${apiKey === NOT_SHOWN ? '…' : apiKey}`)} ${quote(`${url}/prices/${firstFeeds[0]}/latest`)}`,
    `  ${'reproduce'.padEnd(11)}${ready.reproduce}`,
  ].join('\n')
}

/** The settings that no session has, in the order of their flags in a command. */
const SETTINGS_OF_SERVER = [
  'host',
  'allowHosts',
  'allowOrigins',
  'publicUrl',
  'port',
  'historyPort',
  'tlsCert',
  'tlsKey',
  'handlers',
  'scenarios',
  'feeds',
  'syntheticFeeds',
] as const

/** Flags for the reproduce command that cannot be derived from the settings of a session. */
export function toFlags(config: Config): string[] {
  const series = namedSeries(config)
  const areNamed = series.some(({ feed }) => feed !== undefined)
  return [
    ...SETTINGS_OF_SERVER.flatMap(setting => {
      const value = config[setting]
      // Port 0 takes any free port: no caller depends on it. A port of 0 for histories still separates them.
      if (value === undefined || (value === 0 && setting !== 'historyPort')) return []
      const flag = `--${longName(OPTIONS.find(option => option.setting === setting)!)}`
      return [value].flat().flatMap(one => [flag, typeof one === 'object' ? JSON.stringify(one) : String(one)])
    }),
    ...series.flatMap(({ file, feed = '' }) => ['--series', file, ...(areNamed ? ['--as', feed] : [])]),
  ]
}
