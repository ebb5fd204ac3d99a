// GET /_mock/sessions/{id}/inspect: the running scenario and the windows of its faults.
import { expect, it } from 'vitest'
import { createCalls, NOW } from '../../test/support/calls.js'

const PATH = '/_mock/sessions/default/inspect'
const SCENARIO = {
  title: 'A gap',
  why: 'To test it.',
  faults: [
    { fault: 'market/gap', feeds: ['btcusd'], from: '10s', for: '5s', repeat: '1m' },
    { fault: 'reply/status', endpoints: ['latest'], requests: '2', options: { status: 500 } },
  ],
}

async function inspect(calls: ReturnType<typeof createCalls>, query = '') {
  const { status, body } = await calls.admin('GET', PATH + query)
  return { status, body: JSON.parse(body) }
}

it('default: no faults', async () => {
  const { status, body } = await inspect(createCalls())
  expect(status).toBe(200)
  expect(body).toMatchObject({ now: NOW, overrides: [], faults: [], scenario: { name: 'calm', appliedAt: NOW } })
  expect(body.signing.layouts[body.signing.svm].digest).toBe('keccak256')
  expect(body.reproduce).toBe(
    `npx price-feed-mock --seed 42 --at ${new Date(NOW * 1000).toISOString().slice(0, 19)}Z --frozen`,
  )
})

it('behavior: windows in the range, and faults without an end', async () => {
  const calls = createCalls({ scenario: SCENARIO as never })
  const { body } = await inspect(calls, `?from=${NOW}&to=${NOW + 120}`)
  expect(body.scenario).toMatchObject({ name: 'inline', title: 'A gap', why: 'To test it.', source: SCENARIO })
  expect(body.faults).toMatchObject([
    {
      fault: 'market/gap',
      feeds: ['BTCUSD'],
      endpoints: null,
      active: false,
      windows: [
        { from: NOW + 10, until: NOW + 15 },
        { from: NOW + 70, until: NOW + 75 },
      ],
    },
    { fault: 'reply/status', feeds: null, endpoints: ['latest'], active: true, windows: [{ from: NOW, until: null }] },
  ])
  calls.mock.clock.advance('12s')
  expect((await inspect(calls)).body.faults[0].active).toBe(true)
  for (const far of [`?from=${NOW + 9999}`, '?to=5']) expect((await inspect(calls, far)).status).toBe(200)
})

it('behavior: the feeds whose price was set', async () => {
  const calls = createCalls()
  calls.mock.change({ prices: { ETHUSD: 1234 } })
  const [set] = (await inspect(calls)).body.overrides
  expect(set).toMatchObject({ feed: 'ETHUSD', price: 1234 })
  expect(NOW - set.since).toBeLessThan(60)
  calls.mock.clock.advance('10s')
  calls.mock.change({ prices: { ETHUSD: null } })
  expect((await inspect(calls)).body.overrides).toEqual([])
})

it('behavior: at most 200 windows of a fault', async () => {
  const faults = [{ fault: 'reply/status', for: '1s', repeat: '2s' }]
  const calls = createCalls({ scenario: { faults } as never })
  const { body } = await inspect(calls, `?from=${NOW}&to=${NOW + 10_000}`)
  expect(body.faults[0].windows).toHaveLength(200)
})

it('behavior: the windows of many faults are as bounded as those of a few', async () => {
  const faults = Array.from({ length: 100 }, () => ({ fault: 'reply/status', for: '1s', repeat: '2s' }))
  const calls = createCalls({ scenario: { faults } as never })
  const { body } = await inspect(calls, `?from=${NOW}&to=${NOW + 10_000}&bin=60`)
  // Joined are those that were looked through.
  expect(body.faults.map(({ windows }: { windows: object[] }) => windows)).toEqual(
    faults.map(() => [{ from: NOW, until: NOW + 399 }]),
  )
})

it('behavior: windows that adjoin, or lie closer together than the bin, are one', async () => {
  const windowsOf = async (fault: object, query: string) => {
    const calls = createCalls({ scenario: { faults: [{ fault: 'reply/status', ...fault }] } as never })
    return (await inspect(calls, `?from=${NOW}&to=${NOW + 10_000}${query}`)).body.faults[0].windows
  }
  expect(await windowsOf({ for: '1m', repeat: '1m' }, '')).toHaveLength(1)
  const every = { for: '1s', repeat: '2s' }
  expect(await windowsOf(every, '&bin=2')).toEqual([{ from: NOW, until: NOW + 9999 }])
  expect(await windowsOf({ ...every, for: '1s', repeat: '1m' }, '&bin=60')).toHaveLength(1)
  expect(await windowsOf({ ...every, for: '1s', repeat: '1m' }, '&bin=59')).toHaveLength(167)
})

it('behavior: of two equal faults, the hits of the one that is edited stay those before', async () => {
  const fault = { fault: 'reply/latency', endpoints: ['latest'], options: { ms: 1 } }
  const calls = createCalls({ scenario: { faults: [fault, fault] } as never })
  calls.serve('/prices/BTCUSD/latest')
  calls.mock.change({ scenario: { faults: [fault, { ...fault, options: { ms: 2 } }] } as never, scenarioAt: NOW })
  expect((await inspect(calls)).body.faults).toMatchObject([
    { hits: 1, hitsBefore: 0 },
    { hits: 0, hitsBefore: 1 },
  ])
})

it('behavior: a fault of other feeds is another one, with hits of its own', async () => {
  const zero = (feed: string) => ({ fault: 'tick/zero', feeds: [feed] })
  const calls = createCalls({ scenario: { faults: [zero('BTCUSD')] } as never })
  calls.serve('/prices/BTCUSD/latest')
  calls.mock.clock.advance('10s')
  calls.mock.change({ scenario: { faults: [zero('ETHUSD')] } as never, scenarioAt: NOW })
  const { body } = await inspect(calls)
  expect(body.faults).toMatchObject([{ fault: 'tick/zero', hits: 0, hitsBefore: 0 }])
  expect(body.earlier).toMatchObject([{ fault: 'tick/zero', hits: 1 }])
})

it('behavior: windows and hits stay as they were when a fault is edited, added or removed', async () => {
  const fault = { fault: 'reply/status', from: '0s', for: '20s' }
  const calls = createCalls({
    scenario: { faults: [fault, { fault: 'market/gap', feeds: ['ETHUSD'], for: '15s' }] } as never,
  })
  const edit = (faults: readonly object[]) => {
    calls.mock.clock.advance('10s')
    calls.mock.change({ scenario: { faults } as never, scenarioAt: NOW })
  }
  for (let i = 0; i < 3; i++) calls.serve('/prices/BTCUSD/latest')
  // Its options change, and the second one goes.
  edit([{ ...fault, for: '40s', options: { status: 500 } }])
  calls.serve('/prices/BTCUSD/latest')
  // Another begins; the first one is as it was, so its hits go on.
  edit([
    { ...fault, for: '40s', options: { status: 500 } },
    { fault: 'market/closed', feeds: ['ETHUSD'] },
  ])
  const { body } = await inspect(calls)
  expect(body.faults).toMatchObject([
    { fault: 'reply/status', windows: [{ from: NOW, until: NOW + 40 }], hits: 1, hitsBefore: 3 },
    { fault: 'market/closed', windows: [{ from: NOW + 20, until: null }], hits: 0, hitsBefore: 0 },
  ])
  expect(body.earlier).toEqual([
    {
      fault: 'market/gap',
      planned: expect.stringContaining('ETHUSD'),
      windows: [{ from: NOW, until: NOW + 10 }],
      hits: 0,
    },
  ])
  expect((await inspect(calls, `?from=${NOW + 11}`)).body.earlier).toEqual([])
  // Another scenario: nothing of the one before is redrawn.
  calls.serve('/prices/BTCUSD/latest')
  calls.mock.change({ scenario: 'calm' })
  const { faults, earlier } = (await inspect(calls)).body
  expect(faults).toEqual([])
  expect(earlier).toMatchObject([
    { fault: 'reply/status', windows: [{ from: NOW, until: NOW + 20 }], hits: 5 },
    { fault: 'market/gap', windows: [{ from: NOW, until: NOW + 10 }] },
  ])
})

it.each([
  ['a time that no earlier state has seen', NOW - 400 * 86_400],
  ['its start, as between two tests', NOW],
])('behavior: after the clock went back to %s, windows and candles are those of now', async (_, at) => {
  const calls = createCalls()
  calls.serve('/prices/BTCUSD/latest')
  calls.mock.clock.advance('1h')
  calls.mock.change({
    clock: { at, frozen: true },
    scenario: { faults: [{ fault: 'market/shock', options: { change: -0.5 } }] },
  })
  calls.mock.change({ clock: { advance: 60 } })
  const { faults } = (await inspect(calls, `?from=${at - 60}&to=${at + 120}`)).body
  expect(faults).toMatchObject([{ fault: 'market/shock', active: true, windows: [{ from: at, until: null }] }])
  const { body } = await calls.admin('GET', '/_mock/sessions/default/candles?feed=BTCUSD&step=10')
  const { own, served } = JSON.parse(body)
  for (const i of [-1, -3]) expect(served.at(i).close / own.at(i).close).toBeCloseTo(0.5, 3)
})
