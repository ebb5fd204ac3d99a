// Verdicts of a session: one for each case, bounded, without secrets, and as old as the journal. src/admin/reports.test.ts has the routes.
import { describe, expect, it } from 'vitest'
import { createMock } from '../index.js'
import { judged, restored } from './changes.js'
import { takeSnapshot } from './snapshot.js'
import { toVerdict, withVerdict } from './verdicts.js'

const PLACE = { n: 1, now: 2, receivedAt: 3 }
const verdict = (name: string, why?: string) => toVerdict({ case: name, ok: true, why }, PLACE, [])

describe('withVerdict', () => {
  it('default: the newest is the last', () => {
    const both = withVerdict('a', withVerdict('a', [], verdict('x')), verdict('y'))
    expect(both.map(one => one.case)).toEqual(['x', 'y'])
    expect(withVerdict('a', both, verdict('x', 'again')).map(({ case: name, why }) => [name, why])).toEqual([
      ['y', undefined],
      ['x', 'again'],
    ])
  })

  it('error: too many, or too many characters', () => {
    const many = Array.from({ length: 200 }, (_, i) => verdict(`${i}`))
    expect(withVerdict('a', many, verdict('7'))).toHaveLength(200)
    expect(() => withVerdict('a', many, verdict('200'))).toThrowErrorMatchingInlineSnapshot(`
      [SessionTooLargeError: The session a would have too many verdicts.
        got   201 verdicts of 10745 characters
        want  at most 200 verdicts of 100000 characters
        fix   DELETE /_mock/sessions/a/verdicts
        code  SESSION_TOO_LARGE]
    `)
    const long = Array.from({ length: 90 }, (_, i) => verdict(`${i}`, 'x'.repeat(1000)))
    expect(withVerdict('a', long.slice(1), verdict('90'))).toHaveLength(90)
    expect(() =>
      withVerdict('a', [...long, ...long.map(one => ({ ...one, case: `b${one.case}` }))], verdict('c')),
    ).toThrow('The session a would have too many verdicts.')
  })

  it('behavior: characters are those of ASCII JSON', () => {
    const [short, long] = ['e', 'é'].map(letter =>
      Array.from({ length: 17 }, (_, i) => verdict(`${i}`, letter.repeat(1000))),
    )
    expect(withVerdict('a', short!, verdict('x'))).toHaveLength(18)
    expect(() => withVerdict('a', long!, verdict('x'))).toThrow('The session a would have too many verdicts.')
  })
})

describe('a session', () => {
  it('behavior: the keys of the server and of the session are not shown, also where one begins with another', () => {
    const { sessions } = createMock({ apiKeys: ['my', 'server-key'], realTime: () => 0 })
    const session = sessions.create({ id: 'a', apiKeys: ['my-key', 'my-key-2'] }, 0)
    const why = 'server-key my my-key my-key-2 test-api-key session.a'
    session.run(judged({ case: 'my-key', ok: false, why }, 0))
    expect(session.record.setup.verdicts.at(-1)).toMatchObject({
      case: '(not shown)',
      why: '(not shown) (not shown) (not shown) (not shown) test-api-key session.a',
    })
    session.run(judged({ case: 'long', ok: false, why: 'my'.repeat(500) }, 0))
    expect(session.record.setup.verdicts.at(-1)!.why).toHaveLength(1000)
  })

  it('behavior: a restored snapshot drops later verdicts', () => {
    const mock = createMock({ realTime: () => 0 })
    const session = mock.sessions.default
    session.run(judged({ case: 'before', ok: true }, 0))
    const snapshot = takeSnapshot(session, 0)
    mock.serve({ method: 'GET', target: '/prices/BTCUSD/latest', authorization: undefined, receivedAt: 0 })
    session.run(judged({ case: 'after', ok: true }, 0))
    session.run(restored(snapshot, 0))
    expect(session.record.setup.verdicts.map(one => one.case)).toEqual(['before'])
  })
})
