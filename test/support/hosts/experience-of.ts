// The result of a request through `fetch`, failures included, in Node and in a page.
import type { Asked, Experience } from './host.js'

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Asks through a `fetch`. */
export async function experienceOf(fetch: Fetch, url: string, asked: Asked = {}): Promise<Experience> {
  const { body: sentBody, ...init } = asked
  let response: Response
  try {
    response = await fetch(url, { ...init, ...(sentBody === undefined ? {} : { body: sentBody }) })
  } catch (error) {
    return asked.signal?.aborted ? { kind: 'silence' } : { kind: 'nothing', error: String(error) }
  }
  const head = { status: response.status, headers: Object.fromEntries(response.headers) }
  let body = ''
  try {
    const decoder = new TextDecoder()
    const reader = response.body?.getReader()
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read())
      body += decoder.decode(piece.value, { stream: true })
    return { kind: 'reply', ...head, body }
  } catch (error) {
    return { kind: 'broken', error: String(error), ...head, body }
  }
}
