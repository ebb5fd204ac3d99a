// The RPC over HTTP: credentials of its address arrive, and are in no message.
import { createServer } from 'node:http'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { listen } from '../../test/support/listen.js'
import { createRpc } from './rpc.js'

let answer: string
beforeEach(() => {
  answer = '{"result":"0x1"}'
})
const seen: { authorization: string | undefined; url: string | undefined }[] = []
const server = createServer(({ headers, url }, response) => {
  seen.push({ authorization: headers.authorization, url })
  response.end(answer)
})

const origin = `127.0.0.1:${await listen(server, afterAll)}`

it.each([
  ['user:pass%20word@', 'user:pass word'],
  ['%C3%BCser:%25@', 'üser:%'],
  ['user@', 'user:'],
  [':secret@', ':secret'],
  ['a:%zz@', 'a:%zz'],
])('args: %s is sent as Authorization', async (given, text) => {
  const rpc = createRpc(`http://${given}${origin}/v2/path?key=1`)
  expect(await rpc.request({ method: 'eth_chainId' })).toBe('0x1')
  const authorization = `Basic ${Buffer.from(text).toString('base64')}`
  expect(seen.at(-1)).toEqual({ authorization, url: '/v2/path?key=1' })
})

it('default: without credentials there is no header', async () => {
  await createRpc(`http://${origin}`).request({ method: 'eth_chainId' })
  expect(seen.at(-1)!.authorization).toBeUndefined()
})

it('behavior: a reply of JSON-RPC 1.0 has a result and an error of null', async () => {
  answer = '{"id":1,"result":"0x7a69","error":null}'
  expect(await createRpc(`http://${origin}`).request({ method: 'eth_chainId' })).toBe('0x7a69')
})

it.each([
  ['{"error":"invalid project id"}', 'invalid project id'],
  ['{"error":{"code":-32000,"message":"no funds"}}', 'no funds'],
  ['{"error":{"code":7}}', '{"code":7}'],
  ['{"error":{"message":" two\\n\\u001b[31mlines\\n"}}', 'two [31mlines'],
  [`{"error":{"message":"${'x'.repeat(1000)}"}}`, 'x'.repeat(300)],
])('error: %s', async (text, message) => {
  answer = text
  await expect(createRpc(`http://${origin}`).request({ method: 'eth_chainId' })).rejects.toThrow(
    expect.objectContaining({ code: 'RELAY_FAILED', shortMessage: `eth_chainId: ${message}` }),
  )
})

it.each([
  ['0x08c379a0', '0x08c379a0'],
  ['0x\\u001b[2J', undefined],
])('error: data %s', async (data, shown) => {
  answer = `{"error":{"message":"reverted","data":"${data}"}}`
  const asked = createRpc(`http://${origin}`).request({ method: 'eth_call' })
  await expect(asked).rejects.toThrow(expect.objectContaining({ data: shown }))
})

it('error: no message has them', async () => {
  answer = 'no'
  const rpc = createRpc(`http://user:secret@${origin}/secret`)
  await expect(rpc.request({ method: 'eth_chainId' })).rejects.toThrow(
    `The RPC at http://${origin} does not answer: status 200 without an answer in JSON.`,
  )
})

it('error: an answer without an end is not read to the end of memory', async () => {
  let isCancelled = false
  const endless = new ReadableStream<Uint8Array>({
    pull: controller => controller.enqueue(new Uint8Array(1_000_000).fill(32)),
    cancel: () => void (isCancelled = true),
  })
  const rpc = createRpc('http://127.0.0.1', async () => new Response(endless))
  await expect(rpc.request({ method: 'eth_chainId' })).rejects.toThrow('status 200 without an answer in JSON')
  expect(isCancelled).toBe(true)
})
