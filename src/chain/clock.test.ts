import { expect, it } from 'vitest'
import { createMock } from '../index.js'
import { syncClock } from './chain.js'

const AT = 1_753_354_105
const createClock = (at = AT) => createMock({ clock: { at, frozen: true } }).clock

/** A litesvm as far as its clock goes. */
function createSvm(unixTimestamp = 0n) {
  let clock = { unixTimestamp, slot: 7n }
  return { getClock: () => ({ ...clock }), setClock: (next: typeof clock) => (clock = next) }
}

/** A chain behind JSON-RPC that records its calls. */
function createRpc(timestamp: number) {
  const calls: string[] = []
  let next = timestamp
  return {
    calls,
    async request({ method, params }: { method: string; params: unknown[] }) {
      calls.push(method)
      if (method === 'eth_getBlockByNumber') return { timestamp: `0x${timestamp.toString(16)}` }
      if (method === 'evm_setNextBlockTimestamp') next = Number(params[0])
      if (method === 'evm_mine') timestamp = next
      return null
    },
  }
}

it('default: litesvm follows the mock, in both directions of time', async () => {
  const [clock, svm] = [createClock(), createSvm()]
  expect(await syncClock(clock, svm)).toBe(AT)
  expect(svm.getClock()).toEqual({ unixTimestamp: BigInt(AT), slot: 7n })
  clock.advance(-60)
  expect(await syncClock(clock, svm)).toBe(AT - 60)
  expect(svm.getClock().unixTimestamp).toBe(BigInt(AT - 60))
})

it('default: a chain over RPC follows the mock, and mines only when the second has changed', async () => {
  const [clock, rpc] = [createClock(), createRpc(AT - 100)]
  const WRITE = ['eth_getBlockByNumber', 'evm_setNextBlockTimestamp', 'evm_mine']
  await syncClock(clock, rpc)
  expect(rpc.calls.splice(0)).toEqual(WRITE)
  await syncClock(clock, rpc)
  expect(rpc.calls.splice(0)).toEqual(['eth_getBlockByNumber'])
  clock.advance('1h')
  expect(await syncClock(clock, rpc)).toBe(AT + 3600)
  expect(rpc.calls).toEqual(WRITE)
})

it('args: the chain leads', async () => {
  for (const chain of [createSvm(BigInt(AT + 500)), createRpc(AT + 500)]) {
    const clock = createClock()
    expect(await syncClock(clock, chain, { leader: 'chain' })).toBe(AT + 500)
    expect(clock.now()).toBe(1000 * (AT + 500))
  }
})

it('error: a chain that has no block yet', async () => {
  await expect(syncClock(createClock(), { request: async () => null })).rejects.toMatchObject({
    code: 'RELAY_FAILED',
    shortMessage: 'The chain has no block yet.',
  })
})

it('error: a chain ahead of the mock', async () => {
  await expect(syncClock(createClock(), createRpc(AT + 60))).rejects.toThrowErrorMatchingInlineSnapshot(`
    [ClockOutOfRangeError: The chain is 60 s ahead of the mock, and its clock cannot go back.
      got   2025-07-24T10:49:25Z on the chain, 2025-07-24T10:48:25Z in the mock
      fix   start the chain earlier (anvil --timestamp 1753354105), or let the chain lead
      code  CLOCK_OUT_OF_RANGE]
  `)
})

it('error: no clock, no chain, and no leader', async () => {
  const invalid = (at: string, got: unknown) =>
    expect.objectContaining({ code: 'OPTIONS_INVALID', problems: [{ at, got, want: expect.any(String) }] })
  await expect(syncClock(null as never, createSvm())).rejects.toThrow(invalid('clock', null))
  await expect(syncClock(createClock(), {} as never)).rejects.toThrow(invalid('chain', {}))
  await expect(syncClock(createClock(), createSvm(), { leader: 'me' as never })).rejects.toThrow(
    invalid('leader', 'me'),
  )
})
