import { describe, expect, it } from 'vitest'
import { describeFault, expectActed, pairOf, targetOf } from '../../../test/support/request-faults.js'

/** Every object in a value, itself included. */
const objectsIn = (value: unknown): object[] => {
  if (value === null || typeof value !== 'object') return []
  const inner = Object.values(value).flatMap(objectsIn)
  return Array.isArray(value) ? inner : [value, ...inner]
}

describeFault('reply/extra-field', {
  refused: { field: ['', '__proto__', '1a', 'a b'] },
  effect({ wire, calm }) {
    const [objects, honest] = [objectsIn(JSON.parse(wire.body)), objectsIn(JSON.parse(calm.body))]
    expect(objects).toHaveLength(honest.length)
    for (const one of objects) expect(one).toHaveProperty('confidence', 0.95)
    const without = JSON.parse(wire.body, function (this: object, key, value) {
      return key === 'confidence' ? undefined : value
    })
    expect(without).toEqual(JSON.parse(calm.body))
    expect(wire.headers['content-length']).toBe(String(wire.body.length))
  },
})

describe('field and value', () => {
  it.each(['an "ü"', -1.5, true, null])('args: %j', async value => {
    const { wire } = await pairOf([{ fault: 'reply/extra-field', options: { field: 'x_1', value } }]).ask(
      targetOf('latest'),
    )
    expect(JSON.parse(wire.body)).toHaveProperty('x_1', value)
    expect(wire.headers['content-length']).toBe(String(wire.body.length))
  })

  it('args: field: an existing field is kept, a missing one is added', async () => {
    const pair = await pairOf([{ fault: 'reply/extra-field', options: { field: 'price' } }]).ask(targetOf('batch'))
    expectActed(pair, ['reply/extra-field'])
    const { price, ...rest } = JSON.parse(pair.wire.body)
    expect(price).toBe(0.95)
    expect(rest).toEqual(JSON.parse(pair.calm.body))
  })

  it('args: a field whose name objects inherit', async () => {
    const { wire } = await pairOf([{ fault: 'reply/extra-field', options: { field: 'constructor' } }]).ask(
      targetOf('latest'),
    )
    expect(Object.entries(JSON.parse(wire.body))).toContainEqual(['constructor', 0.95])
  })
})
