// Synthetic feeds, for load tests and long lists. This is the only file that imports faker, whose data is loaded on demand.
import type { Faker } from '@faker-js/faker'
import { DEFAULT_SETTINGS } from '../settings/settings.js'
import type { Feed, FeedDefinition } from './feeds.js'
import { type FeedsFile, toFeeds } from './feeds-file.js'
import { POWERS_OF_TEN } from './pricing.js'
import { hashText } from './random.js'

/** The first number of synthetic feeds, above those of the catalogue and below those hashed from ids. */
const FIRST_NUMBER = 100_001

/** Adds synthetic feeds to those given, or to the catalogue. */
export async function withSyntheticFeeds<Given extends FeedsFile | readonly Feed[] | undefined>(
  feeds: Given,
  count = 0,
  seed: string | number = DEFAULT_SETTINGS.seed,
): Promise<Given | readonly Feed[]> {
  return count === 0 ? feeds : toFeeds(feeds, await inventFeeds(String(seed), count))
}

/**
 * Invents feeds with names from faker. Each feed depends only on the seed and its index, so a higher count does not change the first
 * feeds.
 */
export async function inventFeeds(seed: string, count: number): Promise<FeedDefinition[]> {
  // Its main entry would load the names of seventy languages: 37 MB, and a fifth of a second.
  const { faker: shared } = await import('@faker-js/faker/locale/en')
  // The shared one may be in use by tests, which seed it for themselves.
  const OwnFaker = shared.constructor as typeof Faker
  const faker = new OwnFaker({ locale: shared.rawDefinitions })
  return Array.from({ length: count }, (_, index) => {
    faker.seed(hashText(`${seed}:synthetic:${index}`))
    const letters = faker.company
      .name()
      .toUpperCase()
      .replace(/[^A-Z]/g, '')
      .slice(0, 5)
    const id = `${letters}${index + 1}USD`
    const decimals = faker.number.int({ min: -3, max: 4 })
    const mantissa = faker.number.int({ min: 100, max: 999 })
    return {
      id,
      number: FIRST_NUMBER + index,
      base: decimals < 0 ? mantissa / POWERS_OF_TEN[2 - decimals]! : (mantissa * POWERS_OF_TEN[decimals]!) / 100,
      drivers: {
        crypto: faker.number.int({ min: 30, max: 70 }) / 100,
        [id]: faker.number.int({ min: 20, max: 90 }) / 100,
      },
      volume: faker.number.int({ min: 1, max: 500 }) * 100_000,
      heartbeat: faker.helpers.arrayElement([1, 2, 4, 8, 16]),
      lag: faker.number.int({ min: 0, max: 3 }),
    }
  })
}
