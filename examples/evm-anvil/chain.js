// Starts anvil, deploys Board.sol, and starts relays, all on free ports.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { createTestClient, http, publicActions, walletActions } from 'viem'
import { foundry } from 'viem/chains'

const require = createRequire(import.meta.url)

/** The ABI and the code of Board.sol. */
export function compileBoard() {
  const sources = { 'Board.sol': { content: readFileSync(new URL('Board.sol', import.meta.url), 'utf8') } }
  const settings = { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } }
  const findImports = path => ({ contents: readFileSync(require.resolve(path), 'utf8') })
  const input = JSON.stringify({ language: 'Solidity', sources, settings })
  const { contracts } = JSON.parse(require('solc').compile(input, { import: findImports }))
  const { abi, evm } = contracts['Board.sol'].Board
  return { abi, bytecode: `0x${evm.bytecode.object}` }
}

/** Starts a program, and returns the first match of a pattern in a line of its output, and a function that ends it. */
async function start(program, args, pattern) {
  const child = spawn(`node_modules/.bin/${program}`, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise(resolve => child.once('close', resolve))
  const lines = []
  createInterface(child.stderr).on('line', line => lines.push(line))
  const stop = () => {
    child.kill()
    return ended
  }
  for await (const line of createInterface(child.stdout)) {
    const found = pattern.exec(line)?.[1]
    if (found === undefined) continue
    child.stdout.resume()
    return { found, lines, stop }
  }
  throw new Error(`${program} ended: ${lines.join('\n')}`)
}

/** Deploys Board.sol from the first account of a chain. */
export async function deployBoard(url, signer) {
  const client = createTestClient({ chain: foundry, mode: 'anvil', transport: http(url), pollingInterval: 50 })
    .extend(publicActions)
    .extend(walletActions)
  const [account] = await client.getAddresses()
  const { abi, bytecode } = compileBoard()
  const hash = await client.deployContract({ abi, bytecode, args: [signer], account })
  const { contractAddress: address } = await client.waitForTransactionReceipt({ hash })
  return { client, account, abi, address }
}

/** A running anvil whose first block has a time, with the board deployed. */
export async function startChain(signer, timestamp) {
  const anvil = await start('anvil', ['--port', '0', '--timestamp', String(timestamp)], /Listening on (\S+)/)
  const url = `http://${anvil.found}`
  const { client, account, abi, address } = await deployBoard(url, signer)
  /** Resolves with the first update of a feed that a condition accepts, and the time of its block. */
  const nextUpdate = condition =>
    new Promise((resolve, reject) => {
      const unwatch = client.watchContractEvent({
        address,
        abi,
        eventName: 'PriceUpdated',
        fromBlock: 0n,
        async onLogs(logs) {
          const log = logs.find(({ args }) => condition(args))
          if (log === undefined) return
          unwatch()
          const { timestamp } = await client.getBlock({ blockNumber: log.blockNumber })
          resolve({ ...log.args, blockTime: Number(timestamp) })
        },
        onError: reject,
      })
    })
  return { url, client, account, address, abi, nextUpdate, stop: anvil.stop }
}

/** Starts a relay to a board. `found` is the address of its mock, `lines` its messages. */
export const startRelay = ({ url, address }, ...args) =>
  start(
    'price-feed-mock',
    ['relay', '--port', '0', '--log', 'off', '--rpc', url, '--contract', address, ...args],
    /^(http:\S+)$/,
  )
