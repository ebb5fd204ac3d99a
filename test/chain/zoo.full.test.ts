// The zoo on a chain: a vault that keeps its promises under every scenario, and copies with one bug each, all in one run.
import { readFileSync } from 'node:fs'
import { decodeFunctionResult, encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EvmSignedPrice, toBytes32, toCalldata } from '../../src/chain/chain.js'
import { createMock } from '../../src/index.js'
import { BUILT_IN } from '../../src/scenario/built-in.js'
import { parseExact } from '../../src/signing/signed-response.js'
import { checkResponse } from '../../src/signing/verify.js'
import { needs } from '../support/needs.js'
import { IS_FULL_RUN } from '../support/seed.js'
import type { Anvil, Compiled } from './ethereum.js'
import { NO_CHAINS } from './workbench.js'
import { type Promised, VAULT_BUGS, type VaultBug } from './zoo/bugs.js'

// Without the packages of the chains it cannot be loaded.
const { compileSources, startAnvil } = (
  NO_CHAINS === undefined ? await import('./ethereum.js') : {}
) as typeof import('./ethereum.js')

/** Scenarios that find each bug between them, and chaos for the correct vault. The full run has all. */
const ENOUGH = 'calm signature-matrix odd-numbers clock-skew staleness-ladder lagging-replica year-2038 chaos'.split(
  ' ',
)
const AT = Date.UTC(2025, 6, 24, 10, 48, 25)
const SECONDS = 360
const POLL = 5
const MAX_AGE = 60
const MAX_FUTURE = 5
/** Each vault is for one feed. Prices are brought to them by their position in a reply, as a careless relay does. */
const FEEDS = ['ETHUSD', 'BTCUSD'] as const
/** The first account of anvil, whose key it has. */
const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
/** The answer of `Crowd` for a vault without a value. */
const NONE = -(2n ** 255n)
const GAS = '0xe4e1c0'

/** A genuine price that a vault was brought. */
interface Genuine {
  readonly price: bigint
  readonly ts: number
  /** Whether it must be accepted when it is brought. */
  readonly isFresh: boolean
}

/** The source of the correct vault, and of each copy with a bug. */
function sourcesOf(): string[] {
  const correct = readFileSync(new URL('zoo/Vault.sol', import.meta.url), 'utf8')
  return [undefined, ...VAULT_BUGS].map(bug => {
    if (bug === undefined) return correct
    const parts = correct.split(bug.line)
    if (parts.length !== 2) throw new Error(`${bug.name}: its line is ${parts.length - 1} times in Vault.sol`)
    return parts.join(bug.instead)
  })
}

describe('on anvil', needs(NO_CHAINS), () => {
  let anvil: Anvil
  let vaults: readonly Compiled[]
  let crowd: Compiled
  beforeAll(async () => {
    // Scenarios bring their own clocks, and no block may be older than the one before.
    anvil = await startAnvil(['--timestamp', '1', '--no-mining', '--gas-limit', '100000000'])
    const contracts = compileSources({
      ...Object.fromEntries(sourcesOf().map((text, i) => [`${i}.sol`, text])),
      crowd: readFileSync(new URL('zoo/Crowd.sol', import.meta.url), 'utf8'),
    })
    vaults = sourcesOf().map((_, i) => contracts[`${i}.sol`]!.Vault!)
    crowd = contracts.crowd!.Crowd!
  })
  afterAll(() => anvil?.stop())

  const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = (await (await fetch(anvil.url, { method: 'POST', headers, body })).json()) as {
      result?: unknown
      error?: { message: string }
    }
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }

  /** The promises that each vault breaks under a scenario: the correct one first. */
  const run = async (scenario: string): Promise<readonly ReadonlySet<Promised>[]> => {
    const mock = createMock({ clock: { at: new Date(AT).toISOString() as never } })
    const session = mock.sessions.create({ id: 'zoo', scenario }, AT)
    const signer = session.runtime.signer.address
    const start = Math.floor(session.nowMs(AT) / 1000)
    const snapshot = await ask('evm_snapshot')
    let nonce = BigInt((await ask('eth_getTransactionCount', ACCOUNT, 'latest')) as string)
    const send = (data: Hex, to?: Hex) => ask('eth_sendTransaction', { from: ACCOUNT, to, data, gas: GAS })
    const mine = (second: number) => ask('evm_mine', { timestamp: second })
    const deploys = [
      { ...crowd, args: [] as unknown[] },
      ...FEEDS.flatMap(feed => vaults.map(vault => ({ ...vault, args: [signer, toBytes32(feed)] }))),
    ]
    const addresses = deploys.map(() => getContractAddress({ from: ACCOUNT, nonce: nonce++ }))
    for (const { abi, bytecode, args } of deploys) await send(encodeDeployData({ abi, bytecode, args } as never))
    await mine(start - 1)
    const [board, ...all] = addresses as [Hex, ...Hex[]]
    const targetsOf = (at: number): Hex[] => all.slice(at * vaults.length, (at + 1) * vaults.length)
    const valuesData = encodeFunctionData({ abi: crowd.abi, functionName: 'values', args: [all] })

    const genuine: Genuine[][] = FEEDS.map(() => [])
    const lastTs = all.map(() => 0)
    const broken = vaults.map(() => new Set<Promised>())
    for (let passed = 0; passed < SECONDS; passed += POLL) {
      const brought = pollAt(passed)
      for (const [at, price] of brought.entries()) {
        const found = price && judge(price, FEEDS[at]!, signer, start + passed)
        if (found !== undefined) genuine[at]!.push(found)
      }
      for (const [at, price] of brought.entries()) {
        const data = price && encode(price)
        const args = [targetsOf(at), data]
        if (data !== undefined) await send(encodeFunctionData({ abi: crowd.abi, functionName: 'bring', args }), board)
      }
      for (const second of [start + passed, start + passed + POLL - 1]) {
        await mine(second)
        check((await ask('eth_call', { to: board, data: valuesData }, 'latest')) as Hex)
      }
    }
    await ask('evm_revert', snapshot)
    return broken

    /** The prices of a reply, each at its position. */
    function pollAt(passed: number): (EvmSignedPrice | undefined)[] {
      const target = `/session/zoo/prices/evm/crypto?feedIds=${FEEDS.join(',')}`
      const request = { method: 'GET', target, authorization: 'test-api-key', receivedAt: AT + passed * 1000 }
      const { outcome } = mock.serve(request)!
      if (outcome.kind !== 'reply' || outcome.status !== 200) return []
      try {
        const { prices } = parseExact(outcome.body) as { prices: EvmSignedPrice[] }
        return FEEDS.map((_, i) => prices[i])
      } catch {
        return []
      }
    }
    function check(result: Hex): void {
      const [time, values] = decodeFunctionResult({ abi: crowd.abi, functionName: 'values', data: result }) as [
        bigint,
        readonly bigint[],
      ]
      const now = Number(time)
      for (const [i, value] of values.entries()) {
        const known = genuine[Math.floor(i / vaults.length)]!
        const note = (promised: Promised): void => void broken[i % vaults.length]!.add(promised)
        const used = known.findLast(({ price, ts }) => price === value && ts >= lastTs[i]!)
        const newest = known.reduce((last, { ts, isFresh }) => (isFresh ? Math.max(last, ts) : last), 0)
        if (value === NONE) {
          if (newest + MAX_AGE >= now) note('every good price')
          continue
        }
        if (used === undefined)
          note(known.some(({ price }) => price === value) ? 'never back in time' : 'only genuine prices')
        else if (used.ts + MAX_AGE < now || used.ts > now + MAX_FUTURE) note('only fresh prices')
        else if (used.ts < newest) note('every good price')
        if (used !== undefined) lastTs[i] = used.ts
      }
    }
  }

  it('default: the correct vault keeps its promises, calm shows no bug, and each bug is found by a scenario', async () => {
    const found = new Map<VaultBug, string[]>(VAULT_BUGS.map(bug => [bug, []]))
    for (const scenario of IS_FULL_RUN ? Object.keys(BUILT_IN) : ENOUGH) {
      const [correct, ...others] = await run(scenario)
      expect([...correct!], scenario).toEqual([])
      for (const [i, bug] of VAULT_BUGS.entries()) {
        if (scenario === 'calm') expect([...others[i]!], bug.name).toEqual([])
        if (others[i]!.has(bug.breaks)) found.get(bug)!.push(scenario)
      }
    }
    const missed = VAULT_BUGS.filter(bug => found.get(bug)!.length === 0).map(({ name }) => name)
    expect(missed).toEqual([])
  })
})

/** A price as calldata; undefined where it has no form for a contract. */
function encode(price: EvmSignedPrice): Hex | undefined {
  try {
    return toCalldata(price) as Hex
  } catch {
    return undefined
  }
}

/** The only form of a signature that a contract takes: r, s and a v of 27 or 28. */
const FORM = /^[0-9a-f]{128}1[bc]$/

/** A price that is signed for a feed in the form of a contract. */
function judge(price: EvmSignedPrice, feed: string, signer: string, now: number): Genuine | undefined {
  try {
    const { ok, tick } = checkResponse({ prices: [price] }, { signers: [signer] }).prices[0]!
    if (!ok || !FORM.test(price.signature) || tick?.feedId !== feed || tick.expo !== -8) return undefined
    const isFresh = tick.ts + MAX_AGE >= now && tick.ts <= now + MAX_FUTURE
    return { price: BigInt(tick.price), ts: tick.ts, isFresh }
  } catch {
    return undefined
  }
}
