// The classes of feeds, used by policies and by the defaults of the catalogue.
/** All feed classes. */
export const FEED_CLASSES = ['crypto', 'meme', 'staked', 'wrapped', 'stable', 'fx', 'metal'] as const
/** A feed class. */
export type FeedClass = (typeof FEED_CLASSES)[number]
