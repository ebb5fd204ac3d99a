// Helpers of conformance tests: ask with a key, read the JSON, look at the types of fields.
import { expect } from 'vitest'
import type { Outcome, Reply } from '../../src/outcome.js'
import type { Host } from './hosts.js'

export const KEY = { authorization: 'test-api-key' }

/** The body of a 200 for a request with the default key. */
export async function ask<T>(host: Host, path: string): Promise<T> {
  const { status, headers, body } = await host.request(path, { headers: KEY })
  expect(status, body).toBe(200)
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  return JSON.parse(body) as T
}

/** The body of an error of the service. All errors have the same form. */
export async function askError(
  host: Host,
  path: string,
  status: number,
  headers: Readonly<Record<string, string>> = KEY,
): Promise<{ error: string; message: string }> {
  const reply = await host.request(path, { headers })
  expect(reply.status, reply.body).toBe(status)
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  const error = JSON.parse(reply.body)
  expect(typesOf(error)).toEqual({ error: 'string', message: 'string' })
  return error
}

/** The fields of an object with their types as in the tables of the interface. */
export function typesOf(object: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      if (Array.isArray(value)) return [name, 'array']
      return [name, Number.isInteger(value) ? 'integer' : typeof value]
    }),
  )
}

/** A price in a reply. Its fields depend on the endpoint. */
export interface Price {
  readonly feedId: string
  readonly price: number
  readonly expo: number
  readonly ts: number
  readonly signature: string
  readonly recoveryId: number
}

export interface Batch {
  readonly prices: readonly Omit<Price, 'signature' | 'recoveryId'>[]
  readonly signature: string
  readonly recoveryId: number
}

export type Evm = { readonly prices: readonly Omit<Price, 'recoveryId'>[] }

export type History = Readonly<Record<string, { readonly high: Price; readonly low: Price }>>

export interface Candle {
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly avg: number
  readonly volume: number
}

export interface Chart {
  readonly data: { readonly queryType: string; readonly interval: string; readonly result: readonly Candle[] }
}

/** The reply of an answer without a wire fault. */
export function replyOf(answer: { readonly outcome: Outcome } | undefined): Reply {
  if (answer?.outcome.kind !== 'reply') throw new Error(`no reply but ${answer?.outcome.kind ?? 'nothing'}`)
  return answer.outcome
}
