// Reads a config file or inline JSON. Paths in a file are relative to its folder.
import { dirname, resolve } from 'node:path'
import { parseOrThrow } from '../settings/schema.js'
import { isInline, readJsonFile } from './json-file.js'
import { type Config, configSchema } from './options.js'

/**
 * Reads a config file.
 * @param from the flag or variable that names the file, for errors
 * @throws PriceFeedMockError FILE_UNREADABLE or CONFIG_INVALID
 */
export function readConfigFile(path: string, from: string): Config {
  const data = readJsonFile(path, from)
  parseOrThrow(configSchema, data, 'CONFIG_INVALID', isInline(path) ? 'The configuration' : path)
  const config = data as Config
  const folder = isInline(path) ? '.' : dirname(path)
  const paths = Object.entries(config).filter(([key, value]) => PATHS.test(key) && isPath(key, value))
  const series = config.series?.map(one =>
    typeof one === 'string' ? resolve(folder, one) : { ...one, file: resolve(folder, one.file) },
  )
  return {
    ...config,
    ...Object.fromEntries(paths.map(([key, value]) => [key, resolve(folder, String(value))])),
    ...(series && { series }),
  }
}

const PATHS = /^(feeds|scenario|scenarios|handlers|tlsCert|tlsKey|snapshot|state)$/

/** A scenario is a path only if it looks like one; otherwise it is a name. */
const isPath = (key: string, value: unknown): boolean =>
  typeof value === 'string' && (key !== 'scenario' || (/[/\\]|\.json$/.test(value) && !isInline(value)))
