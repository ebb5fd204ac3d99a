// The layouts that a search tries, likely ones first. Each part of a layout has a cost, and layouts come in the order of their sum.
import { bytesOfField, type Layout, type LayoutField } from '../settings/layouts.js'
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
const MIXED = 10
const BYTE_ORDERS: readonly Choice<string>[] = [
  ...['le,le,le', 'be,be,be'].map((orders): Choice<string> => [0, orders]),
  ...['le,le,be', 'le,be,le', 'be,le,le', 'be,be,le', 'be,le,be', 'le,be,be'].map(
    (orders): Choice<string> => [MIXED, orders],
  ),
]
/** Bits of each number, from the usual ones to those that nobody expects. */
const [PLAIN, USUAL, RARE] = [0, 2, 5]
const BITS: Readonly<Record<'price' | 'expo' | 'ts', readonly Choice<readonly number[]>[]>> = {
  price: [
    [PLAIN, [64, 192, 128, 256]],
    [USUAL, [32]],
    [RARE, [96, 160, 56, 48, 40, 24, 16, 8]],
  ],
  expo: [
    [PLAIN, [8, 32]],
    [1, [16, 64]],
    [USUAL, [128, 192, 256]],
    [RARE, [24, 40, 48, 56, 96, 160]],
  ],
  ts: [
    [PLAIN, [64, 32]],
    [USUAL, [256, 128, 192]],
    [RARE, [40, 48, 56, 96, 160]],
  ],
}
const COMMON_ID_BYTES = [32, 16, 20, 24, 64]
const [COMMON_ID, ANY_ID] = [3, 4]

/** The parts of the search, in order, by the costs of their most unlikely choices. A layout is unusual in one respect, if at all. */
const PARTS = [
  { id: COMMON_ID, width: USUAL, byteOrder: 0 },
  { id: COMMON_ID, width: USUAL, byteOrder: MIXED },
  { id: ANY_ID, width: PLAIN, byteOrder: 0 },
  { id: COMMON_ID, width: RARE, byteOrder: 0 },
]

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

/** The widths of a number that hold the values of all prices. */
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
        const cost = bytes === 32 ? 0 : COMMON_ID_BYTES.includes(bytes) ? COMMON_ID : ANY_ID
        return [cost, `ascii${bytes}-${side}`]
      }),
    )
}

/**
 * The places of the fields in the signed bytes. Layouts with equal places sign equal bytes for all prices above zero: the zeros between
 * two fields can belong to either.
 */
function placesOf(fields: readonly string[]): string {
  let end = 0
  const places = fields.map(field => {
    const start = end
    end += bytesOfField(field)
    // Below zero, as an expo is, the bytes beside a number are no zeros.
    if (field.startsWith('expo')) return `${start}${field}`
    return field.slice(0, 2) + (/(right|le)$/.test(field) ? `>${start}` : `<${end}`)
  })
  return `${places.join()} ${end}`
}

const MAX_COST = 50

/** All candidates that can hold some prices: those of each part in the order of their cost, of equal ones the first. */
export function* listCandidates(ticks: readonly Tick[]): Generator<Candidate> {
  const ids = idsFitting(ticks)
  const seen = new Set<string>()
  const within = <T>(choices: readonly Choice<T>[], max: number) => choices.filter(([cost]) => cost <= max)
  for (const { id, width, byteOrder } of PARTS) {
    const choices = {
      feedId: within(ids, id),
      price: within(fitting('price', ticks), width),
      expo: within(fitting('expo', ticks), width),
      ts: within(fitting('ts', ticks), width),
      byteOrders: within(BYTE_ORDERS, byteOrder),
    }
    const byCost: (readonly string[])[][] = []
    for (let cost = 0; cost <= MAX_COST; cost++) {
      byCost.push([])
      for (const fields of listFields(choices, cost)) {
        const { size } = seen
        if (seen.add(placesOf(fields)).size > size) byCost[cost]!.push(fields)
      }
      for (const [hashCost, hash] of HASHES)
        for (const fields of byCost[cost - hashCost] ?? []) yield { fields: [...fields], ...hash }
    }
  }
}

interface Choices extends Readonly<Record<LayoutField, readonly Choice<string | number>[]>> {
  readonly byteOrders: readonly Choice<string>[]
}

/** The choice for a field that a layout does not have. */
const NONE: readonly Choice<undefined>[] = [[0, undefined]]

/** One choice of each list, in all ways in which their costs add up to a sum. */
function* choicesOf(lists: readonly (readonly Choice<unknown>[])[], sum: number, at = 0): Generator<unknown[]> {
  if (at === lists.length - 1) {
    for (const [cost, value] of lists[at]!) if (cost === sum) yield [value]
    return
  }
  for (const [cost, value] of lists[at]!)
    if (cost <= sum) for (const others of choicesOf(lists, sum - cost, at + 1)) yield [value, ...others]
}

/** The fields of all layouts of one cost. */
function* listFields({ byteOrders, ...choices }: Choices, cost: number): Generator<readonly string[]> {
  for (const [orderCost, order] of ORDERS) {
    const lists = FIELDS.map(field => (order.includes(field) ? choices[field] : NONE))
    for (const [byteOrder, id, price, expo, ts] of choicesOf([byteOrders, ...lists], cost - orderCost)) {
      const [ofPrice, ofExpo, ofTs] = String(byteOrder).split(',')
      const encodings = {
        feedId: `feedId:${id}`,
        price: `price:u${price}${price === 8 ? '' : ofPrice}`,
        expo: `expo:i${expo}${expo === 8 ? '' : ofExpo}`,
        ts: `ts:u${ts}${ofTs}`,
      }
      yield order.map(field => encodings[field])
    }
  }
}
