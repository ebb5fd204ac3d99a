// Checks at the start that the chosen layouts can sign every price, instead of failing at the first request.
import { isPriceFeedMockError, type Problem } from '../errors.js'
import { MAX_LAYOUTS } from '../settings/layouts.js'
import type { SigningSettings } from '../settings/settings.js'
import { createEncoder, type Tick } from './encode.js'

/**
 * Finds every problem of the chosen layouts.
 * @param largest the largest price of each feed
 */
export function checkLayouts({ svm, evm, layouts }: SigningSettings, largest: readonly Tick[]): Problem[] {
  const count = Object.keys(layouts).length
  if (count > MAX_LAYOUTS)
    return [{ at: 'signing.layouts', got: count, want: `at most ${MAX_LAYOUTS} layouts, with the built-in ones` }]
  return Object.entries({ svm, evm }).flatMap(([form, name]): Problem[] => {
    const layout = Object.hasOwn(layouts, name) ? layouts[name] : undefined
    if (layout === undefined)
      return [{ at: `signing.${form}`, got: name, want: `the name of a layout: ${Object.keys(layouts).join(', ')}` }]
    if (form === 'evm' && layout.signature === 'rs')
      return [
        {
          at: `signing.layouts.${name}.signature`,
          got: 'rs',
          want: 'rsv or rsy: the EVM form has no recovery id beside it',
        },
      ]
    const { encode } = createEncoder(layout)
    for (const tick of largest) {
      try {
        encode([tick])
      } catch (error) {
        if (!isPriceFeedMockError(error)) throw error
        const [{ at, got, want }] = error.problems as [Problem]
        return [
          { at: `signing.layouts.${name}`, got: `${at} ${got} of ${tick.feedId}`, want: `${want}, or a wider field` },
        ]
      }
    }
    return []
  })
}
