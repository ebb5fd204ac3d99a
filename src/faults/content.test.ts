// Bodies as values: what a change leaves as it is stays the very same, so that it does not count as applied.
import { describe, expect, it } from 'vitest'
import { mapValues, rewriteObjects, textOf } from './content.js'
import type { Content } from './fault.js'

const contentOf = (body: Content['body']): Content => ({
  status: 200,
  body,
  mediaType: 'application/json',
  cors: true,
  headers: [],
  delayMs: 0,
  isStatusSet: false,
  isBodyReplaced: false,
})
const VALUE = { list: [{ a: 1 }, [2, null]], more: { b: 'x' } }

describe('rewriteObjects', () => {
  it('default: objects at every depth, in lists as well', () => {
    const { body } = rewriteObjects(contentOf({ value: VALUE }), object => ({ ...object, c: 0 }))
    expect(body).toEqual({ value: { list: [{ a: 1, c: 0 }, [2, null]], more: { b: 'x', c: 0 }, c: 0 } })
  })

  it('behavior: a value that nothing changes, and a text, stay the very same', () => {
    for (const body of [{ value: VALUE }, { text: '{"a":1}' }]) {
      const content = contentOf(body)
      expect(rewriteObjects(content, object => object)).toBe(content)
    }
    const text = contentOf({ text: '{"a":1}' })
    expect(rewriteObjects(text, () => ({}))).toBe(text)
  })

  it('behavior: mapValues returns what it was given where no value differs', () => {
    expect(mapValues(VALUE, value => value)).toBe(VALUE)
    expect(mapValues({ a: 1 }, String)).toEqual({ a: '1' })
  })
})

it('textOf: the text of a body, or the JSON of its value', () => {
  expect(textOf(contentOf({ text: '<html>' }))).toBe('<html>')
  expect(textOf(contentOf({ value: { a: 'ü' } }))).toBe('{"a":"\\u00fc"}')
})
