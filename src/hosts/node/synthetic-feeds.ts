// Synthetic feeds beside those of the catalogue. The generator and its data are loaded only for them.
import type { MockOptions } from '../../index.js'
import { toFeeds } from '../../market/feeds-file.js'
import { DEFAULT_SETTINGS } from '../../settings/settings.js'

/** Adds synthetic feeds, which depend on the seed. */
export async function withSyntheticFeeds(
  feeds: MockOptions['feeds'],
  count = 0,
  seed: MockOptions['seed'] = DEFAULT_SETTINGS.seed,
): Promise<MockOptions['feeds']> {
  if (count === 0) return feeds
  const { inventFeeds } = await import('../../market/synthetic.js')
  return toFeeds(feeds, inventFeeds(String(seed), count))
}
