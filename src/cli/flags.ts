// The flags of a configuration that are no settings of a session, as words of a command line.
import type { Config } from './options.js'

/** Flags for the reproduce command that cannot be derived from the settings of a session. */
export function toFlags({
  feeds,
  syntheticFeeds,
  scenarios,
  handlers,
  allowHosts = [],
  allowOrigins = [],
  publicUrl,
  port,
  historyPort,
  tlsCert,
  tlsKey,
  series = [],
  as = [],
}: Config): string[] {
  return [
    ...allowHosts.flatMap(name => ['--allow-host', name]),
    ...allowOrigins.flatMap(origin => ['--allow-origin', origin]),
    ...(publicUrl === undefined ? [] : ['--public-url', publicUrl]),
    // Port 0 takes any free port: no caller depends on it.
    ...(port ? ['--port', String(port)] : []),
    ...(historyPort === undefined ? [] : ['--history-port', String(historyPort)]),
    ...(tlsCert === undefined || tlsKey === undefined ? [] : ['--tls-cert', tlsCert, '--tls-key', tlsKey]),
    ...(handlers === undefined ? [] : ['--handlers', handlers]),
    ...(scenarios === undefined ? [] : ['--scenarios', scenarios]),
    ...(feeds === undefined ? [] : ['--feeds-file', feeds]),
    ...(syntheticFeeds ? ['--synthetic-feeds', String(syntheticFeeds)] : []),
    ...series.flatMap((one, index) => {
      const { file, as: own = as[index] } = typeof one === 'string' ? { file: one } : one
      return ['--series', file, ...(own === undefined ? [] : ['--as', own])]
    }),
  ]
}
