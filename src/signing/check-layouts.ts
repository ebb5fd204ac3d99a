// Whether the chosen layouts can sign what will be asked of them: found out at the start, not at the first request.
import { isPriceFeedMockError, type Problem } from '../errors.js'
import type { SigningSettings } from '../settings/settings.js'
import { createEncoder, type Tick } from './encode.js'

/**
 * Everything that is wrong with the choice of layouts.
 * @param extremes for each feed, a price as large as its prices get
 */
export function checkLayouts({ svm, evm, layouts }: SigningSettings, extremes: readonly Tick[]): Problem[] {
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
    for (const tick of extremes) {
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
