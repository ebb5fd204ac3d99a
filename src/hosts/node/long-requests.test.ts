import { once } from 'node:events'
import type { Server } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { parseReplies, requestTo, talk } from '../../../test/support/raw.js'
import { createMock, ownScenario } from '../../index.js'
import { PAUSED, type Pauses } from '../../service/pauses.js'
import { closeServers } from './drain.js'
import { createListener } from './listener.js'
import { createLongRequests } from './long-requests.js'
import { createMetrics } from './metrics.js'
import { createServerOf } from './sockets.js'

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Requests that make some look-ups each, noted in `made` by name. */
function createWork() {
  const made: string[] = []
  const work = (name: string, lookUps: number) => {
    let done = 0
    return (pauses: Pauses): string => {
      while (done < lookUps) {
        made.push(name)
        done++
        if (pauses.isDue()) throw PAUSED
      }
      return `${name} done`
    }
  }
  return { made, work }
}

describe('createLongRequests', () => {
  it('default: an answer that is made in time is there at once', () => {
    const { made, work } = createWork()
    const long = createLongRequests(60_000)
    long.begin(performance.now())
    expect(long.run(work('a', 3))).toBe('a done')
    expect(made).toEqual(['a', 'a', 'a'])
  })

  it('behavior: one look-up a turn without time, the oldest request first', async () => {
    const { made, work } = createWork()
    const long = createLongRequests(0)
    const answers = ['a', 'b'].map(name => long.run(work(name, 3)))
    expect(made).toEqual(['a', 'b'])
    await nextTurn()
    expect(made).toEqual(['a', 'b', 'a'])
    expect(await Promise.all(answers)).toEqual(['a done', 'b done'])
    expect(made.join('')).toBe('abaabb')
  })

  it('behavior: all requests of a callback share its time', () => {
    const long = createLongRequests(0)
    long.begin(performance.now())
    const { made, work } = createWork()
    for (const name of ['a', 'b', 'c']) long.run(work(name, 2))
    expect(made).toEqual(['a', 'b', 'c'])
  })

  it('behavior: while eight wait, the look-ups of further ones are not kept', async () => {
    const long = createLongRequests(0)
    const kept: (number | undefined)[] = []
    const answers = Array.from({ length: 10 }, () => {
      let attempts = 0
      return long.run(pauses => {
        if (++attempts > 1) return kept.push(pauses.progress?.lookUps?.size)
        const lookUps = new Map([['BTCUSD', { value: 1, applied: [], units: 1 }]])
        pauses.progress = { context: {}, isRepeated: false, lookUps }
        throw PAUSED
      })
    })
    await Promise.all(answers)
    expect(kept).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0, 0])
  })

  it('error: of an attempt, at once or later, and the next request goes on', async () => {
    const long = createLongRequests(0)
    const { work } = createWork()
    const ended: Pauses[] = []
    const failing = (attempts: number) => (pauses: Pauses) => {
      ended.push(pauses)
      pauses.progress ??= { context: {}, isRepeated: false }
      if (--attempts > 0) throw PAUSED
      throw new Error('broken')
    }
    expect(() => long.run(failing(1))).toThrow('broken')
    const later = long.run(failing(2))
    const next = long.run(work('b', 2))
    await expect(later).rejects.toThrow('broken')
    expect(await next).toBe('b done')
    expect(ended.map(({ hasEnded, progress }) => [hasEnded, progress])).toEqual(Array(3).fill([true, undefined]))
  })
})

describe('over HTTP', () => {
  const servers: Server[] = []
  afterEach(() => closeServers(servers.splice(0), 0))
  const CHART = '/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=5m'

  /** A server that makes one look-up a turn. */
  const serve = async () => {
    const mock = createMock({
      clock: { at: '2025-07-24T10:48:25Z', frozen: true },
      scenario: ownScenario({ faults: [{ fault: 'market/drift', repeat: '30s', for: '20s' }] }),
    })
    mock.sessions.create({ id: 'other' }, 0)
    mock.clock.advance('5d')
    const listener = createListener(mock, {
      allowHosts: [],
      allowOrigins: [],
      adminToken: undefined,
      metrics: createMetrics(() => 1),
      addresses: () => ({ baseUrl: '', historyUrl: '' }),
      onExchange: () => {},
      long: createLongRequests(0),
    })
    const server = createServerOf(listener).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return { mock, port: (server.address() as { port: number }).port }
  }

  it('default: others are answered in between, and the answer is the one without pauses', async () => {
    const { mock, port } = await serve()
    const order: string[] = []
    const chart = talk(port, requestTo(CHART)).then(text => {
      order.push('chart')
      return text
    })
    for (const _ of [1, 2, 3]) {
      await talk(port, requestTo('/session/other/prices/BTCUSD/latest'))
      order.push('latest')
    }
    const [reply] = parseReplies(await chart)
    expect(order).toEqual(['latest', 'latest', 'latest', 'chart'])
    expect(reply!.status).toBe(200)
    const plain = mock.sessions.default.preview(
      { method: 'GET', target: CHART, authorization: undefined, receivedAt: 0 },
      {},
    )!
    expect(reply!.body).toBe((plain.outcome as { body: string }).body)
    expect(mock.sessions.default.journal.entries()).toHaveLength(1)
  })

  it('behavior: so is `explain`, which changes nothing', async () => {
    const { mock, port } = await serve()
    const target = `/_mock/explain?body=whole&url=${encodeURIComponent(CHART)}`
    // Loads the admin.
    await talk(port, requestTo('/_mock/health'))
    const order: string[] = []
    const explained = talk(port, requestTo(target)).then(text => {
      order.push('explain')
      return text
    })
    await talk(port, requestTo('/session/other/prices/BTCUSD/latest'))
    order.push('latest')
    const [reply] = parseReplies(await explained)
    expect(order).toEqual(['latest', 'explain'])
    const request = { method: 'GET', target, authorization: undefined, receivedAt: 0 }
    const plain = await mock.administer(request, { baseUrl: '', historyUrl: '' })
    expect(reply).toMatchObject({ status: 200, body: (plain as { body: string }).body })
    expect(mock.sessions.default.state.n).toBe(0)
  })

  it('behavior: pipelined requests of its session are counted in their order', async () => {
    const { port } = await serve()
    const targets = [CHART, '/prices/BTCUSD/latest', CHART.replace('5m', '1h'), '/prices/ETHUSD/latest']
    const sent = targets.map((target, i) =>
      i === targets.length - 1 ? requestTo(target) : requestTo(target).replace('Connection: close\r\n', ''),
    )
    const replies = parseReplies(await talk(port, sent.join('')))
    expect(replies.map(({ headers }) => /\bn=(\d+)/.exec(headers['x-price-feed-mock']!)![1])).toEqual([
      '1',
      '2',
      '3',
      '4',
    ])
  })
})
