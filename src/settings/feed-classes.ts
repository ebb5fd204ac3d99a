// The classes of feeds, which policies speak of and the market gives defaults to.
export const FEED_CLASSES = ['crypto', 'meme', 'staked', 'wrapped', 'stable', 'fx', 'metal'] as const
export type FeedClass = (typeof FEED_CLASSES)[number]
