// What a caller can experience, as data. Hosts turn it into bytes; nothing below them does.

/** The media types of the bodies that the mock writes. */
export const MEDIA_TYPE = {
  json: 'application/json; charset=utf-8',
  problem: 'application/problem+json; charset=utf-8',
  html: 'text/html; charset=utf-8',
} as const

/** Names and values in turn, lower-case names: the flat form of Node's raw headers. */
export type HeaderList = readonly string[]

/** A complete answer. */
export interface Reply {
  readonly kind: 'reply'
  readonly status: number
  readonly headers: HeaderList
  /** ASCII only, so that characters are bytes. For HEAD it is what GET would send; hosts leave it out. */
  readonly body: string
  /** Milliseconds to wait before answering. */
  readonly delayMs: number
}

/** What a caller can experience. */
export type Outcome = Reply

/** A value as JSON in ASCII: whatever a caller sent can be repeated in a message, and characters are bytes. */
export function toAsciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The value of the header that every reply carries: a dictionary of RFC 9651. Text is cut to what a string there may hold. */
export function toDictionary(entries: Readonly<Record<string, string | number | true>>): string {
  return Object.entries(entries)
    .map(([key, value]) => {
      if (value === true) return key
      return typeof value === 'number'
        ? `${key}=${value}`
        : `${key}="${value.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`
    })
    .join(', ')
}

/** The header that every reply carries. */
export const MOCK_HEADER = 'x-price-feed-mock'
