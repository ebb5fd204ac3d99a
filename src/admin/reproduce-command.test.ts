// The command that brings a response back: each setting of its own is in it, and nothing else. A state beyond flags is in a snapshot.
import { describe, expect, it } from 'vitest'
import { createCalls, NOW } from '../../test/support/calls.js'
import type { MockOptions } from '../mock.js'
import { LAYOUTS } from '../signing/verify.js'
import { saveSnapshot, toCommand } from './reproduce-command.js'

const AT = '2025-07-24T10:48:25Z'
const { mock, session } = createCalls()
const origin = { serverSeed: '42', save: '', file: 'snapshot.json' }
const { runtime, record } = session()
const command = (speed: number, frozen: boolean): string =>
  toCommand(
    { runtime, state: record.counters },
    { at: AT, speed, frozen },
    { scenarios: mock.scenarios, flags: [] },
    origin,
  )

it('args: speed, unless it is real time or the clock is frozen', () => {
  expect(command(60, false)).toContain(' --speed 60')
  expect(command(1, false)).not.toContain('--speed')
  expect(command(60, true)).not.toContain('--speed')
})

describe('a snapshot', () => {
  type Calls = ReturnType<typeof createCalls>
  const LATEST = '/prices/BTCUSD/latest'
  const reproduceOf = async ({ admin }: Calls): Promise<string> =>
    JSON.parse((await admin('GET', '/_mock/info')).body).reproduce
  const scenario = (fault: object, settings: object = {}) =>
    ({ scenario: { title: 'T', why: 'W', ...settings, faults: [fault] } }) as unknown as MockOptions
  const SHOCK = { fault: 'market/shock', from: '10s', options: { change: -0.1 } }
  const nothing = (): void => {}
  const advance = ({ mock }: Calls): void => mock.clock.advance('20s')
  const ask = ({ serve }: Calls): void => void serve(LATEST)

  it.each<[string, MockOptions, (calls: Calls) => void]>([
    ['no state', {}, nothing],
    ['a moved clock without faults', {}, advance],
    ['a scenario at its start', scenario(SHOCK), nothing],
    ['requests that no fault counts', scenario(SHOCK), ask],
    [
      'requests before the scenario',
      scenario({ fault: 'reply/status', requests: '1' }),
      calls => {
        ask(calls)
        calls.mock.setScenario({ faults: [{ fault: 'reply/status', requests: '1' }] } as never)
      },
    ],
    ['a seed of the scenario', scenario(SHOCK, { seed: '7' }), nothing],
    ['a clock of the scenario at the present', scenario(SHOCK, { clock: { at: NOW, frozen: true } }), nothing],
  ])('default: not with %s', async (_, options, act) => {
    const calls = createCalls(options)
    act(calls)
    expect(await reproduceOf(calls)).toMatch(/^npx price-feed-mock --seed \S+ --at (?!.*--config)/)
  })

  it.each<[string, MockOptions, (calls: Calls) => void]>([
    ['a scenario that began earlier', scenario(SHOCK), advance],
    ['a delay by chance', scenario({ fault: 'reply/latency', options: { ms: 0, jitterMs: 200 } }), ask],
    ['an override', {}, ({ mock }) => mock.change({ prices: { BTCUSD: 50_000 } })],
    ['a scenario that was ended', scenario(SHOCK), ({ mock }) => mock.endScenario()],
    ['counted requests', scenario({ fault: 'reply/status', requests: '2-3' }), ask],
    ['requests counted by chance', scenario({ fault: 'reply/status', chance: 0.5 }), ask],
    ['a used quota', scenario({ fault: 'reply/rate-limit', options: { limit: 2, window: '1m' } }), ask],
    ['a seed above that of the scenario', scenario(SHOCK, { seed: '7' }), ({ mock }) => mock.change({ seed: '8' })],
    [
      'a policy above that of the scenario',
      scenario(SHOCK, { policy: { candles: 5 } }),
      ({ mock }) => mock.change({ policy: { candles: 9 } }),
    ],
    [
      'a clock of the scenario elsewhere',
      scenario({ fault: 'reply/status', from: '1h' }, { clock: { at: NOW } }),
      ({ mock }) => mock.clock.set(NOW - 5),
    ],
    [
      'synthetic feeds of another seed',
      { flags: ['--synthetic-feeds', '2'] },
      ({ mock }) => mock.change({ seed: '8' }),
    ],
  ])('behavior: with %s', async (_, options, act) => {
    const calls = createCalls(options)
    act(calls)
    const now = new Date(calls.mock.clock.now()).toISOString().replace('.000', '')
    const feeds = options.flags === undefined ? '' : ' --synthetic-feeds 2'
    expect(await reproduceOf(calls)).toBe(
      `npx price-feed-mock --seed 42 --snapshot snapshot.json --at ${now} --frozen${feeds}`,
    )
  })

  it('behavior: changes since the start are part of the command', async () => {
    const calls = createCalls()
    const svm = { ...LAYOUTS.svm, prefix: 'ab' }
    calls.mock.change({
      seed: 'changed',
      signer: 4,
      signing: { svm: 'own', layouts: { own: svm } },
      clock: { advance: '3d' },
    })
    const command = await reproduceOf(calls)
    expect(command).toMatch(
      /^npx price-feed-mock --seed changed --at 2025-07-27T10:48:25Z --frozen --signer 4 --config '/,
    )
    const { signing } = JSON.parse(command.match(/'(.*)'$/)![1]!)
    expect(signing).toMatchObject({ svm: 'own', layouts: { own: svm } })
  })

  it('args: the certificate, keys and a private key are those of the server', async () => {
    const calls = createCalls({
      apiKeys: ['own'],
      signerKeyUnsafe: '11'.repeat(32),
      flags: ['--tls-cert', 'my cert.pem', '--tls-key', 'key.pem'],
    })
    calls.mock.change({ prices: { BTCUSD: 50_000 } })
    expect(await reproduceOf(calls)).toBe(
      `npx price-feed-mock --seed 42 --snapshot snapshot.json --at ${AT} --frozen --api-key … --signer-key-unsafe … ` +
        `--tls-cert "my cert.pem" --tls-key key.pem`,
    )
  })
})

const URL_ = 'http://127.0.0.1:4700'

it('default', () => {
  expect(saveSnapshot(URL_, 'default', false)).toBe(
    'curl -sSf -X POST http://127.0.0.1:4700/_mock/sessions/default/snapshot -o snapshot.json && ',
  )
})

it('args: a token, and the certificate of the flags', () => {
  expect(saveSnapshot(URL_, 'a', true, ['--port', '1', '--tls-cert', 'my cert.pem', '--tls-key', 'key.pem'])).toBe(
    `curl -sSf -X POST --cacert "my cert.pem" -H "Authorization: Bearer …" ${URL_}/_mock/sessions/a/snapshot -o snapshot.json && `,
  )
})
