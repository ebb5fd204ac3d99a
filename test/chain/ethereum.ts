// The verifiers on an EVM: bare ecrecover, OpenZeppelin, and the feed contract of examples/evm-foundry, on anvil.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import {
  type Abi,
  BaseError,
  createTestClient,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  http,
  publicActions,
  walletActions,
} from 'viem'
import { foundry } from 'viem/chains'
import { type EvmSignedPrice, toBytes32, toCalldata } from '../../src/chain/chain.js'
import { chainProgram } from './workbench.js'

const require = createRequire(import.meta.url)

/** A running anvil. */
export type Anvil = { readonly url: string; stop(): Promise<void> }

/** Starts anvil on a free port. */
export async function startAnvil(args: readonly string[] = []): Promise<Anvil> {
  const child = spawn(chainProgram('anvil'), ['--port', '0', '--host', '127.0.0.1', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  for await (const line of createInterface(child.stdout)) {
    const listening = /Listening on (\S+)/.exec(line)?.[1]
    if (listening === undefined) continue
    child.stdout.resume()
    return {
      url: `http://${listening}`,
      stop() {
        child.kill()
        return ended
      },
    }
  }
  throw new Error('anvil ended before it listened')
}

/** A client of anvil with all its methods. */
export function createClient(url: string) {
  return createTestClient({ chain: foundry, mode: 'anvil', transport: http(url), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions)
}

/** The ABI and the code of a contract. */
export type Compiled = { readonly abi: Abi; readonly bytecode: Hex }

/** The contracts of some sources, by source and name. */
export function compileSources(sources: Readonly<Record<string, string>>): Record<string, Record<string, Compiled>> {
  const solc = require('solc') as { compile(input: string, callbacks: object): string }
  const settings = { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } }
  const contents = Object.fromEntries(Object.entries(sources).map(([name, content]) => [name, { content }]))
  const input = JSON.stringify({ language: 'Solidity', sources: contents, settings })
  const findImports = (path: string) => ({ contents: readFileSync(require.resolve(path), 'utf8') })
  const output = JSON.parse(solc.compile(input, { import: findImports })) as {
    errors?: { severity: string; formattedMessage: string }[]
    contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>
  }
  const errors = output.errors?.filter(({ severity }) => severity === 'error') ?? []
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const toCompiled = ({ abi, evm }: { abi: Abi; evm: { bytecode: { object: string } } }): Compiled => ({
    abi,
    bytecode: `0x${evm.bytecode.object}`,
  })
  return Object.fromEntries(
    Object.entries(output.contracts).map(([source, contracts]) => [
      source,
      Object.fromEntries(Object.entries(contracts).map(([name, contract]) => [name, toCompiled(contract)])),
    ]),
  )
}

/** The contracts of some files, by contract. */
export function compile(files: Readonly<Record<string, string>>): Record<string, Compiled> {
  const sources = Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, readFileSync(new URL(file, import.meta.url), 'utf8')]),
  )
  return Object.assign({}, ...Object.values(compileSources(sources)))
}

/** The contracts of this folder and of the example. */
export const CONTRACTS = {
  'Verifiers.sol': 'Verifiers.sol',
  'src/PriceFeed.sol': '../../examples/evm-foundry/src/PriceFeed.sol',
  'src/MockFeed.sol': '../../examples/evm-foundry/src/MockFeed.sol',
}

/** Verifies a price. Resolves to "ok", or to the exact error. */
export type Verify = (price: EvmSignedPrice, signer: string) => Promise<string>

/** Starts a chain, and keeps it at a time: at that of its last block, which holds `good`. */
export async function startEthereum(now: number, good: EvmSignedPrice, trusted: string) {
  // Each contract is a block, of a second at least.
  const anvil = await startAnvil(['--timestamp', String(now - 1000)])
  const client = createClient(anvil.url)
  const contracts = compile(CONTRACTS)
  const [account] = await client.getAddresses()
  const deploy = async (name: string, args: readonly unknown[] = []): Promise<Hex> => {
    const { abi, bytecode } = contracts[name]!
    const hash = await client.deployContract({ abi, bytecode, args, account: account! } as never)
    const { contractAddress } = await client.waitForTransactionReceipt({ hash })
    return contractAddress!
  }
  const verifiers = await deploy('Verifiers')
  const policy = { signer: trusted, feedId: toBytes32(good.feedId), expo: -8, maxAge: 60, maxFuture: 5 }
  const feeds = {
    empty: await deploy('MockFeed', [good.feedId, policy]),
    used: await deploy('MockFeed', [good.feedId, policy]),
  }
  await client.setNextBlockTimestamp({ timestamp: BigInt(now) })
  const hash = await client.sendTransaction({ account: account!, to: feeds.used, data: toCalldata(good) as Hex })
  const { status } = await client.waitForTransactionReceipt({ hash })
  if (status !== 'success') throw new Error('the feed rejects the good price')

  const errors = [...contracts.Verifiers!.abi, ...contracts.MockFeed!.abi, ...contracts.ECDSA!.abi]
  const call = (to: Hex, data: Hex): Promise<string> =>
    client.call({ account: account!, to, data }).then(
      () => 'ok',
      error => toReason(error, errors),
    )
  const verifyBy =
    (functionName: string): Verify =>
    async (price, signer) => {
      // Rejects what cannot be encoded, such as 0x within the signature.
      toCalldata(price)
      const signed = {
        ...price,
        feedId: toBytes32(price.feedId),
        price: BigInt.asUintN(192, BigInt(price.price)),
        signature: `0x${price.signature}`,
      }
      const args = [signer, signed]
      return call(verifiers, encodeFunctionData({ abi: contracts.Verifiers!.abi, functionName, args }))
    }

  return {
    anvil,
    bare: verifyBy('bare'),
    adjusted: verifyBy('adjusted'),
    openZeppelin: verifyBy('openZeppelin'),
    /** Brings a price to the feed contract of the example; `used` already has the good one. */
    consume: (price: EvmSignedPrice, feed: keyof typeof feeds = 'empty') => call(feeds[feed], toCalldata(price) as Hex),
  }
}

/** The error that a call reverted with, by name, without the arguments that depend on the price. */
function toReason(error: unknown, abi: Abi): string {
  if (!(error instanceof BaseError)) throw error
  const reverted = error.walk(cause => typeof (cause as { data?: unknown }).data === 'string') as { data?: Hex } | null
  if (reverted?.data === undefined || reverted.data === '0x') {
    if (/revert/i.test(error.message)) return 'reverts without a reason'
    throw error
  }
  const { errorName, args = [] } = decodeErrorResult({ abi, data: reverted.data })
  // Only these arguments do not depend on the price.
  return /^Panic$|Length$/.test(errorName) ? `${errorName}(${args.join()})` : errorName
}
