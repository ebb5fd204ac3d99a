// The layouts that a search tries, likely ones first. Each part of a layout has a cost, and layouts come in the order of their sum.
import type { Layout, LayoutField } from '../settings/layouts.js'
import type { Tick } from '../signing/encode.js'

/** The signed bytes of a layout, without the form of the signature. */
export type Candidate = Pick<Layout, 'fields' | 'digest' | 'prefix'>

/** A choice for one part, and how unlikely it is. */
type Choice<T> = readonly [cost: number, value: T]

const FIELDS = ['feedId', 'price', 'expo', 'ts'] as const
const HASHES: readonly Choice<Pick<Layout, 'digest' | 'prefix'>>[] = [
  [0, { digest: 'keccak256', prefix: 'none' }],
  [1, { digest: 'keccak256', prefix: 'eip191' }],
  [1, { digest: 'sha256', prefix: 'none' }],
  [2, { digest: 'sha256', prefix: 'eip191' }],
]
/** Byte orders of price, expo and ts: one writer seldom mixes them. */
const BYTE_ORDERS: readonly Choice<string>[] = [
  ...['le,le,le', 'be,be,be'].map((orders): Choice<string> => [0, orders]),
  ...['le,le,be', 'le,be,le', 'be,le,le', 'be,be,le', 'be,le,be', 'le,be,be'].map(
    (orders): Choice<string> => [14, orders],
  ),
]
/** Bits of each number, from the usual ones to those of the vocabulary that nobody expects. */
const BITS: Readonly<Record<'price' | 'expo' | 'ts', readonly Choice<readonly number[]>[]>> = {
  price: [
    [0, [64, 192, 128, 256]],
    [3, [96, 160, 56, 48]],
  ],
  expo: [
    [0, [8, 32]],
    [1, [16, 64]],
    [3, [128, 192, 256, 24, 40, 48, 56, 96, 160]],
  ],
  ts: [
    [0, [64, 32]],
    [2, [256, 128, 192]],
    [3, [40, 48, 56, 96, 160]],
  ],
}
const COMMON_ID_BYTES = [32, 16, 20, 24, 64]

/** The orders of the four fields, then those of fewer. */
const ORDERS: readonly Choice<readonly LayoutField[]>[] = ordersOf([...FIELDS]).map(order => {
  const names = order.join()
  if (order.length < FIELDS.length) return [names === 'feedId,price,ts' ? 3 : 14, order]
  return [/^feedId,price/.test(names) ? 0 : order[0] === 'feedId' ? 1 : 2, order]
})

function ordersOf(rest: readonly LayoutField[]): LayoutField[][] {
  return rest.flatMap(first => [
    [first],
    ...ordersOf(rest.filter(field => field !== first)).map(more => [first, ...more]),
  ])
}

/** The number fields that hold the values of all prices. */
const fitting = (field: 'price' | 'expo' | 'ts', ticks: readonly Tick[]): Choice<number>[] =>
  BITS[field].flatMap(([cost, widths]) =>
    widths
      .filter(bits => ticks.every(tick => BigInt.asIntN(bits, BigInt(tick[field])) === BigInt(tick[field])))
      .map((bits): Choice<number> => [cost, bits]),
  )

function idsFitting(ticks: readonly Tick[]): Choice<string>[] {
  const shortest = Math.max(...ticks.map(({ feedId }) => feedId.length))
  const all = [...COMMON_ID_BYTES, ...Array.from({ length: 99 }, (_, i) => i + 1)]
  return [...new Set(all)]
    .filter(bytes => bytes >= shortest)
    .flatMap(bytes =>
      ['right', 'left'].map((side): Choice<string> => {
        const cost = bytes === 32 ? 0 : COMMON_ID_BYTES.includes(bytes) ? 3 : 15
        return [cost, `ascii${bytes}-${side}`]
      }),
    )
}

const MAX_COST = 50

/** All candidates that can hold some prices, in the order of their cost. */
export function* listCandidates(ticks: readonly Tick[]): Generator<Candidate> {
  const choices = {
    ids: idsFitting(ticks),
    price: fitting('price', ticks),
    expo: fitting('expo', ticks),
    ts: fitting('ts', ticks),
  }
  const none = <T>(list: readonly Choice<T>[]): readonly Choice<T>[] => list.slice(0, 1)
  for (let cost = 0; cost <= MAX_COST; cost++)
    for (const [orderCost, order] of ORDERS) {
      const has = (field: LayoutField): boolean => order.includes(field)
      const ids = has('feedId') ? choices.ids : none(choices.ids)
      const prices = has('price') ? choices.price : none(choices.price)
      const expos = has('expo') ? choices.expo : none(choices.expo)
      const times = has('ts') ? choices.ts : none(choices.ts)
      const byteOrders = has('expo') || has('ts') ? BYTE_ORDERS : BYTE_ORDERS.slice(0, 2)
      for (const [byteCost, byteOrder] of byteOrders) {
        const [ofPrice, ofExpo, ofTs] = byteOrder.split(',')
        for (const [idCost, id] of ids)
          for (const [priceCost, price] of prices) {
            const left = cost - orderCost - byteCost - idCost - priceCost
            if (left < 0) continue
            for (const [expoCost, expo] of expos)
              for (const [tsCost, ts] of times)
                for (const [hashCost, hash] of HASHES) {
                  if (expoCost + tsCost + hashCost !== left) continue
                  const encodings = {
                    feedId: `feedId:${id}`,
                    price: `price:u${price}${ofPrice}`,
                    expo: `expo:i${expo}${expo === 8 ? '' : ofExpo}`,
                    ts: `ts:u${ts}${ofTs}`,
                  }
                  yield { fields: order.map(field => encodings[field]), ...hash }
                }
          }
      }
    }
}
