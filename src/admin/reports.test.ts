// The routes of the report and of verdicts: input, limits, and what removes verdicts.
import { describe, expect, it } from 'vitest'
import { createCalls, NOW } from '../../test/support/calls.js'

const SESSION = '/_mock/sessions/default'
const VERDICT = { case: 'stale-btc', ok: false, why: 'traded' }

function open(options = {}) {
  const calls = createCalls(options)
  const send = async (method: string, path: string, body?: unknown) => {
    const reply = await calls.admin(method, SESSION + path, body)
    return { status: reply.status, body: reply.body === '' ? undefined : JSON.parse(reply.body) }
  }
  const report = async () => (await send('GET', '/report')).body
  const post = (body: unknown) => send('POST', '/verdicts', body)
  return { ...calls, send, report, post }
}

describe('the report', () => {
  it('default: it counts nothing', async () => {
    const { report, session, serve } = open()
    serve('/prices/BTCUSD/latest')
    expect(await report()).toMatchObject({
      session: 'default',
      now: NOW,
      requests: 1,
      dropped: 0,
      failed: 0,
      verdicts: [],
    })
    expect(session().record.counters.n).toBe(1)
  })

  it('error: an unknown session', async () => {
    const { admin } = open()
    expect(JSON.parse((await admin('GET', '/_mock/sessions/nope/report')).body).code).toBe('SESSION_UNKNOWN')
    expect(JSON.parse((await admin('POST', '/_mock/sessions/nope/verdicts', VERDICT)).body).code).toBe(
      'SESSION_UNKNOWN',
    )
  })
})

describe('verdicts', () => {
  it('default: a verdict has its place in the journal', async () => {
    const { post, report, serve } = open()
    serve('/prices/BTCUSD/latest')
    const added = { ...VERDICT, n: 1, now: NOW, receivedAt: 0 }
    expect(await post(VERDICT)).toEqual({ status: 201, body: added })
    expect(await report()).toMatchObject({ failed: 1, verdicts: [added] })
  })

  it.each([
    ['DELETE', '/verdicts'],
    ['DELETE', '/requests'],
    ['POST', '/reset'],
  ])('behavior: %s %s removes them', async (method, path) => {
    const { post, report, send, session } = open()
    const before = session().charge.bytes
    await post(VERDICT)
    expect(session().charge.bytes).toBeGreaterThan(before + 50)
    expect((await send(method, path)).status).toBeLessThan(300)
    expect((await report()).verdicts).toEqual([])
    expect(session().charge.bytes).toBe(before)
  })

  it('behavior: DELETE of the verdicts keeps the journal', async () => {
    const { post, send, session, serve } = open()
    serve('/prices/BTCUSD/latest')
    await post(VERDICT)
    await send('DELETE', '/verdicts')
    expect(session().journal.entries()).toHaveLength(1)
  })

  it.each([
    [{}, ['case', 'ok']],
    [{ case: '', ok: true }, ['case']],
    [{ case: 'x'.repeat(101), ok: true }, ['case']],
    [{ case: 'two\nlines', ok: true }, ['case']],
    [{ case: 'a', ok: 'yes' }, ['ok']],
    [{ case: 'a', ok: true, why: 'x'.repeat(1001) }, ['why']],
    [{ case: 'a', ok: true, nope: 1 }, ['nope']],
  ])('error: %j', async (body, at) => {
    const { post } = open()
    const { status, body: problem } = await post(body)
    expect([status, problem.code]).toEqual([400, 'REQUEST_INVALID'])
    expect(problem.problems.map((one: { at: string }) => one.at)).toEqual(at)
  })

  it('error: too many characters', async () => {
    const { post, session } = open()
    let status = 201
    for (let i = 0; status === 201; i++) ({ status } = await post({ case: `${i}`, ok: true, why: 'é'.repeat(1000) }))
    expect(status).toBe(413)
    expect(session().charge.bytes).toBeLessThan(120_000)
    expect(session().record.setup.verdicts.length).toBe(16)
  })

  it('behavior: secrets of the session are not shown', async () => {
    const key = 'live-4242'
    const signerKeyUnsafe = `0x${'AB'.repeat(32)}`
    const { post } = open({ apiKeys: [key], signerKeyUnsafe })
    const { body } = await post({
      case: `key ${key}`,
      ok: false,
      why: `${signerKeyUnsafe} ${signerKeyUnsafe.toLowerCase()}`,
    })
    expect(body).toMatchObject({ case: 'key (not shown)', why: '0x(not shown) 0x(not shown)' })
    const long = await post({ case: key.repeat(11), ok: false })
    expect(long.body.case).toHaveLength(100)
  })
})
