// A hunt in process: a consumer that polls, with and without mistakes.
import { describe, expect, it } from 'vitest'
import { limitAfter } from './hunt.js'
import { hunt, type PriceFeed } from './testing.js'

const OPTIONS = { clock: { at: '2025-07-24T10:48:25Z', frozen: true }, runs: 40 } as const

/** A consumer that polls BTC for a minute and acts on what it gets. */
const poller =
  (act: (price: { price: number; ts: number }, now: number) => void) =>
  async (priceFeed: PriceFeed): Promise<void> => {
    for (let i = 0; i < 20; i++) {
      const now = (await priceFeed.clock.now()) / 1000
      let body: { price: number; ts: number } | undefined
      try {
        const response = await priceFeed.fetch(`${priceFeed.baseUrl}/prices/BTCUSD/latest`, {
          headers: { authorization: priceFeed.apiKey },
          signal: AbortSignal.timeout(3000),
        })
        if (response.ok) body = (await response.json()) as typeof body
      } catch {
        // It asks again.
      }
      if (Number.isInteger(body?.price) && Number.isInteger(body?.ts)) act(body!, now)
      await priceFeed.clock.advance('3s')
    }
  }

describe('hunt', () => {
  it('default: a consumer without mistakes has no finds', async () => {
    const report = await hunt(
      poller(() => {}),
      // The next tests show that no more runs have other finds.
      { ...OPTIONS, runs: 10 },
    )
    expect(report).toMatchObject({ calm: 'passed', finds: [], runs: 10, isCut: false })
    expect(report.leftOut).toContain('series/empty')
  })

  it('behavior: some runs begin at another date, frozen as those of the session', async () => {
    const dates = new Set<string>()
    const consumer = async ({ clock, client }: PriceFeed): Promise<void> => {
      dates.add(new Date(await clock.now()).toISOString())
      for (let i = 0; i < 10; i++, await clock.advance('1s')) await client.latest({ feedId: 'BTCUSD' }).catch(() => {})
    }
    await hunt(consumer, OPTIONS)
    expect([...dates]).toEqual([
      '2025-07-24T10:48:25.000Z',
      '2025-07-27T20:59:58.000Z',
      '2026-12-31T23:59:58.000Z',
      '2025-07-25T22:30:00.000Z',
      '2038-01-19T03:14:06.000Z',
      '2028-02-28T23:59:58.000Z',
    ])
  })

  it('behavior: what a consumer asks after its run gets no answer', async () => {
    let isAnswered = false
    let left: PriceFeed | undefined
    await hunt(
      async priceFeed => {
        left = priceFeed
        await priceFeed.client.latest({ feedId: 'BTCUSD' })
      },
      { ...OPTIONS, runs: 1 },
    )
    void left!.client.latest({ feedId: 'BTCUSD' }).finally(() => (isAnswered = true))
    for (let i = 0; i < 10; i++) await new Promise(resolve => setImmediate(resolve))
    expect(isAnswered).toBe(false)
  })

  it('behavior: one that divides by the price', async () => {
    const consumer = poller(({ price }) => {
      if (!Number.isFinite(1 / price)) throw new RangeError('a value of Infinity')
    })
    const { finds } = await hunt(consumer, OPTIONS)
    expect(finds).toHaveLength(1)
    expect(finds[0]).toMatchObject({
      name: 'tick-zero',
      output: 'RangeError: a value of Infinity',
      confirmed: 3,
      scenario: {
        title: 'The price is 0, with a valid signature.',
        faults: [{ fault: 'tick/zero', requests: { first: 1 } }],
      },
    })
  })

  it('behavior: the output has the causes of an error, which a library such as fast-check wraps', async () => {
    const consumer = poller(({ price }) => {
      const cause = new RangeError('worth nothing', { cause: 'a zero' })
      if (price === 0) throw new Error('Property failed after 1 tests', { cause })
    })
    const { finds } = await hunt(consumer, OPTIONS)
    const { output, scenario } = finds[0]!
    expect(output).toBe('Error: Property failed after 1 tests\nCaused by RangeError: worth nothing\nCaused by a zero')
    expect(scenario.why).toMatch(/Caused by RangeError: worth nothing$/)
    const endless = new Error('round')
    endless.cause = endless
    const { calmOutput } = await hunt(() => Promise.reject(endless), OPTIONS)
    expect(calmOutput.split('\n')).toHaveLength(5)
  })

  it('behavior: a feed that the mock does not have, and that its policy leaves out of a reply', async () => {
    const consumer: Parameters<typeof hunt>[0] = async ({ client, clock }) => {
      for (let i = 0; i < 20; i++, await clock.advance('2s'))
        await client.batch({ feedIds: ['BTCUSD', 'NOPEUSD'] }).catch(() => {})
    }
    const report = await hunt(consumer, { ...OPTIONS, runs: 12, policy: { unknownFeed: 'omit' } })
    expect(report).toMatchObject({ calm: 'passed', finds: [], runs: 12 })
  })

  it.each([
    ['a getter', Object.defineProperty({}, 'message', { get: () => expect.fail() })],
    ['a name that is no text', Object.assign(new Error(), { name: Symbol() })],
  ])('behavior: it throws a value that cannot be read: %s', async (_, thrown) => {
    const { finds } = await hunt(
      async ({ client }) => {
        if ((await client.latest({ feedId: 'BTCUSD' }).catch(() => {})) === undefined) throw thrown
      },
      { ...OPTIONS, runs: 8 },
    )
    expect(finds).toMatchObject([{ output: 'It threw a value that cannot be read.' }])
  })

  it('behavior: a run of more seconds than the nine digits of a duration', async () => {
    const consumer: Parameters<typeof hunt>[0] = async ({ client, clock }) => {
      for (let i = 0; i < 15; i++, await clock.advance('2000d'))
        await client.latest({ feedId: 'BTCUSD' }).catch(() => {})
    }
    const clock = { at: '2000-01-01T00:00:00Z', frozen: true } as const
    expect(await hunt(consumer, { clock, runs: 40 })).toMatchObject({ calm: 'passed', finds: [], runs: 40 })
  })

  it('behavior: one that never looks at ts', async () => {
    const consumer = poller(({ ts }, now) => {
      if (now - ts > 60) throw new Error(`it traded on a price that is ${now - ts} seconds old`)
    })
    const { finds } = await hunt(consumer, OPTIONS)
    expect(finds.map(({ faults }) => faults)).toEqual([['market/stale']])
  })

  it('behavior: one that takes the age of a price before it waits for the reply', async () => {
    const consumer = async ({ fetch, clock, ...feed }: PriceFeed): Promise<void> => {
      for (let i = 0; i < 60; i++, await clock.advance('5s')) {
        const asked = (await clock.now()) / 1000
        const options = { headers: { authorization: feed.apiKey }, signal: AbortSignal.timeout(4000) }
        const ts = await fetch(`${feed.baseUrl}/prices/BTCUSD/latest`, options)
          .then(async reply => (reply.ok ? ((await reply.json()) as { ts: unknown }).ts : undefined))
          .catch(() => undefined)
        if (typeof ts !== 'number' || Math.abs(asked - ts) > 60) continue
        if ((await clock.now()) / 1000 - ts > 61) throw new Error('a price is too old')
      }
    }
    const { finds } = await hunt(consumer, { ...OPTIONS, runs: 20, seed: 7 })
    expect(finds.map(({ faults }) => faults.includes('reply/latency'))).toContain(true)
  })

  it('behavior: one that obeys a Retry-After of an hour', async () => {
    const obedient = async ({ baseUrl, apiKey, fetch, clock }: PriceFeed): Promise<void> => {
      const headers = { authorization: apiKey }
      let askedAt = await clock.now()
      let notBefore = 0
      for (let i = 0; i < 20; i++, await clock.advance('3s')) {
        const now = await clock.now()
        if (now - askedAt > 40_000) throw new Error('it asked for nothing in 40 seconds')
        if (now < notBefore) continue
        askedAt = now
        const signal = AbortSignal.timeout(3000)
        const reply = await fetch(`${baseUrl}/prices/BTCUSD/latest`, { headers, signal }).catch(() => undefined)
        notBefore = now + 1000 * Number(reply?.headers.get('retry-after') ?? 0)
      }
    }
    const { finds } = await hunt(obedient, OPTIONS)
    expect(finds).toMatchObject([{ scenario: { faults: [{ fault: 'reply/status', options: { retryAfter: '1h' } }] } }])
  })

  it('behavior: requests before the newest 1,000 count as well', async () => {
    const { leftOut } = await hunt(
      async ({ baseUrl, apiKey, fetch }) => {
        const ask = (path: string) => fetch(`${baseUrl}${path}`, { headers: { authorization: apiKey } })
        await ask('/charting/feeds-data?feedids=btcusd&feed=btcusd&type=1&interval=1m')
        for (let i = 0; i < 1000; i++) await ask('/prices/none/latest')
      },
      { ...OPTIONS, runs: 2 },
    )
    expect(leftOut).not.toContain('series/empty')
  })

  it.each([
    [10_000, 1999, 10_000],
    [10_000, 2001, 20_000],
    [30_000, 2001, 30_000],
    [10_000, 9000, 50_000],
  ])('behavior: the limit of %i ms of a run is, after one of %i ms that passed, %i ms', (limit, tookMs, next) => {
    expect(limitAfter(limit, tookMs)).toBe(next)
  })

  it('behavior: one that does not end', async () => {
    const { calm, calmOutput } = await hunt(() => new Promise(() => {}), { ...OPTIONS, timeoutMs: 20 })
    expect([calm, calmOutput]).toEqual(['failed', 'It did not end within 20 ms.'])
  })

  it('behavior: one that asks again at once, for ever, has failed, and asks no more after its run', async () => {
    let asked = 0
    const { calm, finds } = await hunt(
      async ({ client }) => {
        for (let price: unknown; price === undefined; asked++)
          price = await client.latest({ feedId: 'BTCUSD' }).catch(() => undefined)
      },
      { ...OPTIONS, runs: 8, timeoutMs: 200, allow: [] },
    )
    expect(calm).toBe('passed')
    expect(finds.map(({ output }) => output)).toContain('It did not end within 200 ms.')
    const turns = async () => {
      for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
    }
    // Requests that were sent before are answered.
    await turns()
    const before = asked
    await turns()
    expect(asked).toBe(before)
  })

  it('error: a consumer that asks for nothing is told, and none at all is refused', async () => {
    const { calm, calmOutput, runs } = await hunt(() => {}, OPTIONS)
    expect([calm, runs]).toEqual(['failed', 2])
    expect(calmOutput).toBe(
      'The consumer sent no request to the mock: it has to ask by priceFeed.fetch or priceFeed.client before it ends. clock.advance fires only the timers of the option `timers`.',
    )
    expect(await hunt(() => {}, null as never)).toMatchObject({ calm: 'failed', runs: 2 })
    await expect(hunt('consumer' as never, null as never)).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
      problems: [{ at: 'consumer', want: 'a function' }],
    })
  })

  it('behavior: a signal ends the run that goes on', async () => {
    const controller = new AbortController()
    const consumer = (): Promise<never> => {
      controller.abort()
      return new Promise(() => {})
    }
    const { isCut, finds } = await hunt(consumer, { ...OPTIONS, timeoutMs: 86_400_000, signal: controller.signal })
    expect([isCut, finds]).toEqual([true, []])
  })

  it('behavior: the run in which a hunt is ended is no find', async () => {
    const ended = new AbortController()
    let begun = 0
    const consumer = async ({ client }: PriceFeed): Promise<void> => {
      await client.latest({ feedId: 'BTCUSD' }).catch(() => {})
      if (++begun < 3) return
      ended.abort()
      throw new Error('it was cut off')
    }
    const report = await hunt(consumer, { ...OPTIONS, signal: ended.signal })
    expect(report).toMatchObject({ calm: 'passed', runs: 2, finds: [], unconfirmed: [], isCut: true })
  })

  it('behavior: a signal of another realm', async () => {
    const signal = Object.assign(new EventTarget(), { aborted: false }) as unknown as AbortSignal
    const consumer = (): Promise<never> => {
      Object.assign(signal, { aborted: true })
      signal.dispatchEvent(new Event('abort'))
      return new Promise(() => {})
    }
    const { isCut, finds } = await hunt(consumer, { ...OPTIONS, timeoutMs: 86_400_000, signal })
    expect([isCut, finds]).toEqual([true, []])
  })

  it.each([
    [{ code: 7 }, '{"code":7}'],
    [Object.create(null), '{}'],
    ['text', 'text'],
    [undefined, 'nothing'],
    [{ name: 'OtherError', message: 'of another realm' }, 'OtherError: of another realm'],
  ])('behavior: a consumer that throws %j', async (thrown, output) => {
    const { calmOutput } = await hunt(() => Promise.reject(thrown), OPTIONS)
    expect(calmOutput).toBe(output)
  })

  it('behavior: a mistake in calm is told', async () => {
    const report = await hunt(() => Promise.reject(new Error('always')), OPTIONS)
    expect(report).toMatchObject({ calm: 'failed', calmOutput: 'Error: always', runs: 2 })
  })

  describe('of feeds that the built-in scenarios do not know', () => {
    const acme = { id: 'ACMEUSD', base: 12.5, drivers: { crypto: 0.5, ACMEUSD: 0.4 }, volume: 1_000_000 } as const
    const feeds = { extends: 'none', feeds: [acme] } as const
    const asker =
      (act: (status: number | undefined, price: number) => void) =>
      async ({ fetch, baseUrl, apiKey, clock }: PriceFeed): Promise<void> => {
        for (let i = 0; i < 20; i++) {
          const headers = { authorization: apiKey }
          const reply = await fetch(`${baseUrl}/prices/ACMEUSD/latest`, { headers }).catch(() => undefined)
          const body = (await reply?.json().catch(() => undefined)) as { price: number; expo: number } | undefined
          act(reply?.status, (body?.price ?? 0) * 10 ** (body?.expo ?? 0))
          await clock.advance('3s')
        }
      }

    it('behavior: own scenarios come first', async () => {
      const mine = { title: 'T', why: 'W', faults: [{ fault: 'reply/status', options: { status: 418 } }] }
      const consumer = asker(status => {
        if (status === 418) throw new Error('a teapot')
      })
      const { finds } = await hunt(consumer, { ...OPTIONS, runs: 12, mock: { feeds, scenarios: { mine } } })
      expect(finds).toMatchObject([{ faults: ['reply/status'], output: 'Error: a teapot' }])
    })

    it('behavior: prices are of other magnitudes', async () => {
      const consumer = asker((_, price) => {
        if (price > 0 && price < 12.5 / 1e6) throw new Error('almost nothing')
      })
      const { finds } = await hunt(consumer, { ...OPTIONS, runs: 160, allow: ['tick/wrong-expo'], mock: { feeds } })
      expect(finds).toMatchObject([{ output: 'Error: almost nothing' }])
      expect(finds[0]!.faults[0]).toMatch(/^market\/(price|path)$/)
    })
  })

  it('error: a scenario of an earlier find that is invalid is named', async () => {
    const known = [{ name: 'old find', scenario: { title: 'T', why: 'W', faults: [{ fault: 'market/stal' }] } }]
    await expect(hunt(() => {}, { ...OPTIONS, known })).rejects.toMatchObject({
      code: 'SCENARIO_INVALID',
      message: expect.stringContaining('The scenario of "old find" has 1 problem.'),
    })
  })

  it.each([
    [{ budget: 40 }, 'budget'],
    [{ id: 'mine' }, 'id'],
    [{ scenario: 'chaos' }, 'scenario'],
    [{ runs: Number.NaN }, 'runs'],
    [{ runs: 0 }, 'runs', 'an integer from 1 to 1000000'],
    [{ runs: 1_000_001 }, 'runs'],
    [{ timeoutMs: '1s' }, 'timeoutMs', 'milliseconds from 1 to 86400000, a day'],
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ timeoutMs: 86_400_001 }, 'timeoutMs'],
    [{ allow: 'chaos' }, 'allow', 'a list of names of faults, scenarios or finds'],
    [{ known: 'tick-zero' }, 'known', 'a list of finds: { name, scenario }'],
    [{ known: [{ name: 'tick-zero' }] }, 'known[0].scenario'],
    [{ known: ['tick-zero'] }, 'known[0]'],
    [{ signal: new AbortController() }, 'signal', 'an AbortSignal, such as that of an AbortController'],
    [{ onProgress: 1 }, 'onProgress', 'a function'],
    [{ timers: {} }, 'timers', expect.stringMatching(/^vi of vitest, /)],
  ])('error: options that would hunt nothing: %o', async (options, at, want = expect.any(String)) => {
    await expect(hunt(() => {}, options as never)).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
      shortMessage: 'hunt(consumer, options) has 1 problem.',
      problems: [{ at, want }],
    })
  })
})
