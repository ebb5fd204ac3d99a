import { expect, it } from 'vitest'
import { describeFault, mockWith, targetOf } from '../../../test/support/request-faults.js'

describeFault('reply/html-error-page', {
  effect({ wire }) {
    expect([wire.status, wire.headers['content-type']]).toEqual([502, 'text/html; charset=utf-8'])
    expect(wire.body).toMatch(/^<!doctype html>\n<html>.*502 Bad Gateway.*<\/html>\n$/s)
    expect(wire.headers['content-length']).toBe(String(wire.body.length))
    expect(() => JSON.parse(wire.body)).toThrow(/Unexpected token/)
  },
})

it.each([
  [200, 'OK'],
  [302, 'Redirect'],
  [404, 'Not Found'],
  [418, 'Error'],
  [429, 'Too Many Requests'],
  [503, 'Service Unavailable'],
  [599, 'Error'],
])('args: status %i, titled %s', async (status, words) => {
  const seen = await mockWith([{ fault: 'reply/html-error-page', options: { status } }]).ask(targetOf('latest'))
  expect(seen.status).toBe(status)
  expect(seen.body).toContain(`<title>${status} ${words}</title>`)
})

it.each([204, 205, 304])('args: status %i has no body', async status => {
  const { ask } = mockWith([{ fault: 'reply/html-error-page', options: { status } }])
  expect(await ask(targetOf('latest'))).toMatchObject({ status, body: '', error: undefined })
})
