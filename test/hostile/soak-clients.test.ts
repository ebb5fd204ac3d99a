// The clients of the soak count a connection as silent only if its server owes them something.
import { createServer } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { createAnswers, createGun } from '../../bench/hostile/fire.js'
import type { Ending } from '../../bench/hostile/volleys.js'
import { listen } from '../support/listen.js'

/** It reads, and never answers or closes. */
const silent = createServer({ allowHalfOpen: true }, socket => socket.resume().on('error', () => {}))
const port = await listen(silent, afterAll)

async function silenceOf(ending: Ending, sent: string): Promise<number> {
  const answers = createAnswers()
  const gun = createGun(port, () => {}, { silenceMs: 20, abortMs: 20 })
  expect(await gun.fire({ kind: 'fuzz', requests: 1, sent, ending }, answers)).toBe('')
  return answers.silent
}

it('default: a client that has ended its side is owed an answer or an end', async () => {
  expect(await silenceOf('read', 'GET / HTTP/1.1\r\n\r\n')).toBe(1)
})

it.each(['G', 'GE'])('behavior: a client that resets an unfinished request is owed nothing: %s', async sent => {
  expect(await silenceOf('abort', sent)).toBe(0)
})
