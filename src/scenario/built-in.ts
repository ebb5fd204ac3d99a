// The scenarios that come with the mock: what the files in scenarios/ hold. Written by `npm run docs`, not by hand.

/** Scenarios by name, as they are written. */
export const BUILT_IN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  calm: { title: 'Nothing goes wrong', why: 'The state to compare every other scenario with.', faults: [] },
}
