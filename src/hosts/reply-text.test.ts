// The body of a reply from elsewhere, over real HTTP: long, slow, and without an end.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { collectGarbage } from '../../test/support/collect-garbage.js'
import { listen } from '../../test/support/listen.js'
import { readReplyText } from './answer.js'

const serve = async (listener: RequestListener) => `http://127.0.0.1:${await listen(createServer(listener))}`

const never = new AbortController().signal

it('default: the whole text', async () => {
  const url = await serve((_, response) => response.end('€ 1'))
  expect(await readReplyText(await fetch(url), 10, never)).toBe('€ 1')
  expect(await readReplyText(new Response(null), 10, never)).toBe('')
})

it('behavior: of a long body a part, and its connection ends', async () => {
  let closed: Promise<unknown> | undefined
  const url = await serve((_, response) => {
    closed = once(response, 'close')
    // Since Node 26, the callback comes before the next turn of the event loop, in which it would learn that the client has gone.
    const write = (): void => void (response.destroyed || response.write('x'.repeat(10_000), () => setImmediate(write)))
    write()
  })
  const text = await readReplyText(await fetch(url), 50_000, never)
  expect(text.length).toBeGreaterThan(50_000)
  await closed
})

it('error: a body without an end is ended by a combined signal, whatever the engine has collected', async () => {
  const url = await serve((_, response) => void response.write('{'))
  const [mine, other] = [new AbortController(), new AbortController()]
  const read = async (): Promise<string> => {
    const signal = AbortSignal.any([mine.signal, other.signal])
    return readReplyText(await fetch(url, { signal }), 10, signal)
  }
  const reading = expect(read()).rejects.toThrow('too long')
  for (let turn = 0; turn < 20; turn++) {
    await nextTurn()
    collectGarbage()
  }
  mine.abort(new Error('too long'))
  await reading
})
