// The deny lists of `keys --all`, compiled as they are printed, and asked about every test key and about another one.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Hex } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { testSigners } from '../../src/signing/verify.js'
import { createFolder } from '../support/folder.js'
import { missingProgram, needs } from '../support/needs.js'
import { NO_CHAINS } from './workbench.js'

const PROGRAM = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url))
const ADDRESSES = testSigners().map(({ address }) => address)
/** The test keys, and a key that is none. */
const ASKED = [...ADDRESSES, `0x${'11'.repeat(20)}`]
const EXPECTED = ASKED.map(address => ADDRESSES.includes(address))

/** The output of a command that must succeed. */
function outputOf(command: string, args: readonly string[], cwd?: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: 100_000 })
  expect(status, `${command} ${args.join(' ')}: ${error ?? stderr}`).toBe(0)
  return stdout
}

const denyListOf = (format: string): string =>
  outputOf(process.execPath, [PROGRAM, 'keys', '--all', '--format', format])

/** A folder with files, which the end of the test removes. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = createFolder(onTestFinished)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** The bytes of an address, as elements of a list. */
const bytesOf = (address: string): string => address.slice(2).replace(/../g, '0x$&, ')

it('args: solidity', needs(NO_CHAINS), async () => {
  const { compile, createClient, startAnvil } = await import('./ethereum.js')
  const contract = `pragma solidity ^0.8.24;\ncontract List { function isTest(address one) external pure returns (bool) { return PriceFeedMockSigners.isTestSigner(one); } }`
  const folder = folderOf({ 'List.sol': `${denyListOf('solidity')}\n${contract}` })
  const { abi, bytecode } = compile({ 'List.sol': pathToFileURL(join(folder, 'List.sol')).href }).List!
  const anvil = await startAnvil()
  onTestFinished(() => anvil.stop())
  const client = createClient(anvil.url)
  const [account] = await client.getAddresses()
  const hash = await client.deployContract({ abi, bytecode, account: account! } as never)
  const { contractAddress } = await client.waitForTransactionReceipt({ hash })
  const ask = (address: string) =>
    client.readContract({ abi, address: contractAddress!, functionName: 'isTest', args: [address as Hex] })
  expect(await Promise.all(ASKED.map(ask))).toEqual(EXPECTED)
})

it('args: go, which go vet and gofmt accept', needs(missingProgram('go')), () => {
  const main = `package main\n\nimport "fmt"\n\nfunc main() {\n\tfor _, one := range [][20]byte{\n${ASKED.map(one => `\t\t{${bytesOf(one).replace(/, $/, '')}},\n`).join('')}\t} {\n\t\tfmt.Println(IsPriceFeedMockSigner(one))\n\t}\n}\n`
  const files = {
    'list.go': `package main\n\n${denyListOf('go')}`,
    'main.go': main,
    'go.mod': 'module list\n\ngo 1.19\n',
  }
  const folder = folderOf(files)
  outputOf('go', ['vet', './...'], folder)
  expect(outputOf('gofmt', ['-d', '.'], folder)).toBe('')
  expect(outputOf('go', ['run', '.'], folder)).toBe(EXPECTED.map(one => `${one}\n`).join(''))
})

it('args: rust, without a warning', needs(missingProgram('rustc')), () => {
  const main = `fn main() {\n    assert_eq!(TEST_SIGNER_PUBLIC_KEYS.len(), TEST_SIGNERS.len());\n    for one in [${ASKED.map(one => `[${bytesOf(one)}]`).join(', ')}] {\n        println!("{}", is_test_signer(&one));\n    }\n}\n`
  const folder = folderOf({ 'list.rs': `${denyListOf('rust')}\n${main}` })
  outputOf('rustc', ['--edition', '2021', '-D', 'warnings', 'list.rs'], folder)
  expect(outputOf(join(folder, 'list'), [])).toBe(EXPECTED.map(one => `${one}\n`).join(''))
})

it('args: json', () => {
  const list = JSON.parse(denyListOf('json')) as { address: string; testKey: number }[]
  expect(list.map(({ testKey, address }) => [testKey, address])).toEqual(ADDRESSES.map((one, i) => [i, one]))
})

it('args: env', () => {
  const folder = folderOf({ '.env': denyListOf('env') })
  const print = '. ./.env && printf %s "$PRICE_FEED_TEST_SIGNERS"'
  expect(outputOf('sh', ['-c', print], folder)).toBe(ADDRESSES.join(','))
})
