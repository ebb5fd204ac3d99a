// Transactions of the relay that are signed here, by viem, because the chain does not have the key.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { RpcProvider } from '../chain/clock.js'
import type { RelayTransaction } from '../chain/relay.js'
import { PriceFeedMockError } from '../errors.js'

/** The part of `viem/accounts` that signs. */
interface ViemAccounts {
  privateKeyToAccount(key: string): {
    readonly address: string
    signTransaction(transaction: Readonly<Record<string, unknown>>): Promise<string>
  }
}

/**
 * Creates the function that signs and sends transactions with a key. viem is installed beside this package or in the working directory.
 * @param parents files whose `node_modules` are searched
 * @throws PriceFeedMockError MODULE_UNAVAILABLE without viem
 */
export async function createSend(
  rpc: RpcProvider,
  key: string,
  parents: readonly string[] = [import.meta.url, join(process.cwd(), 'package.json')],
): Promise<(transaction: RelayTransaction) => Promise<string>> {
  const path = parents.map(resolveViem).find(Boolean)
  if (path === undefined)
    throw new PriceFeedMockError('MODULE_UNAVAILABLE', 'A key of your own needs viem, which is not installed.', {
      details: [['fix', 'npm install --save-dev viem, or leave out the key: anvil signs for its own accounts']],
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

function resolveViem(parent: string): string | undefined {
  try {
    return createRequire(parent).resolve('viem/accounts')
  } catch {
    return undefined
  }
}
