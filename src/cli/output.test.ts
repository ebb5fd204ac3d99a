// Output that cannot be written, and the decision on colours.
import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { createOutput, hasColours, type OutputStream } from './output.js'
import { createRejectionReporter } from './run-context.js'

const failure = (code: string): Error => Object.assign(new Error(code), { code })

/** A stream that has the given error, thrown or emitted, from its second text on. */
function createStream(code: string, isThrown: boolean) {
  const texts: string[] = []
  const stream: EventEmitter & OutputStream = Object.assign(new EventEmitter(), {
    fd: 2,
    write(text: string) {
      if (texts.length === 0) texts.push(text)
      else if (isThrown) throw failure(code)
      else stream.emit('error', failure(code))
    },
  })
  return { stream, texts }
}

it.each([true, false])('error: another stream gets one report; thrown: %s', isThrown => {
  const { stream, texts } = createStream('ENOSPC', isThrown)
  const reports: string[] = []
  const print = createOutput(
    stream,
    message => reports.push(message),
    () => {
      throw failure('ENOSPC')
    },
  )
  for (const text of ['1', '2', '3', '4']) print(text)
  expect(texts).toEqual(['1'])
  expect(reports).toEqual(['price-feed-mock: output cannot be written (ENOSPC).\n'])
})

it('error: the stream gets one report when it can be written again', () => {
  const { stream, texts } = createStream('ENOSPC', false)
  let isFull = true
  const print = createOutput(stream, undefined, (_, text) => {
    if (isFull) throw failure('ENOSPC')
    texts.push(text)
  })
  for (const text of ['1', '2', '3']) print(text)
  isFull = false
  for (const text of ['4', '5']) print(text)
  expect(texts).toEqual(['1', 'price-feed-mock: some lines could not be written (ENOSPC).\n4', '5'])
})

it('behavior: a closed pipe is no error', () => {
  const { stream } = createStream('EPIPE', false)
  const reports: string[] = []
  const print = createOutput(
    stream,
    message => reports.push(message),
    () => reports.push('written'),
  )
  for (const text of ['1', '2', '3']) print(text)
  expect(reports).toEqual([])
})

it('behavior: a rejection is reported once', () => {
  const reports: string[] = []
  const report = createRejectionReporter(text => reports.push(text))
  const error = new Error('floating')
  for (const reason of [error, error, 'a text', undefined]) report(reason)
  expect(reports.map(text => text.split('\n')[1])).toEqual(['Error: floating', 'a text', 'undefined'])
})

it.each([
  [{}, false, false],
  [{}, true, true],
  [{ CI: 'true' }, false, false],
  [{ TERM: 'dumb' }, true, false],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '1', TERM: 'dumb' }, false, true],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, false, false],
  [{ NO_COLOR: '' }, true, true],
])('args: hasColours: %j, terminal: %s', (environment, isTerminal, expected) => {
  expect(hasColours(environment, isTerminal)).toBe(expected)
})
