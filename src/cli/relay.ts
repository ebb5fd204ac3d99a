// `price-feed-mock relay`: a server whose prices go to a contract as its time passes.
import { pathToFileURL } from 'node:url'
import { hexToBytes } from '@noble/hashes/utils.js'
import { toChainId } from '../chain/allowed-chains.js'
import type { EvmSignedPrice } from '../chain/calldata.js'
import type { RpcProvider } from '../chain/clock.js'
import { createRelay, RELAY_MS, type RelayTransaction } from '../chain/relay.js'
import { createRpc } from '../chain/rpc.js'
import { createClient } from '../client/client.js'
import { countOf, PriceFeedMockError } from '../errors.js'
import { createFetch } from '../hosts/fetch.js'
import { findInstalled } from '../hosts/user-handlers.js'
import type { Mock } from '../mock.js'
import { createSigner } from '../signing/signer.js'
import type { CommandConfig } from './command-options.js'
import { assertKnownFeeds } from './run-context.js'

/** The settings of a relay, checked. */
export type RelaySettings = NonNullable<CommandConfig['relay']> & {
  readonly contract: string
  readonly feeds: readonly string[]
}

/** The most time for an answer of the mock: faults can delay it for ever. */
const ASK_TIMEOUT_MS = 5000

/**
 * Starts a relay from a mock.
 * @param report receives one line for each event
 * @returns a function that ends it, with a last line
 * @throws PriceFeedMockError OPTIONS_INVALID for unknown feeds and for a chain that is not allowed, MODULE_UNAVAILABLE without viem for a key
 */
export async function startRelay(
  mock: Mock,
  {
    rpc: url = 'http://127.0.0.1:8545',
    contract,
    feeds,
    syncClock,
    leader = 'mock',
    keyUnsafe: key,
    allowChains = [],
  }: RelaySettings,
  report: (line: string) => void,
): Promise<() => void> {
  assertKnownFeeds('The relay', mock.sessions.default.runtime.market, feeds)
  const rpc = createRpc(url)
  let sendSigned: Awaited<ReturnType<typeof createSend>> | undefined
  const fetch = createFetch(mock)
  const client = createClient({
    baseUrl: 'http://mock',
    apiKey: mock.sessions.default.runtime.settings.apiKeys[0]!,
    fetch: (target, init) => fetch(target, { ...init, signal: AbortSignal.timeout(ASK_TIMEOUT_MS) }),
  })
  const relay = createRelay({
    rpc,
    contract,
    clock: mock.clock,
    leader: syncClock ? leader : undefined,
    send: key === undefined ? undefined : transaction => sendSigned!(transaction),
    allowChains: allowChains.map(name => toChainId(name)!),
    account: key && createSigner(hexToBytes(key.replace(/^0x/, ''))).address,
    settings: () => mock.sessions.default.record.setup,
    ask: async () => {
      const prices = (await client.evm({ feedIds: [...feeds] })).prices as readonly EvmSignedPrice[]
      const { evm, layouts } = mock.sessions.default.runtime.settings.signing
      // A prefix that belongs to the layout is no fault: only its bytes are for the chain.
      if (layouts[evm]!.hexPrefix === '') return prices
      return prices.map(price => ({ ...price, signature: String(price.signature).replace(/^0x/, '') }))
    },
    report,
  })
  await relay.check()
  if (key !== undefined) sendSigned = await createSend(rpc, key)
  // Between two blocks the time of the chain stands still.
  if (syncClock && leader === 'chain') mock.clock.freeze()
  const stops = [repeat(() => relay.read().then(() => RELAY_MS)), repeat(() => relay.deliver())]
  return () => {
    for (const stop of stops) stop()
    const { pushed, rejected, waiting } = relay.counts
    const leftOut = relay.leftOut === 0 ? '' : `, ${relay.leftOut} left out`
    report(`relay ended: ${countOf(pushed, 'price')} pushed, ${rejected} rejected, ${waiting} waiting${leftOut}`)
  }
}

/** Calls a function again and again, each time after the milliseconds that it returned. */
function repeat(act: () => Promise<number>): () => void {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const next = async (): Promise<void> => {
    const ms = await act()
    if (!isStopped) timer = setTimeout(next, ms)
  }
  void next()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

/** The part of `viem/accounts` that signs. */
interface ViemAccounts {
  privateKeyToAccount(key: string): {
    readonly address: string
    signTransaction(transaction: Readonly<Record<string, unknown>>): Promise<string>
  }
}

/**
 * Creates the function that signs and sends transactions with a key, by viem.
 * @param parents files whose `node_modules` are searched for it
 * @throws PriceFeedMockError MODULE_UNAVAILABLE without viem
 */
export async function createSend(
  rpc: RpcProvider,
  key: string,
  parents?: readonly string[],
): Promise<(transaction: RelayTransaction) => Promise<string>> {
  const path = findInstalled('viem/accounts', parents)
  if (path === undefined)
    throw new PriceFeedMockError('MODULE_UNAVAILABLE', 'A key of your own needs viem, which is not installed.', {
      fix: 'npm install --save-dev viem, or leave out the key: anvil signs for its own accounts',
    })
  const { privateKeyToAccount } = (await import(pathToFileURL(path).href)) as ViemAccounts
  const account = privateKeyToAccount(key.startsWith('0x') ? key : `0x${key}`)
  const request = (method: string, ...params: readonly unknown[]): Promise<string> =>
    rpc.request({ method, params }) as Promise<string>

  return async ({ to, data }) => {
    const from = account.address
    const [chainId, nonce, gasPrice, gas] = await Promise.all([
      request('eth_chainId'),
      request('eth_getTransactionCount', from, 'pending'),
      request('eth_gasPrice'),
      request('eth_estimateGas', { from, to, data }),
    ])
    const transaction = {
      type: 'legacy',
      to,
      data,
      chainId: Number(chainId),
      nonce: Number(nonce),
      gasPrice: BigInt(gasPrice),
      // Estimates can be too low when another price comes first.
      gas: (BigInt(gas) * 3n) / 2n,
    }
    return request('eth_sendRawTransaction', await account.signTransaction(transaction))
  }
}
