import { describe, expect, it } from 'vitest'
import {
  describeFault,
  expectActed,
  expectCalm,
  pairOf,
  SIGNED,
  targetOf,
} from '../../../test/support/request-faults.js'

/** The paths of a value: `prices[].price`. */
const pathsOf = (value: unknown, at = ''): string[] => {
  if (Array.isArray(value)) return [at, ...new Set(value.flatMap(one => pathsOf(one, `${at}[]`)))]
  if (value === null || typeof value !== 'object') return [at]
  return [at, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, `${at}.${key}`))]
}

describeFault('reply/missing-field', {
  on: SIGNED,
  onErrors: false,
  effect({ wire, calm }) {
    expect(pathsOf(JSON.parse(wire.body))).toEqual(
      pathsOf(JSON.parse(calm.body)).filter(path => !path.endsWith('.price')),
    )
    expect(wire.headers['content-length']).toBe(String(wire.body.length))
  },
})

describe('field', () => {
  it.each([
    ['signature', 'latest', '.signature'],
    ['recoveryId', 'batch', '.recoveryId'],
    ['prices', 'evm', '.prices'],
    ['ETHUSD', 'history', '.ETHUSD'],
    ['low', 'history', '.BTCUSD.low'],
    ['result', 'candles', '.data.result'],
    ['data', 'candles', '.data'],
    ['volume', 'candles', '.data.result[].volume'],
  ] as const)('args: %s of %s', async (field, endpoint, path) => {
    const pair = await pairOf([{ fault: 'reply/missing-field', options: { field } }]).ask(targetOf(endpoint))
    expectActed(pair, ['reply/missing-field'])
    const [without, whole] = [pair.wire, pair.calm].map(({ body }) => pathsOf(JSON.parse(body)))
    expect(whole).toContain(path)
    expect(without!.filter(one => one.includes(field))).toEqual([])
  })

  it.each([
    ['null', null],
    ['object', {}],
    ['null-entry', [null]],
  ])('args: as %s', async (as, prices) => {
    const options = { field: 'prices', as }
    const { wire } = await pairOf([{ fault: 'reply/missing-field', options }]).ask('/prices/batch?feedIds=BTCUSD')
    expect(JSON.parse(wire.body)).toMatchObject({ prices })
  })

  it('args: a field of errors', async () => {
    const pair = await pairOf([{ fault: 'reply/missing-field', options: { field: 'message' } }]).ask(
      targetOf('batch'),
      { headers: {} },
    )
    expectActed(pair, ['reply/missing-field'])
    expect([pair.wire.status, pair.wire.body]).toEqual([401, '{"error":"unauthorized"}'])
  })

  it('args: a field that is not there', async () => {
    const { ask } = pairOf([{ fault: 'reply/missing-field', options: { field: 'nope' } }])
    for (const endpoint of SIGNED) expectCalm(await ask(targetOf(endpoint)))
  })
})

it('args: as: the field is null', async () => {
  const fault = { fault: 'reply/missing-field', options: { field: 'price', as: 'null' } }
  const { wire, calm } = await pairOf([fault]).ask(targetOf('batch'))
  const nulls = JSON.parse(calm.body).prices.map((price: object) => ({ ...price, price: null }))
  expect(JSON.parse(wire.body)).toEqual({ ...JSON.parse(calm.body), prices: nulls })
  const { ask } = pairOf([{ ...fault, options: { field: 'nope', as: 'null' } }])
  expectCalm(await ask(targetOf('latest')))
})

it('args: only: the first object alone', async () => {
  const fault = { fault: 'reply/missing-field', options: { as: 'null', only: 'first' } }
  const { wire, calm } = await pairOf([fault]).ask(targetOf('batch'))
  const [first, ...others] = JSON.parse(calm.body).prices
  expect(JSON.parse(wire.body).prices).toEqual([{ ...first, price: null }, ...others])
})

it('args: as: an entry of a list is null', async () => {
  const nullEntryOf = (field: string) => [{ fault: 'reply/missing-field', options: { field, as: 'null-entry' } }]
  const { wire, calm } = await pairOf(nullEntryOf('prices')).ask(targetOf('batch'))
  const { prices, ...rest } = JSON.parse(calm.body)
  expect(JSON.parse(wire.body)).toEqual({ ...rest, prices: [null, ...prices.slice(1)] })
  expectCalm(await pairOf(nullEntryOf('price')).ask(targetOf('batch')))
})
