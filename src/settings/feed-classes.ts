// The classes of feeds, which policies speak of and the market gives defaults to.
/** Every class. */
export const FEED_CLASSES = ['crypto', 'meme', 'staked', 'wrapped', 'stable', 'fx', 'metal'] as const
/** One class. */
export type FeedClass = (typeof FEED_CLASSES)[number]
