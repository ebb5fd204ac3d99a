// The table of options is consistent: every row can be parsed, set and validated, and its names are unique.
import { describe, expect, it } from 'vitest'
import { read } from '../settings/schema.js'
import { DEFAULT_SETTINGS } from '../settings/settings.js'
import { COMMAND_OPTIONS, optionsSchema } from './command-options.js'
import { type CliOption, configSchema, environmentName, longName, OPTIONS, optionsOf } from './options.js'

const optionOf = (name: string) => OPTIONS.find(option => longName(option) === name)!

describe('names', () => {
  it('default', () => {
    const option = optionOf('history-port')
    expect(longName(option)).toBe('history-port')
    expect(environmentName(option)).toBe('PRICE_FEED_MOCK_HISTORY_PORT')
  })

  it('behavior: names have one form and are unique', () => {
    for (const option of OPTIONS) {
      expect(option.flag).toMatch(/^--[a-z]+(-[a-z]+)*( <[a-z]+>)?$/)
      expect(environmentName(option)).toMatch(/^PRICE_FEED_MOCK_[A-Z]+(_[A-Z]+)*$/)
    }
    for (const name of [longName, environmentName]) expect(new Set(OPTIONS.map(name)).size).toBe(OPTIONS.length)
    const settings = OPTIONS.flatMap(({ setting }) => setting ?? [])
    expect(new Set(settings).size).toBe(settings.length)
  })

  it('behavior: an option that weakens a guard ends in -unsafe', () => {
    expect(OPTIONS.filter(({ flag }) => /key/.test(flag)).map(longName)).toEqual([
      'api-key',
      'signer-key-unsafe',
      'tls-key',
    ])
  })
})

/** A value that no setting accepts. */
const WRONG = { never: 'right' }
/** The settings with a wrong value. Without a schema, one would be an unknown key. */
const wrongIn = (schema: typeof configSchema | typeof optionsSchema, config: unknown) =>
  read(schema, config).problems?.flatMap(({ at, got }) => (got === 'an unknown key' ? [] : at))

describe('settings', () => {
  const nest = (path: string, value: unknown): unknown =>
    path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)

  it('behavior: the setting of each option is validated', () => {
    for (const { flag, setting } of OPTIONS) {
      if (setting === 'config') continue
      const value = setting === 'scenario' || setting === 'feeds' ? 5 : WRONG
      expect(wrongIn(configSchema, nest(setting, value)), flag).toEqual([setting])
    }
  })

  it('behavior: every setting of a config file has an option, except large ones', () => {
    const known = new Set(OPTIONS.map(({ setting }) => setting?.split('.', 1)[0]))
    const only = Object.keys(configSchema.shape).filter(key => !known.has(key))
    expect(only.sort()).toEqual(['$schema', 'policy', 'signing'])
  })

  it('behavior: the defaults in --help are the actual defaults', () => {
    const defaults = Object.fromEntries(OPTIONS.map(option => [option.setting, option.default]))
    expect(defaults).toMatchObject({
      seed: DEFAULT_SETTINGS.seed,
      'clock.speed': String(DEFAULT_SETTINGS.clock.speed),
      apiKeys: DEFAULT_SETTINGS.apiKeys.join(),
      signer: String(DEFAULT_SETTINGS.signer),
    })
  })

  it('behavior: defaults are valid', () => {
    for (const { flag, setting, kind, default: text } of OPTIONS) {
      if (text === undefined || text === 'the real time') continue
      const value = kind === 'number' ? Number(text) : kind === 'list' ? [text] : text
      expect(read(configSchema, nest(setting!, value)).problems, flag).toBeUndefined()
    }
  })

  it('behavior: conflicts name existing settings', () => {
    const settings = OPTIONS.map(({ setting }) => setting)
    for (const { conflict, flag } of OPTIONS) if (conflict) expect(settings, flag).toContain(conflict.setting)
  })
})

it('default: options of a session, and those of a server', () => {
  const session = { seed: '7', policy: {} }
  const access = { allowHosts: ['a'], allowOrigins: [], adminToken: 'correct-horse' }
  const addresses = { host: 'a', port: 1, historyPort: 2, publicUrl: 'https://a' }
  const server = { ...access, ...addresses, syntheticFeeds: 2, seriesAt: 'now' as const }
  const run = { log: 'off' as const, watch: true }
  expect(optionsOf({ ...session, ...server, ...run })).toEqual({ session, server })
})

describe('options of single commands', () => {
  /** Those of a recording are settings of another service. */
  const { record, ...others } = COMMAND_OPTIONS
  const options: readonly CliOption[] = Object.values(others).flat()

  it('behavior: they are in the form of the others, and no variable has two meanings', () => {
    for (const { flag, description, setting } of options) {
      expect(flag).toMatch(/^--[a-z]+(-[a-z]+)*( <[a-z]+>)?$/)
      expect(description).toMatch(/^[a-z].*[^.\s]$/)
      const wrong = setting!.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), WRONG)
      expect(wrongIn(optionsSchema, wrong), flag).toEqual([setting])
    }
    // Commands that ask another service share the variables of its address.
    const named = [...OPTIONS, ...options, ...record].filter(option => environmentName(option) !== '')
    const meanings = new Set(named.map(option => `${environmentName(option)} ${option.flag}`))
    expect(new Set(named.map(environmentName)).size).toBe(meanings.size)
  })
})

it('behavior: a description starts in lower case and has no full stop', () => {
  for (const { description } of OPTIONS) expect(description).toMatch(/^([a-z]|JSON\b).*[^.\s]$/)
})
