// The text of docs/onchain.md around the results of the matrix.
import { MAX_INSTRUCTION_BYTES } from '../../src/chain/chain.js'

/** The verifiers, in the order of the columns. */
export const COLUMNS = ['precompile', 'program', 'ecrecover', 'openZeppelin', 'verify'] as const
/** A verifier. */
export type Column = (typeof COLUMNS)[number]

/** The results of one fault: "ok", an error, or "–" for a form that the fault does not change. */
export interface Row {
  readonly fault: string
  readonly cells: Readonly<Record<Column, string>>
  /** The errors of the two consumers in examples/. */
  readonly consumers: { readonly program: string; readonly contract: string }
}

/** A mistake of a consumer, and what the chain makes of it. */
export type Mistake = { readonly mistake: string; readonly result: string; readonly check: string }

/** The check that a consumer needs for each fault that a chain accepts. */
export const CHECKS: Readonly<Record<string, string>> = {
  'signature/high-s': 's at most half of the order; identify a price by feed and `ts`, never by its signature',
  'signature/0x-prefix':
    'none on the chain, which sees the bytes without the prefix; reject it where the text is decoded',
  'signature/batch-duplicate': 'the newest of several prices of a feed',
  'signature/other-feed': 'the feed id that was signed is the one that was asked for',
  'tick/ts-skew': '`ts` at most a few seconds after the time of the chain',
  'tick/ts-backwards': '`ts` not before that of the last accepted price',
  'tick/ts-milliseconds': '`ts` at most a few seconds after the time of the chain, in 64 bits',
  'tick/zero': 'price above 0',
  'tick/negative': 'price above 0, read as a signed number ([int64](format.md#numbers))',
  'tick/unsafe-integer': 'none: the price is genuine. Parse the JSON without rounding before you encode it',
  'tick/wrong-expo': '`expo` as expected, or a conversion by it',
  'tick/other-expo': 'a conversion by `expo`, or `expo` as expected',
  'tick/extra-feed': 'the price by its feed id, never by its position',
  'tick/missing-feed': 'the price by its feed id, never by its position',
}

const cellOf = (result: string): string => (result === 'ok' ? 'accepted' : result === '–' ? result : `\`${result}\``)

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows]
  return lines.map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

function describeCheck({ fault, cells, consumers }: Row): string {
  if (!Object.values(cells).includes('ok')) return ''
  const errors = [consumers.program, consumers.contract].filter(error => error !== 'ok' && error !== '–')
  const names = [...new Set(errors.map(error => `\`${error.replace(/^Custom\(\d+\) /, '')}\``))].join(', ')
  return `${CHECKS[fault]}${names === '' ? '' : ` (${names})`}`
}

/** The whole page. */
export function writePage(rows: readonly Row[], mistakes: readonly Mistake[]): string {
  return `# On a chain

Prices of the mock are signed as those of the service, so a contract or a program accepts them. This page shows what each way to
verify them does with every fault, and the checks that are left to you. Its tables are results of tests, in which each fault stands beside
a calm price that every column accepts.

## Signatures and ticks

Precompile: Solana's secp256k1 program, with the trusted address in the instruction. Program: \`sol_secp256k1_recover\` and a
comparison with the trusted address. ecrecover: the same in Solidity. OpenZeppelin: \`ECDSA.recover\`. verify:
\`checkResponse\` of [\`price-feed-mock/verify\`](signatures.md#verify) with \`signers\`, \`feeds\`, \`maxAge\`, \`maxFuture\` and \`expo\`, and
its reasons. Solana gets a batch of two feeds, the EVM columns the evm form, verify both; "–" stands where a fault does not change the
form. The last column names the check that you need where something accepts the price, with
the error of the consumers in [examples/solana-litesvm](../examples/solana-litesvm) and [examples/evm-foundry](../examples/evm-foundry).

${table(
  ['Fault', 'Precompile', 'Program', 'ecrecover', 'OpenZeppelin', 'verify', 'Check'],
  rows.map(row => [`\`${row.fault}\``, ...COLUMNS.map(column => cellOf(row.cells[column])), describeCheck(row)]),
)}

\`not encoded\` means that \`toInstructionData\` or \`toCalldata\` rejects the reply. A transaction names only the number of an
error: \`Custom(2)\`.

## Mistakes of consumers

${table(
  ['Mistake', 'Result', 'Check'],
  mistakes.map(({ mistake, result, check }) => [mistake, result, check]),
)}

## Encode

\`\`\`ts
import { createMock } from 'price-feed-mock'
import { toBytes32, toCalldata, toInstructionData } from 'price-feed-mock/chain'
import { createClient } from 'price-feed-mock/client'
import { createFetch } from 'price-feed-mock/fetch'

const client = createClient({ baseUrl: 'http://mock', apiKey: 'test-api-key', fetch: createFetch(createMock()) })

// Data for the secp256k1 program. The signer comes from your configuration, never from the reply.
const batch = await client.batch({ feedIds: ['BTCUSD', 'ETHUSD'] })
toInstructionData(batch, { signer: '0xad3784aa29be2b36f5873e248de7a8e28f441f55' })

// Calldata of updatePrice(bytes32 feedId, uint192 price, uint32 ts, int32 expo, bytes signature).
const { prices } = await client.evm({ feedIds: ['BTCUSD'] })
toCalldata(prices[0]!)
toBytes32('BTCUSD')
\`\`\`

A packet of Solana has 1,232 bytes and leaves ${MAX_INSTRUCTION_BYTES.toLocaleString('en')} for the data of one instruction: 19 prices. litesvm takes
more, a validator does not. \`toInstructionData\` rejects a longer batch with \`INSTRUCTION_TOO_LARGE\`; split the feeds over several requests. Lower \`maxBytes\` for a transaction with further
instructions. A negative price becomes its two's complement, which is what the signature covers.

With a [layout of your own](signatures.md#your-own-layout), give \`toInstructionData\` its \`layout\`: the message then has its prefix, as the
program hashes it. A layout with SHA-256 is an error, since the program computes keccak256.

## One clock

A fresh litesvm stands at 0 and forge at 1, so calm prices fail as "from the future". \`syncClock\` sets the chain to the time of the
mock, or with \`leader: 'chain'\` the mock to that of the chain:

\`\`\`ts
import { createMock } from 'price-feed-mock'
import { syncClock } from 'price-feed-mock/chain'

// In your tests: new LiteSVM()
let clock = { unixTimestamp: 0n }
const svm = {
  getClock: () => clock,
  setClock(next: typeof clock) {
    clock = next
  },
}

const mock = createMock()
mock.clock.advance('1h')
await syncClock(mock.clock, svm)
\`\`\`

The chain is a litesvm, or anything with \`request\` such as a test client of viem. Over RPC it uses \`evm_setNextBlockTimestamp\` and
\`evm_mine\`, and the clock of the chain only goes forward: start anvil with \`--timestamp\` at or before the time of the mock.

## Relay

<!-- not run: it needs a chain with your contract -->
\`\`\`sh
npx price-feed-mock relay --contract 0x5fbdb2315678afecb367f032d93f642f64180aa3 --feeds BTCUSD,ETHUSD --sync-clock
\`\`\`

starts the server, and calls \`updatePrice\` of the contract with each new price, also one that you set while the clock is frozen; \`--rpc\`
is anvil's address unless given. With \`--sync-clock\` each price arrives in a block of the second at which the mock gave it, and advancing the session warps the chain;
\`--clock chain\` turns that round and freezes the mock between two blocks. Hardhat gives each block a later second unless its configuration has
\`allowBlocksWithSameTimestamp: true\`: without it, several feeds push the chain ahead of the mock.

| Event | Line on stderr | What follows |
| --- | --- | --- |
| the RPC is gone | \`The RPC at http://127.0.0.1:8545 does not answer: ECONNREFUSED\` | prices wait in order, up to 90,000; retries after 0.5 s to 30 s. A chain that was started anew gets the prices of now again, with \`--sync-clock\` also after \`evm_revert\` |
| the contract reverts | \`rejected by the contract, …\` with the reason, or the error by its name and selector | the next price |
| a transaction is refused | \`the chain refused eth_sendTransaction: …\` | the price waits, as above |
| the chain refuses the time of the mock | \`the chain refuses the time of the mock, …\` | prices go on: the contract decides about them |
| no code at the address | \`The chain has no contract at …\` | prices wait, as above |
| the chain is slower than the mock | \`left out 12 prices: …\`, also in the last line | the newest price of each feed |
| a chain that is not local | \`Chain 8453 (base) is not a local chain, …\` | it ends; where the RPC answers later, prices wait |

Anvil signs for its first account. For another chain, set a private key in \`PRICE_FEED_MOCK_RELAY_KEY_UNSAFE\` and install \`viem\`,
which signs with it. No line has a key, or more of the RPC's address than its origin. A name and a password in \`--rpc\` are sent as
\`Authorization: Basic\`.

Prices of a mock belong on chains that only you use. Chain ids 31337, 1337, 5777 and 412346 count as local; every other chain, also a
fork with the id of its origin, is refused unless you name it: \`--allow-chain sepolia\`, or \`--allow-chain 11155111\`. A key that everybody
knows (default accounts of anvil, Hardhat, Ganache and Truffle, test keys of the mock, the numbers 1 to 10) is refused on every chain
that is not local. The capitals of \`--contract\` are checked as in EIP-55.
`
}
