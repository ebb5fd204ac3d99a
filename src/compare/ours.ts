// Ours: a mock with the settings of the user and those that were found, which is asked in process.
import { createFetch } from '../hosts/fetch.js'
import { createMock, type FeedsFile } from '../index.js'
import { mergePatches, type SettingsInput, type SettingsPatch } from '../settings/settings.js'
import type { OptionPatch } from './probe.js'

const OUR_KEY = 'ours'

/** The settings of ours that the user has, before any change. */
export interface OurSettings {
  readonly settings: SettingsInput
  readonly feeds: FeedsFile | undefined
}

/** Settings with a change, as a config file has them. */
export function toConfig({ settings, feeds }: OurSettings, { feeds: changes = {}, ...patch }: OptionPatch) {
  const { policy, signing, signer } = mergePatches(settings as SettingsPatch, patch as SettingsPatch) as SettingsInput
  const isEmpty = (part: object | undefined): boolean => part === undefined || Object.keys(part).length === 0
  const { layouts, ...forms } = signing ?? {}
  const definitions = new Map((feeds?.feeds ?? []).map(definition => [definition.id.toUpperCase(), definition]))
  for (const [id, change] of Object.entries(changes))
    definitions.set(id.toUpperCase(), { ...definitions.get(id.toUpperCase()), id, ...change })
  return {
    ...(isEmpty(policy) ? {} : { policy }),
    ...(isEmpty(forms) && isEmpty(layouts) ? {} : { signing: { ...forms, ...(isEmpty(layouts) ? {} : { layouts }) } }),
    ...(signer === undefined ? {} : { signer }),
    ...(definitions.size === 0 ? {} : { feeds: { ...feeds, feeds: [...definitions.values()] } }),
  }
}

/** A mock of ours with some settings, which takes no time to ask. */
export type OurService = ReturnType<typeof createOurs>

/**
 * Creates ours.
 * @throws PriceFeedMockError CONFIG_INVALID or FEEDS_INVALID if the settings are impossible
 */
export function createOurs(base: OurSettings, patch: OptionPatch) {
  const mock = createMock({ ...toConfig(base, patch), apiKeys: [OUR_KEY], clock: { at: 0, frozen: true } })
  const { policy, signing } = mock.sessions.default.runtime.settings
  const fetch = createFetch(mock)
  /** Sets its clock, in seconds since the epoch. */
  const setTime = (second: number): void => mock.clock.set(second)
  return { fetch, apiKey: OUR_KEY, policy, signing, setTime }
}
