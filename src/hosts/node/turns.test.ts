// Turns of the event loop: steps in order, and long requests that let others in between.
import { describe, expect, it } from 'vitest'
import { listen } from '../../../test/support/listen.js'
import { parseReplies, requestTo, talk } from '../../../test/support/raw.js'
import { createMock, ownScenario } from '../../index.js'
import { explain, momentOf } from '../../service/explain.js'
import type { LookUps } from '../../service/market-stage.js'
import { createListener } from './listener.js'
import { createMetrics } from './metrics.js'
import { createServerOf } from './sockets.js'
import { createLongRequests, createTurns } from './turns.js'

/** Calls back in each of the next `count` turns of the event loop. */
async function eachTurn(count: number, look: () => void): Promise<void> {
  for (let i = 0; i < count; i++) {
    await new Promise(resolve => setImmediate(resolve))
    look()
  }
}

it('default: everything is made at once while there is time', () => {
  const turns = createTurns(60_000)
  expect([turns.hasTime(), turns.hasTime(), turns.isOver()]).toEqual([true, true, false])
})

it('behavior: one step a turn without time, in order, and those of another client in between', async () => {
  const turns = createTurns(0)
  const made: string[] = []
  const queue = (name: string): void => turns.queue(() => made.push(name) > 0)
  expect(turns.hasTime()).toBe(false)
  for (const n of [1, 2, 3]) queue(`a${n}`)
  const counts: number[] = []
  await eachTurn(5, () => {
    if (counts.length === 1) queue('b1')
    counts.push(made.length)
  })
  expect(counts).toEqual([1, 2, 3, 4, 4])
  expect(made).toEqual(['a1', 'a2', 'a3', 'b1'])
})

it('behavior: a step that is not done goes on in the next turn, and one that throws is not made again', async () => {
  const turns = createTurns(60_000)
  const made: string[] = []
  turns.queue(() => made.push('long') === 3)
  turns.queue(() => {
    made.push('broken')
    throw new Error('broken')
  })
  turns.queue(() => made.push('last') > 0)
  const broken = new Promise(resolve => process.once('uncaughtException', resolve))
  await eachTurn(3, () => {})
  expect(made).toEqual(['long', 'long', 'long', 'broken'])
  expect(await broken).toMatchObject({ message: 'broken' })
  await eachTurn(1, () => {})
  expect(made.slice(4)).toEqual(['last'])
})

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Requests that make some look-ups each, noted in `made` by name. */
function createWork(turnMs: number) {
  const made: string[] = []
  const run = createLongRequests(turnMs)
  const lookUpsOf = (name: string, count: number): LookUps => {
    let left = count
    return { makeNext: () => left > 0 && made.push(name) > 0 && --left > 0 } as Partial<LookUps> as LookUps
  }
  const ask = (session: object, name: string, count: number) =>
    run(
      session,
      () => (count === 0 ? undefined : lookUpsOf(name, count)),
      () => made.push(`${name}!`) && name,
    )
  return { made, run, ask }
}

describe('createLongRequests', () => {
  it('default: an answer that is made in time is there at once', () => {
    const { made, ask } = createWork(60_000)
    expect([ask({}, 'a', 3), ask({}, 'b', 1), ask({}, 'c', 0)]).toEqual(['a', 'b', 'c'])
    expect(made.join('')).toBe('aaaa!bb!c!')
  })

  it('behavior: all requests of a turn share its time, and the oldest goes on', async () => {
    const { made, ask } = createWork(0)
    const answers = ['a', 'b'].map(name => ask({}, name, 3))
    expect(made.join('')).toBe('')
    await nextTurn()
    expect(made.join('')).toBe('a')
    expect(await Promise.all(answers)).toEqual(['a', 'b'])
    expect(made.join('')).toBe('aaaa!bbbb!')
  })

  it('behavior: later requests of a session wait, those of others do not', async () => {
    const { made, ask } = createWork(0)
    const [one, other] = [{}, {}]
    const answers = [ask(one, 'a', 2), ask(one, 'b', 0), ask(other, 'c', 0), ask(one, 'd', 2)]
    expect(answers[2]).toBe('c')
    await Promise.all(answers)
    expect(made.join('')).toBe('c!aaa!b!ddd!')
    expect(ask(one, 'e', 0)).toBe('e')
  })

  it('error: of look-ups or of an answer, at once or later, and the next request goes on', async () => {
    const { run, ask } = createWork(0)
    const broken = (): never => {
      throw new Error('broken')
    }
    expect(() => run({}, broken, () => 'a')).toThrow('broken')
    expect(() => run({}, () => undefined, broken)).toThrow('broken')
    const session = {}
    const first = ask(session, 'a', 2)
    const failing = [
      run(session, broken, () => 'b'),
      run(session, () => undefined, broken),
      run(
        {},
        () => ({ makeNext: broken }) as Partial<LookUps> as LookUps,
        () => 'c',
      ),
    ]
    const last = ask(session, 'd', 2)
    const results = await Promise.allSettled(failing)
    expect(results.map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
    expect(await Promise.all([first, last])).toEqual(['a', 'd'])
  })
})

describe('over HTTP', () => {
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
      runInTurns: createLongRequests(0),
    })
    return { mock, port: await listen(createServerOf(listener)) }
  }

  it('default: others are answered in between, and the answer is the usual one', async () => {
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
    const asked = { method: 'GET', target: CHART, authorization: undefined, receivedAt: 0 }
    expect(reply!.body).toBe(explain(momentOf(mock.sessions.default), asked, 'whole')!.outcome.body)
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
    expect(mock.sessions.default.record.counters.n).toBe(0)
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
