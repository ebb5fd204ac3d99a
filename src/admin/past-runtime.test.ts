// The moment before a request: a fresh mock, restored to it, sends the same bytes, whatever has changed since.
import { describe, expect, it } from 'vitest'
import { createCalls, LATEST } from '../../test/support/calls.js'
import type { MockOptions, SessionChange } from '../index.js'
import type { Reply } from '../outcome.js'
import { MAX_PAST } from '../service/changes.js'
import { restoreLines, toLines } from '../service/saved-state.js'

const LIMITED = { faults: [{ fault: 'reply/rate-limit', options: { limit: 2, window: '1m' } }] } as const
const every = (n: number) => ({ faults: [{ fault: 'reply/status', requests: { every: n } }] }) as const
type Calls = ReturnType<typeof createCalls>

const snapshotOf = async (calls: Calls, n: number): Promise<unknown> => {
  const { status, body } = await calls.admin('POST', `/_mock/sessions/default/snapshot?before=${n}`)
  expect(status, body).toBe(201)
  return JSON.parse(body)
}
/** Expects that each reply comes back from a mock of its own. */
async function expectAgain(calls: Calls, replies: readonly Reply[], options: MockOptions = {}): Promise<void> {
  for (const [i, reply] of replies.entries()) {
    const fresh = createCalls(options)
    await fresh.admin('POST', '/_mock/sessions/default/restore', await snapshotOf(calls, i + 1))
    expect(fresh.serve(LATEST), `request ${i + 1}`).toEqual(reply)
  }
}

it('behavior: a quota that was used by then', async () => {
  const calls = createCalls({ scenario: LIMITED })
  const replies = []
  for (let i = 0; i < 8; i++) {
    replies.push(calls.serve(LATEST))
    calls.mock.clock.advance(13)
  }
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 429, 429, 429, 200, 200, 429])
  await expectAgain(calls, replies)
})

it('behavior: requests that were counted in a window by then', async () => {
  const fault = { fault: 'reply/status', from: '20s', for: '30s', repeat: '1m', requests: '2' } as const
  const calls = createCalls({ scenario: { faults: [fault] } })
  const replies = []
  for (let i = 0; i < 12; i++) {
    replies.push(calls.serve(LATEST))
    calls.mock.clock.advance(9)
  }
  expect(replies.map(({ status }) => status).join()).toBe('200,200,200,200,503,200,200,200,200,200,503,200')
  await expectAgain(calls, replies)
})

it('behavior: scenarios, prices, settings and a clock that changed since', async () => {
  const calls = createCalls({ scenario: every(2) })
  const replies: Reply[] = []
  const change = (patch: SessionChange): void => {
    calls.mock.change(patch)
    replies.push(calls.serve(LATEST), calls.serve(LATEST))
  }
  change({ clock: { advance: '1m' } })
  change({ prices: { BTCUSD: 50_000 } })
  change({ scenario: every(3) })
  change({ policy: { batchFeedId: 'integer' }, seed: '9', signer: 3 })
  change({ scenario: 'stale-btc', clock: { at: 5 } })
  await expectAgain(calls, replies)
  const present = (await calls.admin('POST', '/_mock/sessions/default/snapshot')).body
  expect(JSON.parse(present).snapshot.state.n).toBe(10)
})

it('behavior: a session that went back to a snapshot', async () => {
  const calls = createCalls({ scenario: every(2) })
  const replies = [calls.serve(LATEST), calls.serve(LATEST), calls.serve(LATEST)]
  const snapshot = await snapshotOf(calls, 3)
  calls.mock.setScenario('stale-btc')
  calls.serve(LATEST)
  await calls.admin('POST', '/_mock/sessions/default/restore', snapshot)
  replies[2] = calls.serve(LATEST)
  await expectAgain(calls, replies)
})

it('behavior: a state that was saved', async () => {
  const calls = createCalls({ scenario: LIMITED })
  const replies = [calls.serve(LATEST), calls.serve(LATEST), calls.serve(LATEST)]
  calls.mock.setScenario('stale-btc')
  replies.push(calls.serve(LATEST))
  const restored = createCalls()
  restoreLines('f', [...toLines(calls.mock, 0)], restored.mock, () => 0)
  await expectAgain(restored, replies)
})

describe('error', () => {
  const problemOf = async (calls: Calls, n: number | string): Promise<string> =>
    JSON.parse((await calls.admin('GET', `/_mock/sessions/default/requests/${n}`)).body).problems[0].want

  it('error: a request that the journal does not have', async () => {
    const calls = createCalls()
    expect(await problemOf(calls, 1)).toBe('a request: the journal is empty')
    calls.serve(LATEST)
    calls.serve(LATEST)
    for (const n of [0, 3, 'x']) expect(await problemOf(calls, n)).toBe('a request of the journal: 1 to 2')
    const { body } = await calls.admin('POST', '/_mock/sessions/default/snapshot?before=3')
    expect(JSON.parse(body).problems).toEqual([{ at: 'before', got: '3', want: 'a request of the journal: 1 to 2' }])
  })

  it('error: a request before more changes than a session remembers', async () => {
    const calls = createCalls()
    for (let i = 0; i <= MAX_PAST; i++) {
      calls.serve(LATEST)
      calls.mock.change({ seed: String(i) })
    }
    calls.serve(LATEST)
    expect(await problemOf(calls, 1)).toMatch(/^a later request/)
    const last = MAX_PAST + 2
    const { body } = await calls.admin('GET', `/_mock/sessions/default/requests/${last}`)
    expect(JSON.parse(body).request).toMatchObject({ n: last, endpoint: 'latest', status: 200 })
    await snapshotOf(calls, last - 1)
  })
})
