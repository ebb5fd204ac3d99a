// A recording of a service that misbehaves, over HTTP: nothing that is not written stays untold, and one bad price costs one row.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { replyOf } from '../../test/support/ask.js'
import { createFolder } from '../../test/support/folder.js'
import { listen } from '../../test/support/listen.js'
import { createMock } from '../index.js'
import { LATEST } from '../settings/time.js'
import { testSigners } from '../signing/verify.js'
import { toSeriesInputs } from './input-files.js'
import { type RecordOptions, record } from './record.js'
import { openRecording } from './recording.js'

const START = 1_753_354_105
const DAY = 86_400

let baseUrl: string
let answer: (response: ServerResponse, seconds: number) => unknown
let nowMs: number
let folder: string
let out: string
beforeAll(async () => {
  const server = createServer((_, response) => {
    response.shouldKeepAlive = false
    answer(response, nowMs / 1000 - START)
  })
  baseUrl = `http://127.0.0.1:${await listen(server, afterAll)}`
})
beforeEach(() => {
  nowMs = START * 1000
  folder = createFolder(onTestFinished)
  out = join(folder, 'rows.csv')
})

/** Records for a number of polls. Each wait moves the clock of the recorder. */
async function recordFor(polls: number, options: Partial<RecordOptions> = {}, timeoutMs?: number): Promise<string[]> {
  const lines: string[] = []
  const ended = new AbortController()
  let waits = 0
  await record(
    { baseUrl, apiKey: 'key', feeds: ['BTCUSD', 'ETHUSD'], everyMs: 1000, out, ...options },
    {
      fetch: (url, init) => fetch(url, init),
      now: () => nowMs,
      async wait(ms, signal) {
        nowMs += ms
        if (++waits === polls) ended.abort()
        signal.throwIfAborted()
      },
      report: line => lines.push(line.replaceAll(out, 'rows.csv')),
      onReady: () => lines.push('ready'),
      signal: ended.signal,
      timeoutMs,
    },
  )
  return lines
}

type Item = Readonly<Record<string, unknown>>

const price = (feedId: string, ts: number): Item => ({ feedId, price: 100, expo: -2, ts })
/** Prices of both feeds at a second, of which some are replaced. */
const both = (second: number, btc: Item = {}, eth: Item = {}) => ({
  prices: [
    { ...price('BTCUSD', START + second), ...btc },
    { ...price('ETHUSD', START + second), ...eth },
  ],
})
const send = (response: ServerResponse, body: unknown) =>
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
const rows = () => readFileSync(out, 'utf8').trim().split('\n').slice(1)
const timesOf = (feed: string) =>
  rows()
    .filter(row => row.split(',')[1] === feed)
    .map(row => Number(row.split(',')[0]) - START)

describe('prices from the future', () => {
  it('behavior: one tick from the future costs one row', async () => {
    answer = (response, second) => send(response, both(second, second === 2 ? { ts: START + DAY } : {}))
    const lines = await recordFor(5)
    expect(timesOf('BTCUSD')).toEqual([0, 1, 3, 4])
    expect(timesOf('ETHUSD')).toEqual([0, 1, 2, 3, 4])
    expect(lines.slice(2)).toEqual([
      "left out 1 price: 1 of BTCUSD (ts is ahead of this machine's clock).",
      '9 new rows in rows.csv, 1 price left out.',
    ])
  })

  it('behavior: of a service in the past, a tick that is ahead of the other feeds is left out, also the first one', async () => {
    nowMs += 365 * DAY * 1000
    const ahead = new Set([0, 3, 4])
    answer = (response, seconds) => {
      const second = seconds - 365 * DAY
      send(response, both(second, ahead.has(second) ? { ts: START + second + DAY } : {}))
    }
    const lines = await recordFor(6)
    expect(timesOf('BTCUSD')).toEqual([1, 2, 5])
    expect(timesOf('ETHUSD')).toEqual([0, 1, 2, 3, 4, 5])
    expect(lines.join()).toContain('1 of BTCUSD (ts is ahead of the other feeds)')
    expect(lines.at(-1)).toBe('9 new rows in rows.csv, 3 prices left out.')
  })

  it('behavior: a feed that stands still does not stop the others', async () => {
    // A closed market, for two days; then the clock of the service moves by a day at once.
    answer = (response, second) => send(response, both(second, {}, { ts: START - 2 * DAY }))
    expect((await recordFor(3)).at(-1)).toBe('4 new rows in rows.csv.')
    nowMs += 365 * DAY * 1000
    answer = (response, second) => send(response, both(second - 365 * DAY + ((second + 1) % 2) * DAY))
    expect((await recordFor(2)).at(-1)).toBe('4 new rows in rows.csv.')
  })

  it('behavior: of a service in the past, a feed goes on while the other stands still', async () => {
    nowMs += 365 * DAY * 1000
    answer = (response, seconds) => send(response, both(seconds - 365 * DAY, {}, { ts: START }))
    await recordFor(3, { everyMs: 400_000 })
    expect(timesOf('BTCUSD')).toEqual([0, 400, 800])
    expect(timesOf('ETHUSD')).toEqual([0])
  })

  it('behavior: a file that ends in the future is named at the start', async () => {
    writeFileSync(out, `ts,feed,price\n${START + DAY},BTCUSD,1\n`)
    answer = (response, second) => send(response, both(second))
    const lines = await recordFor(2)
    expect(lines[1]).toBe(
      "rows.csv has a row of BTCUSD at 2025-07-25T10:48:25Z, ahead of this machine's clock: remove it, or BTCUSD stays without rows until then.",
    )
    expect(lines.at(-2)).toBe('left out 1 price: 1 of BTCUSD (ts is before the last row of 2025-07-25T10:48:25Z).')
    expect(timesOf('ETHUSD')).toEqual([0, 1])
  })
})

describe('prices that are left out', () => {
  it('behavior: they are counted, and named once a minute', async () => {
    answer = (response, second) => send(response, both(second, { price: 1.5 }, second % 2 === 0 ? { ts: 'now' } : {}))
    const lines = await recordFor(125)
    expect(lines.filter(line => line.startsWith('left out'))).toEqual([
      'left out 2 prices: 1 of BTCUSD (price is not an integer from 1 to 2^53 - 1), 1 of ETHUSD (ts is not a time in seconds).',
      'left out 90 prices: 60 of BTCUSD (price is not an integer from 1 to 2^53 - 1), 30 of ETHUSD (ts is not a time in seconds).',
      'left out 90 prices: 60 of BTCUSD (price is not an integer from 1 to 2^53 - 1), 30 of ETHUSD (ts is not a time in seconds).',
      'left out 6 prices: 4 of BTCUSD (price is not an integer from 1 to 2^53 - 1), 2 of ETHUSD (ts is not a time in seconds).',
    ])
    expect(lines.at(-1)).toBe('62 new rows in rows.csv, 188 prices left out.')
    // The name of the file is printed when it has rows.
    expect(lines.indexOf('ready')).toBeGreaterThan(lines.findIndex(line => line.startsWith('left out')))
  })

  const PRICE = 'price is not an integer from 1 to 2^53 - 1'
  const TS = 'ts is not a time in seconds'
  const RANGE = 'price is out of its range'
  const EXPO = 'expo is not an integer from -18 to 0'
  it.each<[Item, reason: string | undefined]>([
    [{ price: 1 }, undefined],
    [{ price: 2 ** 53 - 1, expo: -18 }, undefined],
    [{ expo: 0, ts: 0 }, undefined],
    [{ price: 0 }, PRICE],
    [{ price: 2 ** 53 }, PRICE],
    [{ price: '100' }, PRICE],
    [{ ts: -1 }, TS],
    [{ ts: START + 0.5 }, TS],
    [{ ts: LATEST }, "ts is ahead of this machine's clock"],
    [{ ts: LATEST + 1 }, TS],
    [{ expo: 1 }, EXPO],
    [{ expo: -19 }, EXPO],
    [{ expo: -1.5 }, EXPO],
    // A series of the feed would be refused as a whole.
    [{ price: 7, expo: -10 }, RANGE],
    [{ price: 50, expo: -10 }, undefined],
    [{ price: 2 ** 53 - 1, expo: -7 }, RANGE],
  ])('args: a price with %o', async (item, reason) => {
    answer = response => send(response, both(0, item))
    const leftOut = reason === undefined ? [] : [`left out 1 price: 1 of BTCUSD (${reason}).`]
    expect((await recordFor(1)).filter(line => line.startsWith('left out'))).toEqual(leftOut)
  })

  it.each([
    ['a missing feed', { prices: [price('ETHUSD', START)] }, '1 of BTCUSD (not in the reply)'],
    ['another feed', { prices: [...both(0).prices, price('DOGEUSD', START)] }, '1 of others (unknown feed)'],
  ])('behavior: %s', async (_, body, part) => {
    answer = response => send(response, body)
    expect(await recordFor(1)).toContain(`left out 1 price: ${part}.`)
  })

  it('args: signer: prices that it has not signed are left out', async () => {
    const mock = createMock({ clock: { at: START, frozen: true } })
    const ask = (scenario: string) => {
      mock.setScenario(scenario as 'calm')
      const authorization = 'test-api-key'
      const target = '/prices/batch?feedIds=BTCUSD,ETHUSD'
      return replyOf(mock.serve({ method: 'GET', target, authorization, receivedAt: 0 })).body
    }
    const [good, bad] = [ask('calm'), ask('wrong-signer')]
    const signers = [testSigners()[0]!.address]
    answer = response => send(response, bad)
    expect(await recordFor(1, { signers })).toContain(
      'left out 2 prices: 1 of BTCUSD (bad signature: wrong-signer), 1 of ETHUSD (bad signature: wrong-signer).',
    )
    expect(existsSync(out)).toBe(false)
    // The signed bytes have the symbols, also where the service numbers its feeds.
    answer = response => send(response, String(good).replace('"BTCUSD"', '1').replace('"ETHUSD"', '2'))
    expect((await recordFor(1, { signers })).at(-1)).toBe('2 new rows in rows.csv.')
  })

  it.each([{ price: 1 }, { BTCUSD: { high: {} } }])(
    'error: signer: a body that is also %o is not verified, and left out',
    async other => {
      answer = response => send(response, { ...both(0), signature: '00', ...other })
      expect(await recordFor(1, { signers: [testSigners()[0]!.address] })).toContain(
        'left out 2 prices: 1 of BTCUSD (bad signature: malformed), 1 of ETHUSD (bad signature: malformed).',
      )
      expect(existsSync(out)).toBe(false)
    },
  )
})

describe('answers that are none', () => {
  it.each([
    ['broken JSON', '{"prices":[{"feedId":"BTCUSD","pri', 'the service answered 200 with broken JSON'],
    ['a page', '<html>', 'the service answered 200 with broken JSON'],
    ['another JSON', '{"price":1}', 'the service answered 200 without a list of prices'],
  ])('error: %s is named', async (_, body, reason) => {
    answer = response => send(response, body)
    expect((await recordFor(1))[1]).toBe(`${reason}; the next poll is in 1 s.`)
  })

  it('error: an endless body is left after a megabyte', async () => {
    let sent = 0
    let isClosed = false
    answer = response => {
      response.on('close', () => (isClosed = true))
      const more = (): void => {
        while (!response.destroyed && response.write(' '.repeat(65_536))) sent += 65_536
      }
      response.on('drain', more)
      more()
    }
    expect((await recordFor(1))[1]).toMatch(/^the service answered 200 with more than 1000000 characters;/)
    await expect.poll(() => isClosed).toBe(true)
    expect(sent).toBeLessThan(20_000_000)
  })

  it('error: a body that does not end is left after a while, also that of an error', async () => {
    answer = response => response.write('{')
    expect((await recordFor(1, {}, 400))[1]).toBe('the answer did not end in 0.4 s; the next poll is in 1 s.')
    answer = response => response.writeHead(500).write('{')
    expect((await recordFor(1, {}, 400))[1]).toBe('the service answered 500; the next poll is in 1 s.')
    answer = () => {}
    expect((await recordFor(1, {}, 400))[1]).toBe('the service did not answer in 0.4 s; the next poll is in 1 s.')
  })
})

describe('the file', () => {
  it('error: a second recording on one file, also through a link', async () => {
    answer = (response, second) => send(response, both(second))
    const first = openRecording(out)
    first.add([{ feed: 'BTCUSD', ts: START, price: '1', expo: 0 }])
    await expect(recordFor(1)).rejects.toMatchObject({
      code: 'FILE_UNWRITABLE',
      shortMessage: expect.stringContaining(`is in use by process ${process.pid}`),
    })
    first.close()
    expect((await recordFor(1)).at(-1)).toBe('1 new row in rows.csv.')
  })

  it('behavior: an empty one that is gone at the end needs no removal', () => {
    const recording = openRecording(out)
    rmSync(out)
    recording.close()
    openRecording(out).close()
    expect(readdirSync(folder)).toEqual([])
  })

  it('error: something that is no file', async () => {
    await expect(recordFor(1, { out: '/dev/full' })).rejects.toThrow('/dev/full is not a regular file.')
  })

  it('behavior: a recording with gaps is a series', async () => {
    answer = (response, second) => send(response, both(second, second === 2 ? { ts: START + DAY } : {}))
    await recordFor(5)
    const load = () => createMock({ series: toSeriesInputs({ series: [out] }) })
    load()
    // A copy of a part.
    writeFileSync(out, readFileSync(out, 'utf8').slice(0, -2))
    expect(load).toThrow(`${out} is a recording whose last row was cut off.`)
  })
})
