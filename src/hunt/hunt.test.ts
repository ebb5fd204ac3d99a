// The hunt of a consumer that is arithmetic: which finds it makes, in how many runs, and what stops it.
import seedrandom from 'seedrandom'
import { describe, expect, it } from 'vitest'
import { type Polls, runHunted } from '../../test/support/hunted.js'
import { ENDPOINTS } from '../endpoints/index.js'
import { canActOn, stageOf } from '../faults/fault.js'
import { FAULTS } from '../faults/index.js'
import { catalogueFeeds } from '../market/feeds-file.js'
import { BUILT_IN } from '../scenario/built-in.js'
import { parseScenario } from '../scenario/parse.js'
import {
  type HuntFault,
  type HuntOptions,
  type HuntProgress,
  type HuntReport,
  type HuntScenario,
  hunt,
} from './hunt.js'
import { profileOf } from './profile.js'
import { type Failure, lengthen, separate, simplify, withoutChance } from './shrink.js'

type Fails = Parameters<typeof runHunted>[1]

/** Hunts a consumer that fails as the function says. */
const huntOf = (fails: Fails, options: Partial<HuntOptions> = {}, polls?: Polls): Promise<HuntReport> =>
  hunt({ run: async scenario => runHunted(scenario, fails, polls), seed: 42, budget: { runs: 160 }, ...options })

/** Fails where a fault of a name is met. */
const on =
  (...names: string[]): Fails =>
  faults => {
    const met = faults.find(({ fault }) => names.includes(fault))
    return met && `bug of ${met.fault}`
  }

const POLLS: Polls = { batch: 2, evm: 2, latest: 2, candles: 4, history: 20 }

describe('calm', () => {
  it('error: a consumer that fails in calm is not hunted', async () => {
    expect(await huntOf(() => 'broken')).toMatchObject({ calm: 'failed', calmOutput: 'broken', runs: 2, finds: [] })
  })

  it('error: one that fails in calm once differs', async () => {
    let runs = 0
    expect(await huntOf(() => (++runs === 1 ? 'once' : undefined))).toMatchObject({ calm: 'differs', runs: 2 })
  })

  it('error: one that asks for nothing in calm has failed', async () => {
    const run = async (scenario: HuntScenario) => ({
      ...runHunted(scenario, () => undefined),
      requests: [],
      output: 'ok',
    })
    const hunted = (noRequest?: string) => hunt({ run, noRequest, seed: 42, budget: { runs: 9 } })
    expect(await hunted('It asked elsewhere.')).toMatchObject({
      calm: 'failed',
      calmOutput: 'ok\nIt asked elsewhere.',
      runs: 2,
    })
    expect(await hunted()).toMatchObject({ calmOutput: 'ok\nIt sent no request to the mock.' })
  })

  it('error: one that gets no price in calm has failed', async () => {
    const run = async (scenario: HuntScenario) => {
      const calm = runHunted(scenario, () => undefined)
      return { ...calm, requests: calm.requests.map((one, i) => ({ ...one, status: i === 0 ? 0 : 401 })) }
    }
    expect(await hunt({ run, seed: 42, budget: { runs: 9 } })).toMatchObject({
      calm: 'failed',
      calmOutput: 'No request got a price, without any fault: status none, 401.',
      runs: 2,
    })
  })

  it('default: a correct consumer has no finds, and the budget is used', async () => {
    const report = await huntOf(() => undefined, { budget: { runs: 30 } }, { latest: 2 })
    expect(report).toMatchObject({ calm: 'passed', finds: [], allowed: [], runs: 30, isCut: false })
    expect(report.otherDayOutput).toBeUndefined()
    expect(report.leftOut).toContain('series/empty')
  })

  it('output: each fault is one that it cannot meet, one that it met, or one that it has not met yet', async () => {
    const met = new Set<string>()
    const run = async (scenario: HuntScenario) => {
      const ran = runHunted(scenario, () => undefined, { latest: 2 })
      for (const [i, { fault }] of scenario.faults.entries()) if (ran.hits[i]! > 0) met.add(fault)
      return ran
    }
    const options = { run, seed: 42, budget: { runs: 8 }, allow: ['tick/zero'] }
    const { leftOut, unmet } = await hunt(options)
    expect(unmet.length).toBeGreaterThan(5)
    expect([...leftOut, ...unmet, ...met, 'tick/zero'].sort()).toEqual(FAULTS.map(({ name }) => name).sort())
    expect((await hunt({ ...options, budget: { runs: 160 } })).unmet).toEqual([])
  })

  it('output: a fault that changes nothing in two trials is not to be met by a larger budget', async () => {
    const run = async (scenario: HuntScenario) => {
      const ran = runHunted(scenario, () => undefined, { latest: 2 })
      const isVain = (i: number) => scenario.faults[i]!.fault === 'signature/evm-v-parity'
      return { ...ran, hits: ran.hits.map((hits, i) => (isVain(i) ? 0 : hits)) }
    }
    const unmetIn = async (runs: number) => (await hunt({ run, seed: 42, budget: { runs } })).unmet
    expect(await unmetIn(3)).toContain('signature/evm-v-parity')
    expect(await unmetIn(160)).toEqual([])
  })
})

describe('finds', () => {
  const hunts = new Map<string, Promise<HuntReport>>()
  /** The hunt of a consumer that cannot stand a fault, once for all tests. */
  const huntFor = (name: string): Promise<HuntReport> => {
    const hunted = hunts.get(name) ?? huntOf(on(name), { budget: { runs: 60 } }, POLLS)
    hunts.set(name, hunted)
    return hunted
  }

  it.each(FAULTS.map(({ name }) => name))('default: a consumer that cannot stand %s', async name => {
    const fault = FAULTS.find(one => one.name === name)!
    const { finds } = await huntFor(name)
    expect(finds.map(find => find.faults)).toEqual([[name]])
    const [find] = finds
    expect(find).toMatchObject({ confirmed: 3, output: `bug of ${name}` })
    expect(find!.page).toBe(`price-feed-mock/docs/faults.md#${name.replace('/', '')}`)
    const vocabulary = { faults: FAULTS, endpoints: ENDPOINTS.map(one => one.name), feeds: catalogueFeeds() }
    parseScenario(find!.scenario, vocabulary, { name: find!.name, subject: 'The find', inline: false })
    expect(ENDPOINTS.some(one => canActOn(fault, one.name))).toBe(true)
  })

  it('behavior: most are separated within few runs', async () => {
    const counts = await Promise.all(FAULTS.map(async ({ name }) => (await huntFor(name)).finds[0]!.runs))
    const sorted = counts.sort((a, b) => a - b)
    expect(sorted[sorted.length >> 1]!).toBeLessThanOrEqual(14)
  })

  it('behavior: two faults that fail only together are one find of two', async () => {
    const { finds } = await huntOf(faults => {
      const isMet = (name: RegExp): boolean => faults.some(({ fault }) => name.test(fault))
      return isMet(/^market\/(drift|shock)$/) && isMet(/^tick\/zero$/) ? 'both' : undefined
    })
    expect(finds.map(({ faults }) => [...faults].sort())).toEqual([
      [expect.stringMatching(/^market\/(drift|shock)$/), 'tick/zero'],
    ])
  })

  it('behavior: what a consumer keeps of one print that is off meets the next one', async () => {
    let kept: number | undefined
    let wasOff = false
    const { finds } = await huntOf(
      (faults, { at }) => {
        if (at === 0) kept = undefined
        const off = faults.find(({ fault }) => fault === 'market/bad-tick')?.options?.factor as number | undefined
        const isSecond = off !== undefined && !wasOff && off === kept
        wasOff = off !== undefined
        kept = off ?? kept
        return isSecond ? 'took the second print as the confirmation of the first' : undefined
      },
      { budget: { runs: 40 } },
      { latest: 1 },
    )
    expect(finds.map(({ faults }) => faults)).toEqual([['market/bad-tick', 'market/bad-tick']])
  })

  it('behavior: a market that moves unseen, since its prices are late', async () => {
    const { finds } = await huntOf(
      faults =>
        faults.some(({ fault }) => fault === 'market/drift') &&
        faults.some(({ fault, options }) => fault === 'market/stale' && options?.age === '16s')
          ? 'an alert on a late price'
          : undefined,
      { budget: { runs: 40 } },
      { latest: 1 },
    )
    expect(finds.map(({ faults }) => [...faults].sort())).toEqual([['market/drift', 'market/stale']])
  })

  it.each<[string, Fails, string[]]>([
    [
      'that get too old on their way',
      faults =>
        faults.some(({ options }) => options?.seconds === -58) && faults.some(one => one.fault === 'reply/latency')
          ? 'used after a slow reply'
          : undefined,
      ['reply/latency', 'tick/ts-skew'],
    ],
    [
      'of two feeds that are not equally old',
      faults =>
        faults.some(({ feeds, options }) => feeds?.join() === 'ETHUSD' && options?.seconds === -14)
          ? 'a rate of two ages'
          : undefined,
      ['tick/ts-skew'],
    ],
  ])('behavior: prices %s', async (_, fails, faults) => {
    const { finds } = await huntOf(fails)
    expect(finds.map(find => [...find.faults].sort())).toEqual([faults])
  })

  it('behavior: an age within a limit that is twice as large, of prices which are never older than the one before', async () => {
    let newest = Number.NEGATIVE_INFINITY
    const { finds } = await huntOf(
      (faults, { at }) => {
        if (at === 0) newest = Number.NEGATIVE_INFINITY
        const age = faults.reduce((sum, { fault, feeds, options }) => {
          if (/^(reply|wire|market.stale)/.test(fault)) return Number.POSITIVE_INFINITY
          return fault === 'tick/ts-skew' && feeds?.includes('BTCUSD') !== false ? sum - Number(options?.seconds) : sum
        }, 0)
        const ts = at / 1000 - age
        if (ts < newest || age > 40) return undefined
        newest = ts
        return age > 20 ? 'a price of more than 20 seconds' : undefined
      },
      { budget: { runs: 40 } },
      { latest: 1 },
    )
    expect(finds.map(({ faults }) => faults)).toEqual([['tick/ts-skew']])
  })

  it('behavior: mistakes of different kinds are several finds, those of one kind and output are one', async () => {
    const { finds } = await huntOf(on('tick/zero', 'series/empty'))
    expect(finds.flatMap(({ faults }) => faults).sort()).toEqual(['series/empty', 'tick/zero'])
    const one = await huntOf(faults =>
      faults.some(({ fault }) => fault.startsWith('signature/')) ? 'unsigned' : undefined,
    )
    expect(one.finds).toHaveLength(1)
  })

  it('behavior: finds of the same name are numbered', async () => {
    const WORDS: Readonly<Record<string, string>> = { 2028: 'leap day', 2038: 'overflow' }
    const run: HuntOptions['run'] = async scenario => {
      const word = WORDS[String(scenario.clock?.at).slice(0, 4)]
      return { ...runHunted(scenario, () => undefined), ...(word !== undefined && { failed: true, output: word }) }
    }
    const { finds } = await hunt({ run, seed: 42, budget: { runs: 160 } })
    expect(finds.map(({ name }) => name)).toEqual(['clock', 'clock-2'])
    const accepting = await hunt({ run, seed: 42, budget: { runs: 160 }, allow: ['clock'] })
    expect([accepting.allowed, accepting.finds].map(list => list.map(({ name }) => name))).toEqual([
      ['clock'],
      ['clock-2'],
    ])
  })

  it('behavior: failures of one kind by the same fault are one find, whatever their outputs name', async () => {
    let runs = 0
    const fails: Fails = faults =>
      faults.some(({ fault }) => /^(reply|wire)\//.test(fault))
        ? `a rejection in ${String.fromCharCode(97 + (runs++ % 26)).repeat(5)}`
        : undefined
    const { finds } = await huntOf(fails, {}, { latest: 2 })
    expect(finds.map(({ faults }) => faults)).toEqual([['reply/status']])
  })

  it('behavior: a fault that a known mistake left no time for is tried again', async () => {
    const scenarioOf = (...faults: HuntFault[]) => ({ title: 'T', why: 'A test.', faults })
    const scenarios = {
      first: scenarioOf({ fault: 'reply/malformed-json' }),
      second: scenarioOf({ fault: 'reply/empty-body', requests: '2' }, { fault: 'wire/reset', requests: '4' }),
    }
    const fails: Fails = faults =>
      faults.some(({ fault }) => fault === 'wire/reset')
        ? 'an order was lost'
        : faults.some(({ fault }) => /^reply.(empty|malformed)/.test(fault))
          ? 'a crash'
          : undefined
    const { finds } = await huntOf(fails, { scenarios, budget: { runs: 100 } })
    expect(finds.map(({ output }) => output)).toEqual(['a crash', 'an order was lost'])
  })

  it('behavior: the fault of a find was met, also if no trial had it', async () => {
    const run: HuntOptions['run'] = async scenario =>
      runHunted(scenario, faults => (faults.some(({ fault }) => fault.startsWith('reply/')) ? 'rejection' : undefined))
    const scenarios = { cut: { title: 'Cut', why: 'A test.', faults: [{ fault: 'reply/malformed-json' }] } }
    const { finds, unmet } = await hunt({ run, seed: 42, budget: { runs: 3 }, scenarios })
    expect(finds.map(({ faults }) => faults)).toEqual([['reply/status']])
    expect(unmet).not.toContain('reply/status')
    expect(unmet).toContain('reply/latency')
  })

  it('behavior: a consumer that fails on any error reply is told so, whichever fault showed it', async () => {
    const { finds } = await huntOf(faults =>
      faults.some(({ fault }) => /^(reply|wire)\//.test(fault)) ? 'an unhandled rejection' : undefined,
    )
    expect(finds.map(({ faults }) => faults)).toEqual([['reply/status']])
  })

  it.each([
    [3, ['tick/zero']],
    [3, ['tick/zero', 'wire/reset']],
    [1, ['tick/negative']],
  ])('behavior: of more than %i, %j that fail in another way are told', async (most, few) => {
    const run: HuntOptions['run'] = async scenario => {
      const names = scenario.faults.map(({ fault }) => fault)
      const isFew = few.every(name => names.includes(name))
      const output = names.length > most ? 'many at once' : isFew ? 'a zero' : undefined
      return { ...runHunted(scenario, () => undefined), ...(output !== undefined && { failed: true, output }) }
    }
    const faults = ['tick/ts-skew', 'reply/empty-body', 'tick/zero', 'wire/reset', 'tick/negative']
    const scenarios = { mix: { title: 'A mix', why: 'A test.', faults: faults.map(fault => ({ fault })) } }
    const { finds } = await hunt({ run, seed: 42, budget: { runs: 4 }, scenarios })
    expect(finds).toMatchObject([{ faults: few, output: 'a zero', confirmed: 3 }])
  })

  it('behavior: of many kinds, one that lasts is told rather than those that fail together', async () => {
    const reply = FAULTS.filter(fault => stageOf(fault) === 'reply' && canActOn(fault, 'batch')).slice(0, 11)
    const faults = [...reply.map(({ name }) => name), 'tick/zero'].map((fault, i) => ({ fault, requests: `${i + 1}` }))
    const run: HuntOptions['run'] = async ({ faults: present, ...rest }) => {
      const lasts = present.some(one => one.fault === 'tick/zero' && one.requests === undefined)
      const output = lasts ? 'a zero' : present.length === faults.length ? 'all at once' : undefined
      return { ...runHunted({ ...rest, faults: present }, () => undefined), ...(output && { failed: true, output }) }
    }
    const scenarios = { mix: { title: 'A mix', why: 'A test.', faults } }
    const { finds } = await hunt({ run, seed: 42, budget: { runs: 4 }, scenarios })
    expect(finds).toMatchObject([{ faults: ['tick/zero'], output: 'a zero', confirmed: 3 }])
  })

  it('behavior: it is narrowed to one endpoint, one feed, one request and plain options', async () => {
    const { finds } = await huntOf((faults, { endpoint }) =>
      endpoint === 'candles' ? on('reply/missing-field')(faults, {} as never) : undefined,
    )
    const [fault] = finds[0]!.scenario.faults
    expect(fault).toMatchObject({ fault: 'reply/missing-field', endpoints: ['candles'], requests: expect.anything() })
    expect(fault).not.toHaveProperty('options')
    // A reply names all feeds of its request.
    expect(fault).not.toHaveProperty('feeds')
    const ofTick = await huntOf(on('tick/zero'))
    expect(ofTick.finds[0]!.scenario.faults).toMatchObject([{ fault: 'tick/zero', feeds: ['BTCUSD'] }])
  })

  it('behavior: it says that it took several replies only where the first one alone was tried, and passed', async () => {
    const several = / it took more than one such reply\./
    const whyOf = async (least: number, hits?: readonly number[]) => {
      const run: HuntOptions['run'] = async scenario => {
        let met = 0
        const done = runHunted(scenario, (...of) => (on('tick/zero')(...of) && ++met === least ? 'sold' : undefined))
        return { ...done, ...(hits && scenario.faults.length > 0 && { hits }) }
      }
      const { finds } = await huntOf(() => undefined, { run })
      expect(finds[0]!.faults).toEqual(['tick/zero'])
      return finds[0]!.scenario.why
    }
    expect(await whyOf(3)).toMatch(several)
    expect(await whyOf(1)).not.toMatch(several)
    // Its first request was another one, and the only reply with the fault was enough.
    expect(await whyOf(3, [1])).not.toMatch(several)
  })

  it('behavior: it is told at one endpoint, also where it fails in another way than at all of them', async () => {
    const run: HuntOptions['run'] = async scenario => {
      const bad = scenario.faults.filter(({ fault }) => fault === 'wire/reset')
      const output = bad.some(one => one.endpoints === undefined) ? 'no price at all' : 'an old candle'
      const isHit = bad.some(({ endpoints = ['candles'] }) => endpoints.includes('candles'))
      return { ...runHunted(scenario, () => undefined), ...(isHit && { failed: true, output }) }
    }
    const scenarios = { reset: { title: 'Reset', why: 'A test.', faults: [{ fault: 'wire/reset' }] } }
    const { finds } = await hunt({ run, seed: 42, budget: { runs: 4 }, scenarios })
    expect(finds).toMatchObject([{ scenario: { faults: [{ endpoints: ['candles'] }] }, output: 'an old candle' }])
  })

  it('behavior: faults by chance become the single requests that they were applied to', async () => {
    const mixed = ['reply/malformed-json', 'wire/reset', 'tick/zero', 'signature/truncated', 'reply/html-error-page']
    const faults = mixed.map(fault => ({ fault, chance: 0.3 }))
    const { finds } = await huntOf(
      (met, { at }) =>
        at > 30_000 && ['tick/zero', 'wire/reset'].every(one => on(one)(met, {} as never)) ? 'both' : undefined,
      { budget: { runs: 40 }, scenarios: { mix: { title: 'A mix', why: 'A test.', faults } } },
    )
    expect(finds).toHaveLength(1)
    expect(finds[0]!.confirmed).toBe(3)
    expect(finds[0]!.scenario.faults.map(({ fault, chance }) => [fault, chance]).sort()).toEqual([
      ['tick/zero', undefined],
      ['wire/reset', undefined],
    ])
  })

  it('behavior: a failure of many faults waits, and is told only if no other failure is like it', async () => {
    const many = FAULTS.filter(fault => stageOf(fault) === 'reply' && canActOn(fault, 'batch'))
      .slice(0, 8)
      .map(({ name }) => ({ fault: name }))
    const all: Fails = (faults, request) => (many.every(({ fault }) => on(fault)(faults, request)) ? 'sold' : undefined)
    const one: Fails = faults => on('market/depeg')(faults, {} as never) && 'sold'
    const scenarios = {
      many: { title: 'Many', why: 'A test.', faults: many },
      one: { title: 'One', why: 'A test.', faults: [{ fault: 'market/depeg' }] },
    }
    const found = async (fails: Fails) =>
      (await huntOf(fails, { scenarios, budget: { runs: 60 } })).finds.map(({ faults }) => faults)
    expect(await found((...met) => all(...met) ?? one(...met))).toEqual([['market/depeg']])
    expect(await found(all)).toEqual([many.map(({ fault }) => fault)])
    // With a budget that is left in the end, too.
    const names = ['market/depeg', ...many.map(({ fault }) => fault)]
    const allow = FAULTS.flatMap(({ name }) => (names.includes(name) ? [] : [name]))
    const few = await huntOf((...met) => all(...met) ?? one(...met), { scenarios, allow, budget: { runs: 3000 } })
    expect(few.finds.map(({ faults }) => faults)).toEqual([['market/depeg']])
  })

  it('behavior: those requests are no more than a scenario may have faults', () => {
    const faults = FAULTS.filter(fault => canActOn(fault, 'batch') && !fault.name.startsWith('market/')).map(
      ({ name }) => ({ fault: name, chance: 0.9 }),
    )
    const scenario = { title: 'A mix', why: 'A test.', faults: [...faults, { fault: 'market/gap' }] }
    const single = withoutChance({ scenario, run: runHunted(scenario, () => undefined) })
    const most = Math.floor(99 / faults.length) * faults.length + 1
    expect(single.faults).toHaveLength(most)
    expect(single.faults.at(-1)).toEqual({ fault: 'market/gap' })
    // Its random part would be another one.
    const late = { fault: 'reply/latency', chance: 0.5, options: { ms: 100, jitterMs: 900 } }
    const slow = { ...scenario, faults: [late] }
    const [first] = withoutChance({ scenario: slow, run: runHunted(slow, () => undefined) }).faults
    expect(first).toMatchObject({ fault: 'reply/latency', options: { ms: 550 } })
  })

  it('behavior: why tells the mistake, and how the output ended', async () => {
    const output = 'AssertionError: sold\nexpected 1\n\nTests 1 failed\nDuration 2 s'
    const { finds } = await huntOf(faults => (faults.some(({ fault }) => fault === 'tick/zero') ? output : undefined))
    expect(finds[0]!.scenario.why).toMatch(
      /^A division by the price.* In the run that found this, it ended with: AssertionError: sold \/ expected 1$/,
    )
  })

  it('behavior: a failure that does not repeat is no find', async () => {
    let failures = 0
    const fails: Fails = faults => (faults.length > 0 && ++failures === 1 ? 'once' : undefined)
    expect((await huntOf(fails)).finds).toEqual([])
  })
})

describe('order', () => {
  /** The scenarios of a hunt without finds. */
  const scenariosOf = async (polls: Polls, runs = 60): Promise<HuntScenario[]> => {
    const scenarios: HuntScenario[] = []
    const run: HuntOptions['run'] = async scenario => {
      scenarios.push(scenario)
      return runHunted(scenario, () => undefined, polls)
    }
    await hunt({ run, seed: 42, budget: { runs } })
    return scenarios.slice(2)
  }
  const RARE: Polls = { batch: 2, candles: 15, history: 20 }

  it('behavior: in runs of few requests, half as many built-in scenarios come first', async () => {
    const builtInsOf = async (polls: Polls) =>
      (await scenariosOf(polls, 22)).filter(({ why }) => why !== 'A trial of a hunt.').length
    expect([await builtInsOf({ batch: 2 }), await builtInsOf({ batch: 5 })]).toEqual([10, 6])
  })

  it('behavior: ten built-in scenarios in turns with packs, then one after several packs', async () => {
    const isPack = (await scenariosOf(POLLS)).map(({ why }) => why === 'A trial of a hunt.')
    expect(isPack.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, i) => i % 2 === 1))
    expect(isPack.slice(20).filter(isIt => !isIt).length).toBeLessThanOrEqual(10)
    expect(isPack.slice(20)).toContain(false)
  })

  it('behavior: an endpoint that is asked seldom gets the faults that only it can have first', async () => {
    const only = FAULTS.filter(fault => canActOn(fault, 'candles') && !canActOn(fault, 'batch'))
    const packs = (await scenariosOf(RARE, 20)).filter(({ why }) => why === 'A trial of a hunt.')
    const met = new Set(packs.flatMap(({ faults }) => faults.map(({ fault }) => fault)))
    expect(only.filter(({ name }) => !met.has(name))).toEqual([])
  })

  it('behavior: under the faults of others an endpoint is gone, and later leaves out a feed that it is asked for', async () => {
    const under = (await scenariosOf(RARE, 200)).flatMap(({ title, faults: [first] }) =>
      title === 'down' ? [first!] : [],
    )
    const at = (name: string) => under.filter(({ endpoints }) => endpoints?.[0] === name).map(({ fault }) => fault)
    const names = [...new Set(under.map(({ endpoints }) => endpoints![0]!))]
    expect(names.length).toBeGreaterThan(1)
    for (const name of names) expect(at(name)[0]).toBe('reply/status')
    const omitted = under.filter(({ fault }) => fault === 'tick/missing-feed')
    expect(omitted).not.toEqual([])
    for (const { feeds } of omitted) expect(feeds).toHaveLength(1)
  })

  it('behavior: endpoints go for good one after the other, two in a run', async () => {
    const lasting = (await scenariosOf(RARE)).filter(({ title }) => title === 'lasting')
    const gone = lasting.filter(({ faults }) => faults.filter(({ requests }) => requests === undefined).length > 1)
    expect(gone.map(({ faults }) => faults.map(({ from }) => from))).toEqual([['30s', '72s']])
    expect(new Set(gone.flatMap(({ faults }) => faults.flatMap(({ endpoints }) => endpoints ?? []))).size).toBe(2)
  })

  it('behavior: requests of the same moment are asked to wait for different times, before the first outages', async () => {
    const lasting = (await scenariosOf(RARE)).filter(({ title }) => title === 'lasting')
    const pauses = lasting.map(({ faults }) => faults.filter(({ requests }) => requests !== undefined))
    expect(pauses.slice(0, 3).map(faults => faults.map(({ options }) => options!.retryAfter))).toEqual([
      ['12s', '3s'],
      ['3s', '12s'],
      [],
    ])
    expect(pauses[0]!.map(({ from, requests }) => [from, requests])).toEqual([
      ['20s', '1'],
      ['20s', '2'],
    ])
  })

  it('behavior: a consumer that reads another clock meets no other clocks once it has failed on another day', async () => {
    const clocks: unknown[] = []
    const run: HuntOptions['run'] = async scenario => {
      clocks.push(...(scenario.clock === undefined ? [] : [scenario.clock]))
      return runHunted(scenario, () => scenario.clock && 'a price of another day', POLLS)
    }
    const report = await hunt({ run, seed: 42, budget: { runs: 60 } })
    expect(report).toMatchObject({ finds: [], unconfirmed: [], otherDayOutput: 'a price of another day' })
    expect(clocks).toHaveLength(2)
  })

  it('behavior: an endpoint that is asked only in trouble has faults of its own, in each way that leads to it', async () => {
    const packs: HuntScenario[] = []
    let first: HuntScenario | undefined
    const run: HuntOptions['run'] = async scenario => {
      if (scenario.title === 'in trouble') packs.push(scenario)
      const isGone = scenario.faults.some(one => one.fault === 'reply/status' && !one.for && !one.requests)
      if (isGone) first ??= scenario
      return runHunted(scenario, () => undefined, isGone ? { batch: 2, latest: 4 } : { batch: 2 })
    }
    await hunt({ run, seed: 42, budget: { runs: 120 } })
    const isOwn = ({ endpoints }: HuntFault): boolean => endpoints?.[0] === 'latest'
    const ways = packs.map(({ faults }) => faults.filter(one => !isOwn(one)))
    const namesOf = (faults: readonly HuntFault[]): string[] => faults.map(({ fault }) => fault)
    expect(namesOf(ways[0]!)).toEqual(namesOf(first!.faults))
    // The endpoint itself is spared by them.
    expect(ways[0]!.filter(({ fault, endpoints }) => /^(reply|wire|tick)/.test(fault) && !endpoints)).toEqual([])
    expect(ways.slice(1, 3).map(faults => [faults.length, faults[0]])).toEqual([
      [2, { fault: 'reply/status', endpoints: ['batch'], from: '12s' }],
      [10, { fault: 'market/shock', options: { change: 0.12 } }],
    ])
    // Jumps do not lead to it, and are tried no more.
    // A last price that gets older, with no other source left.
    expect(ways[1]![1]).toMatchObject({ fault: 'market/stale', from: expect.any(String), for: expect.any(String) })
    expect(ways.slice(3).filter(([one]) => one?.fault === 'market/shock')).toEqual([])
    const own = packs.flatMap(({ faults }) => faults.filter(isOwn))
    expect(own.every(({ for: length, requests }) => (length === undefined) !== (requests === undefined))).toBe(true)
    const names = new Set(own.map(({ fault }) => fault))
    const possible = FAULTS.filter(fault => stageOf(fault) !== 'market' && canActOn(fault, 'latest'))
    expect(names.size / possible.length).toBeGreaterThan(0.5)
  })

  it('behavior: faults that last on a feed each are together, to the end or in long windows, later in a moving market', async () => {
    const packs = (await scenariosOf(RARE, 100)).filter(({ title }) => title === 'feeds for long')
    expect(packs.length).toBeGreaterThanOrEqual(4)
    const isMoved = packs.map(
      ({ faults }) => /^market\/(drift|shock)$/.test(faults[0]!.fault) && faults[0]!.feeds === undefined,
    )
    expect(isMoved.slice(0, 4)).toEqual([false, false, true, true])
    const windows = packs.map(({ faults }) => new Set(faults.filter(({ feeds }) => feeds).map(one => one.for)))
    expect(windows.slice(0, 4).map(lengths => [...lengths])).toEqual([[undefined], ['30s'], [undefined], ['30s']])
    for (const { faults } of packs)
      expect(faults.filter(({ feeds }) => feeds !== undefined).length).toBeGreaterThanOrEqual(2)
  })

  it('behavior: an endpoint that is asked a few times gets likely faults in runs that are calm otherwise', async () => {
    const packs = (await scenariosOf({ batch: 2, history: 50, evm: 100 }, 60)).filter(({ title }) => title === 'seldom')
    const all = packs.map(({ faults }) => faults.map(({ fault, endpoints }) => `${fault} ${endpoints}`))
    // Two of an endpoint share a run: each has a feed of its own.
    expect(all.slice(0, 2)).toEqual([
      ['tick/missing-feed history', 'signature/truncated history', 'tick/missing-feed evm', 'signature/truncated evm'],
      ['signature/other-feed history', 'tick/ts-skew history', 'signature/other-feed evm', 'tick/ts-skew evm'],
    ])
    expect(packs.every(({ faults }) => faults.length <= 4)).toBe(true)
    expect(packs[0]!.faults.slice(0, 2)).toMatchObject(
      ['BTCUSD', 'ETHUSD'].map(feed => ({ feeds: [feed], requests: { first: 5 } })),
    )
    expect((await scenariosOf(RARE, 60)).some(({ title }) => title === 'seldom')).toBe(false)
  })

  it.each([
    [
      14,
      [
        ['12s', '36s', 'tick/missing-feed'],
        ['48s', '36s', 'signature/truncated'],
        ['84s', undefined, 'signature/other-feed'],
      ],
    ],
    [15, [['12s', undefined, 'tick/missing-feed']]],
  ])(
    'behavior: an endpoint that is asked each %i s meets faults up to the end, several only if each is met',
    async (every, expected) => {
      const packs = (await scenariosOf({ batch: 2, history: every }, 60)).filter(({ title }) => title === 'beside')
      expect(packs[0]!.faults.map(one => [one.from, one.for, one.fault])).toEqual(expected)
    },
  )

  it('behavior: a key is refused a second time after a long calm, by the other status', async () => {
    const refusals = (await scenariosOf({ batch: 2 }, 60)).map(({ faults }) =>
      faults.filter(({ options, requests }) => /^40[13]$/.test(`${options?.status}`) && typeof requests === 'object'),
    )
    const [first, second] = refusals.find(list => list.length === 2)!
    expect([first!.from, first!.requests, first!.options]).toEqual(['6s', { first: 2 }, { status: 403 }])
    expect([second!.from, second!.requests, second!.options]).toEqual(['60s', { first: 1 }, { status: 401 }])
  })

  it('behavior: one of several feeds is bad at an endpoint, unknown first, from the start and then later', async () => {
    const packs = (await scenariosOf(RARE, 100)).filter(({ title }) => title === 'feed beside')
    expect(packs.length).toBeGreaterThanOrEqual(4)
    const notFound = { fault: 'reply/status', options: { status: 404 } }
    expect(packs[0]!.faults).toEqual(
      ['candles', 'history'].map(name => ({ ...notFound, endpoints: [name], feeds: ['BTCUSD'] })),
    )
    for (const [i, { faults }] of packs.entries())
      for (const { feeds, from, endpoints } of faults) {
        expect(feeds).toEqual([i % 4 < 2 ? 'BTCUSD' : 'ETHUSD'])
        expect(from).toBe(i % 2 === 0 ? undefined : '48s')
        expect(endpoints).toHaveLength(1)
      }
  })
})

it('behavior: a fault that was found is not tried again', async () => {
  const tried: string[] = []
  const onProgress = ({ phase, finds, label }: HuntProgress): void => {
    if (phase === 'search' && finds > 0) tried.push(label)
  }
  const { finds } = await huntOf(on('market/stale'), { onProgress, budget: { runs: 60 } })
  expect([finds.length, tried.length > 20, tried.filter(label => label.includes('market/stale'))]).toEqual([
    1,
    true,
    [],
  ])
})

describe('one outage instead of several faults', () => {
  const calm = runHunted({ title: 'T', why: 'W', faults: [] }, () => undefined)
  /** The scenario that is left of one that fails as the function says, and those that were tried. */
  const leftOf = async (
    by: typeof lengthen | typeof separate | typeof simplify,
    given: Partial<HuntScenario>,
    isFailing: (next: HuntScenario) => boolean,
    run = calm,
    profile = profileOf(calm),
  ) => {
    const tried: HuntScenario[] = []
    const fails = async (next: HuntScenario) => {
      tried.push(next)
      return isFailing(next) ? { scenario: next, run } : undefined
    }
    const { scenario } = await by({ scenario: { title: 'T', why: 'W', faults: [], ...given }, run }, profile, fails)
    return { ...scenario, tried }
  }
  const failuresOf = async (faults: HuntFault[], isFailing: (faults: readonly HuntFault[]) => boolean) =>
    (await leftOf(lengthen, { faults }, next => isFailing(next.faults))).faults
  const reset = (from: string): HuntFault => ({ fault: 'wire/reset', from, for: '10s' })
  const moves: HuntFault = { fault: 'market/drift' }
  const isOutage = ({ fault }: HuntFault): boolean => fault === 'reply/status'

  it('behavior: none at all, but one of the faults alone, at all endpoints and of all feeds', async () => {
    const faults = ['tick/zero', 'tick/negative'].map(
      (fault): HuntFault => ({ fault, endpoints: ['batch'], feeds: ['BTCUSD'], requests: '3', options: {} }),
    )
    const isBare = ([one]: readonly HuntFault[]) => one!.fault === 'tick/negative' && one!.endpoints === undefined
    expect(await failuresOf(faults, some => some.length === 1 && isBare(some))).toEqual([
      { fault: 'tick/negative', options: {} },
    ])
  })

  it('behavior: for all of their time', async () => {
    const outage = { fault: 'reply/status', from: '20s', for: '50s' }
    expect(await failuresOf([reset('20s'), reset('40s'), reset('60s')], faults => faults.every(isOutage))).toEqual([
      outage,
    ])
  })

  it('behavior: in the market that moved under them', async () => {
    const outage = { fault: 'reply/status', from: '20s', for: '50s' }
    const needsMove = (faults: readonly HuntFault[]) => faults.includes(moves) && faults.some(isOutage)
    expect(await failuresOf([moves, reset('20s'), reset('60s')], needsMove)).toEqual([moves, outage])
  })

  it('behavior: without windows, in the middle of the run', async () => {
    const chance = { fault: 'wire/reset', chance: 0.1 }
    expect(await failuresOf([chance, chance], faults => faults.every(isOutage))).toEqual([
      { fault: 'reply/status', from: '30s', for: '48s' },
    ])
  })

  it('behavior: a longer one, where what builds up takes its time', async () => {
    const isLong = (faults: readonly HuntFault[]) => faults.every(one => isOutage(one) && one.for === '78s')
    expect(await failuresOf([reset('20s'), reset('60s')], isLong)).toEqual([
      { fault: 'reply/status', from: '12s', for: '78s' },
    ])
  })

  it('behavior: each few requests, without the pause that a 503 asks for', async () => {
    const isOfSome = ({ requests, options }: HuntFault) => options?.status === 500 && requests !== undefined
    const failing = (faults: readonly HuntFault[]) => faults.every(isOfSome)
    const some = { fault: 'reply/status', options: { status: 500 }, requests: { every: 5 } }
    expect(await failuresOf([reset('20s'), reset('60s')], failing)).toEqual([some])
    const ofEvm = ['20s', '60s'].map(from => ({ ...reset(from), endpoints: ['evm'] }))
    expect(await failuresOf(ofEvm, failing)).toEqual([{ ...some, endpoints: ['evm'] }])
    // A stale price is no failed request.
    expect(await failuresOf([reset('20s'), { fault: 'market/stale' }], failing)).toHaveLength(2)
  })

  it.each([
    [[3, 16], 16],
    [[0, 1], 16],
    [[2, 9, 18], 32],
  ])(
    'behavior: of 20 faults, those at %j that fail together only are found in at most %i runs',
    async (needed, most) => {
      const faults = Array.from({ length: 20 }, (_, i) => reset(`${5 * i}s`))
      const isFailing = (next: HuntScenario) => needed.every(i => next.faults.includes(faults[i]!))
      const left = await leftOf(separate, { faults }, isFailing)
      expect(left.faults).toEqual(needed.map(i => faults[i]))
      expect(left.tried.length).toBeLessThanOrEqual(most)
    },
  )

  it('behavior: many faults that fail together only are not taken away one by one before', async () => {
    const faults = Array.from({ length: 16 }, (_, i) => reset(`${5 * i}s`))
    const isFailing = (next: HuntScenario) => next.faults.length >= 12 || next.faults.every(isOutage)
    const left = await leftOf(separate, { faults }, isFailing)
    expect(left.faults).toEqual([{ fault: 'reply/status', for: '85s' }])
    expect(left.tried.length).toBeLessThan(20)
  })

  it.each([
    // Without other selectors, the fault itself is the first of those that must all fail.
    ['signature/all-zero', undefined, /^signature/, 'signature/tampered-price'],
    ['signature/tampered-ts', '4', /ts/, 'tick/ts-backwards'],
    // An odd number that is read well is a jump of the price.
    ['tick/unsafe-integer', undefined, /unsafe|bad-tick/, 'market/bad-tick'],
    ['tick/wrong-expo', undefined, /expo|shock/, 'market/shock'],
  ] as const)(
    'behavior: a consumer that cannot stand %s is told the plainest fault',
    async (name, requests, failing, told) => {
      const fault: HuntFault = { fault: name, ...(requests && { requests }) }
      const isFailing = ({ fault: one, ...others }: HuntFault): boolean =>
        failing.test(one) && JSON.stringify({ fault: name, ...others }) === JSON.stringify(fault)
      const left = await leftOf(simplify, { faults: [fault] }, next => next.faults.every(isFailing))
      expect(left.faults).toEqual([{ ...fault, fault: told }])
      const tried = left.tried.map(({ faults: [one] }) => JSON.stringify(Object.entries(one!).sort()))
      expect(tried).toEqual([...new Set(tried)])
    },
  )

  it('behavior: of some endpoints, the one that is enough', async () => {
    const fault: HuntFault = { fault: 'reply/empty-body', endpoints: ['history', 'evm', 'latest'] }
    const { faults } = await leftOf(simplify, { faults: [fault] }, next =>
      next.faults.every(one => one.fault === fault.fault && (one.endpoints ?? []).includes('evm')),
    )
    expect(faults).toEqual([{ ...fault, endpoints: ['evm'], requests: { first: 1 } }])
  })

  it.each<[string, readonly HuntFault[], (faults: readonly HuntFault[]) => boolean, readonly HuntFault[]]>([
    [
      'that is not needed once the others are plainer is dropped',
      [{ fault: 'tick/zero', options: {} }, { fault: 'market/gap' }],
      faults => (faults[0]!.options ? faults.length === 2 : faults.some(({ fault }) => fault === 'tick/zero')),
      [{ fault: 'tick/zero', endpoints: ['batch'], feeds: ['BTCUSD'], requests: { first: 1 } }],
    ],
    [
      'of several with other options is one everywhere',
      ['5m', '1h'].map((age, i) => ({ fault: 'market/stale', feeds: [['BTCUSD', 'ETHUSD'][i]!], options: { age } })),
      faults => faults.length === 2 || (faults.length === 1 && faults[0]!.feeds === undefined),
      [{ fault: 'market/stale' }],
    ],
  ])('behavior: a fault %s', async (_, faults, isFailing, left) => {
    expect((await leftOf(simplify, { faults }, next => isFailing(next.faults))).faults).toEqual(left)
  })

  it('behavior: a loop that is not needed is left out', async () => {
    const loopOf = async (isNeeded: boolean) => {
      const isFailing = ({ faults, loop }: HuntScenario) =>
        faults[0]?.fault === 'tick/zero' && (!isNeeded || loop !== undefined)
      return (await leftOf(simplify, { loop: '5m', faults: [{ fault: 'tick/zero' }] }, isFailing)).loop
    }
    expect([await loopOf(false), await loopOf(true)]).toEqual([undefined, '5m'])
  })

  it('behavior: a loop goes with the requests that it counts', async () => {
    const faults = [{ fault: 'market/gap', requests: '2 of 3' }]
    const left = await leftOf(simplify, { loop: '5m', faults }, next =>
      next.faults.every(({ requests }) => (requests === undefined) === (next.loop === undefined)),
    )
    expect([left.loop, left.faults[0]!.requests]).toEqual([undefined, undefined])
  })

  it('behavior: of several requests, the first one that is enough', async () => {
    const faults = [{ fault: 'wire/reset', requests: '4-6,9' }]
    const left = await leftOf(simplify, { faults }, next => /^4/.test(String(next.faults[0]!.requests)))
    expect(left.faults[0]!.requests).toBe('4')
  })

  it('behavior: options that are not needed are left out one by one', async () => {
    const options = { status: 429, retryAfter: '20s', retryAfterForm: 'zero' }
    const faults = [{ fault: 'reply/status', options }]
    const left = await leftOf(simplify, { faults }, next => next.faults[0]!.options?.status === 429)
    expect(left.faults[0]!.options).toEqual({ status: 429 })
  })

  it.each([
    [
      'as long as the quiet after it, if that does the same',
      true,
      { from: '10s', for: '60s', options: { status: 500 } },
    ],
    ['not told, if that passes', false, { requests: { first: 1 }, options: { status: 401 } }],
  ])('behavior: after a refused key, an outage is %s', async (_, isOutage, left) => {
    const at = [0, 5, 10, 70, 75].map((second, i) => ({
      ...calm.requests[0]!,
      at: second * 1000,
      faults: i === 2 ? ['reply/status'] : [],
    }))
    const run = { ...calm, requests: at }
    const fault = { fault: 'reply/status', endpoints: ['batch'], options: { status: 401 } }
    const isFailing = ({ faults: [one] }: HuntScenario) =>
      one!.options?.status === 401 || (isOutage && one!.options?.status === 500 && one!.for === '60s')
    const { faults } = await leftOf(simplify, { faults: [fault] }, isFailing, run)
    expect(faults).toEqual([expect.objectContaining({ ...left, fault: 'reply/status' })])
  })

  it('behavior: an outage instead of several faults may be longer than their loop, and prices stay with their feed', async () => {
    const faults = ['tick/zero', 'market/gap', 'reply/empty-body'].map(fault => ({ fault, for: '5m' }))
    const price = { fault: 'market/price', feeds: ['BTCUSD'], for: '5m', options: { price: 82_810 } }
    const given = { loop: '5m', faults: [...faults, price] }
    const { tried } = await leftOf(lengthen, given, () => false, calm, { ...profileOf(calm), seconds: 600 })
    const vocabulary = { faults: FAULTS, endpoints: ENDPOINTS.map(one => one.name), feeds: catalogueFeeds() }
    for (const one of tried) parseScenario(one, vocabulary, { name: 'one', subject: 'It', inline: false })
    expect(tried.some(({ faults }) => faults[0]?.for === '390s')).toBe(true)
  })

  it('behavior: faults of single requests that led to the last ones are left out', async () => {
    const asked = (at: number, endpoint: string, fault?: string) => ({
      ...calm.requests[0]!,
      at: at * 1000,
      endpoint,
      faults: fault === undefined ? [] : [fault],
    })
    const [bad, old, zero] = ['signature/bit-flip', 'tick/ts-backwards', 'tick/zero']
    const run = {
      ...calm,
      requests: [asked(0, 'batch', zero), asked(2, 'batch', bad), asked(4, 'batch', bad), asked(4, 'latest', old)],
    }
    const faults = [
      { fault: zero!, endpoints: ['batch'], requests: '1' },
      { fault: bad!, endpoints: ['batch'], requests: '2-3' },
      { fault: old!, endpoints: ['latest'], requests: '3' },
    ]
    const left = await leftOf(lengthen, { faults }, next => next.faults.every(({ from }) => from === '4s'), run)
    expect(left.faults).toEqual([
      { fault: bad, endpoints: ['batch'], from: '4s' },
      { fault: old, endpoints: ['latest'], from: '4s' },
    ])
  })

  it('behavior: whatever fails and whenever, each scenario that is tried is valid', async () => {
    const vocabulary = { faults: FAULTS, endpoints: ENDPOINTS.map(one => one.name), feeds: catalogueFeeds() }
    const all = Object.entries(BUILT_IN as unknown as Record<string, HuntScenario>)
    for (const [i, [name, given]] of [...all, ...all, ...all, ...all].entries()) {
      if (given.faults.length === 0) continue
      const next = seedrandom(String(i))
      const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!
      // Shorter and longer than the loops.
      const scale = pick([1, 5, 20])
      const requests = calm.requests.map(one => ({ ...one, at: one.at * scale }))
      const [profile, chance] = [profileOf({ ...calm, requests, ms: calm.ms * scale }), pick([0, 0.2, 0.6])]
      const failed = (scenario: HuntScenario): Failure => {
        const names = scenario.faults.map(({ fault }) => fault)
        const met = requests
          .slice(0, 1 + Math.floor(next() * requests.length))
          .map(one => ({ ...one, faults: next() < 0.3 ? [pick(names)] : [] }))
        return { scenario, run: { ...calm, requests: met, ms: met.at(-1)!.at, hits: names.map(() => pick([0, 1])) } }
      }
      const fails = async (scenario: HuntScenario) => {
        parseScenario(scenario, vocabulary, { name, subject: name, inline: false })
        return next() < chance ? failed(scenario) : undefined
      }
      let left = failed(withoutChance(failed(given)))
      for (const by of [lengthen, separate, lengthen, simplify]) left = await by(left, profile, fails)
    }
  })

  it('behavior: faults that differ only in their places are one', async () => {
    const skew = { fault: 'tick/ts-skew', options: { seconds: 45 } }
    const faults = ['BTCUSD', 'ETHUSD'].map(feed => ({ ...skew, feeds: [feed], requests: '4' }))
    const feedsOf = ({ faults }: HuntScenario) => faults.flatMap(({ feeds = [] }) => feeds)
    const isFailing = (next: HuntScenario) =>
      feedsOf(next).length === 2 &&
      next.faults.every(({ fault, options }) => fault === skew.fault && options?.seconds === 45)
    expect((await leftOf(simplify, { faults }, isFailing)).faults).toEqual([
      { ...skew, endpoints: ['batch'], feeds: ['BTCUSD', 'ETHUSD'], requests: { first: 1 } },
    ])
  })
})

describe('options', () => {
  it('args: the same seed gives the same runs, another one others', async () => {
    const labelsOf = async (seed: number): Promise<string[]> => {
      const labels: string[] = []
      await huntOf(() => undefined, { seed, budget: { runs: 20 }, onProgress: ({ label }) => labels.push(label) })
      return labels
    }
    expect(await labelsOf(1)).toEqual(await labelsOf(1))
    expect(await labelsOf(1)).not.toEqual(await labelsOf(2))
  })

  it('args: parallel runs are as many as allowed', async () => {
    let active = 0
    let most = 0
    const run: HuntOptions['run'] = async scenario => {
      most = Math.max(most, ++active)
      await Promise.resolve()
      active--
      return runHunted(scenario, on('tick/zero'))
    }
    const { finds } = await hunt({ run, seed: 42, budget: { runs: 60 }, parallel: 4 })
    expect([most, finds.map(({ faults }) => faults)]).toEqual([4, [['tick/zero']]])
  })

  it('args: what is allowed is left out, and no run is empty for it', async () => {
    expect((await huntOf(on('tick/zero'), { allow: ['tick/zero'] })).finds).toEqual([])
    const allow = FAULTS.filter(({ name }) => name.startsWith('market/')).map(({ name }) => name)
    const counts: number[] = []
    const run = async (scenario: HuntScenario) => {
      counts.push(scenario.faults.length)
      return runHunted(scenario, () => undefined)
    }
    await hunt({ run, seed: 42, budget: { runs: 60 }, allow })
    expect(counts.filter(count => count === 0)).toHaveLength(2)
  })

  it('error: a name to accept that nothing has', async () => {
    const allow = ['tick/zero', 'tick-zero-batch-2', 'calm', 'tick/zeroo']
    await expect(huntOf(on('tick/zero'), { allow })).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
      shortMessage: 'The list of accepted names has 1 problem.',
      problems: [expect.objectContaining({ at: 'allow[3]', got: 'tick/zeroo', closest: 'tick/zero' })],
    })
  })

  it('args: known finds run first, and are told if they still fail', async () => {
    const scenario = { title: 'Zero', why: 'A division.', faults: [{ fault: 'tick/zero' }] as HuntFault[] }
    const known = [{ name: 'of-last-week', scenario }]
    const [find] = (await huntOf(on('tick/zero'), { known })).finds
    expect(find).toMatchObject({ name: 'of-last-week', scenario, confirmed: 3, runs: 3 })
    expect((await huntOf(() => undefined, { known, budget: { runs: 5 } })).finds).toEqual([])
    expect((await huntOf(on('tick/zero'), { known, allow: ['of-last-week'] })).allowed).toHaveLength(1)
  })

  it('args: known finds run whatever the budget is, and what failed is repeated', async () => {
    const scenarioOf = (fault: string): HuntScenario => ({ title: 'T', why: 'W', faults: [{ fault }] })
    const known = Array.from({ length: 60 }, (_, i) => ({
      name: `of-${i}`,
      scenario: scenarioOf(i === 59 ? 'tick/zero' : 'reply/no-cors'),
    }))
    const { finds, tried } = await huntOf(on('tick/zero'), { known, budget: { runs: 1 } })
    expect([finds.map(({ name, confirmed }) => [name, confirmed]), tried]).toEqual([[['of-59', 3]], 60])
    let now = 0
    const run = async (scenario: HuntScenario) => {
      now += 1000
      return runHunted(scenario, on('tick/zero'))
    }
    const budget = { ms: 1000, now: () => now }
    expect((await hunt({ run, seed: 1, budget, known })).finds).toMatchObject([{ confirmed: 3, repeated: 3 }])
  })

  it('behavior: a budget of time that ends while a find is made smaller leaves time to repeat it', async () => {
    for (const ms of [3000, 5000, 9000, 20_000]) {
      let now = 0
      const run = async (scenario: HuntScenario) => {
        now += 1000
        return { ...runHunted(scenario, () => undefined), failed: scenario.faults.length > 0, output: 'bug' }
      }
      const { finds } = await hunt({ run, seed: 1, budget: { ms, now: () => now } })
      expect(finds.map(({ confirmed, repeated }) => [confirmed, repeated])).toEqual(finds.map(() => [3, 3]))
      expect(finds.length).toBeGreaterThan(0)
    }
  })

  it('behavior: a budget that ends with the calm runs has tried nothing, and says so', async () => {
    expect(await huntOf(() => 'bug', { budget: { runs: 2 } })).toMatchObject({ calm: 'failed', tried: 0 })
    expect(await huntOf(() => undefined, { budget: { runs: 2 } })).toMatchObject({ calm: 'passed', tried: 0, runs: 2 })
    expect(await huntOf(() => undefined, { budget: { runs: 3 } })).toMatchObject({ calm: 'passed', tried: 1, runs: 3 })
  })

  it('behavior: a run that fails once and never again is told, with its output', async () => {
    let count = 0
    const run = async (scenario: HuntScenario) => ({
      ...runHunted(scenario, () => undefined),
      ...(++count === 4 && { failed: true, output: 'the ledger is corrupted' }),
    })
    const { finds, unconfirmed } = await hunt({ run, seed: 1, budget: { runs: 20 } })
    expect(finds).toEqual([])
    expect(unconfirmed).toMatchObject([{ output: 'the ledger is corrupted' }])
    expect(unconfirmed[0]!.scenario.faults.length).toBeGreaterThan(0)
  })

  it('args: a budget of time', async () => {
    let now = 0
    const run: HuntOptions['run'] = async scenario => {
      now += 100
      return runHunted(scenario, () => undefined)
    }
    expect(await hunt({ run, seed: 1, budget: { ms: 2000, now: () => now } })).toMatchObject({ runs: 20, isCut: false })
  })

  it('behavior: a failure that the signal left no time to repeat is told, as not confirmed', async () => {
    const ended = new AbortController()
    const onProgress: HuntOptions['onProgress'] = ({ phase }) => (phase === 'confirm' ? ended.abort() : undefined)
    const { finds } = await huntOf(on('tick/zero'), { signal: ended.signal, onProgress })
    // Nor was a single endpoint tried.
    expect(finds[0]!.scenario.why).not.toMatch(/It fails in this way only/)
    expect(finds).toMatchObject([{ output: 'bug of tick/zero', confirmed: 0, repeated: 0 }])
    expect(finds[0]!.faults).toContain('tick/zero')
  })

  it('behavior: a run that is not possible ends it with the finds so far, and without any it rejects', async () => {
    const problem = new Error('no port')
    const huntUntil = (fails: Fails) => {
      let runs = 0
      const run: HuntOptions['run'] = async scenario => {
        if (++runs > 30) throw problem
        return runHunted(scenario, fails)
      }
      return hunt({ run, seed: 42, budget: { runs: 160 }, parallel: 2 })
    }
    const { finds, ...ended } = await huntUntil(on('tick/zero'))
    expect(finds.map(({ faults }) => faults)).toEqual([['tick/zero']])
    expect(ended).toMatchObject({ isCut: true, problem, runs: 30, calm: 'passed' })
    await expect(huntUntil(() => undefined)).rejects.toBe(problem)
    expect((await huntOf(on('tick/zero'))).problem).toBeUndefined()
  })

  it('args: the signal ends it, with the finds so far', async () => {
    const ended = new AbortController()
    const onProgress: HuntOptions['onProgress'] = ({ finds }) => (finds > 0 ? ended.abort() : undefined)
    const report = await huntOf(on('tick/zero', 'series/empty'), { signal: ended.signal, onProgress })
    expect(report).toMatchObject({ isCut: true, calm: 'passed' })
    expect(report.finds).toHaveLength(1)
    const given: unknown[] = []
    const run: HuntOptions['run'] = async (scenario, { signal, label }) => {
      given.push([signal, label])
      return runHunted(scenario, () => 'broken')
    }
    const { signal } = new AbortController()
    await hunt({ run, seed: 42, budget: { runs: 9 }, signal })
    expect(given).toEqual([
      [signal, 'calm'],
      [signal, 'calm'],
    ])
  })
})
