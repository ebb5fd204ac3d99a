// Layouts that cannot sign what is asked of them: found when they are chosen.
import { expect, it } from 'vitest'
import { LAYOUTS } from '../settings/layouts.js'
import { checkLayouts } from './check-layouts.js'

const bare = { ...LAYOUTS.evm, signature: 'rs' } as const
const layouts = { ...LAYOUTS, bare, small: { ...LAYOUTS.svm, fields: ['price:u8'] } }
const tick = { feedId: 'BTCUSD', price: 256, expo: -8, ts: 0 }
const placesOf = (svm: string, evm: string) => checkLayouts({ svm, evm, layouts }, [tick]).map(({ at }) => at)

it('default: the layouts of the service', () => {
  expect(placesOf('svm', 'evm')).toEqual([])
})

it('error: an EVM layout without v, which the other form may have', () => {
  expect(placesOf('svm', 'bare')).toEqual(['signing.layouts.bare.signature'])
  expect(placesOf('bare', 'evm')).toEqual([])
})

it('error: an unknown layout, and a field that is too small', () => {
  expect(placesOf('nope', 'toString')).toEqual(['signing.svm', 'signing.evm'])
  expect(placesOf('small', 'evm')).toEqual(['signing.layouts.small'])
})
