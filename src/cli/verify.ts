// `price-feed-mock verify FILE|-`: a verdict on every price of a reply.
import { show, toPrintable } from '../errors.js'
import { toAsciiJson } from '../outcome.js'
import type { Runtime } from '../service/runtime.js'
import { parseInstant, secondsOf, toInstant } from '../settings/time.js'
import { describeSigner } from '../signing/signers.js'
import {
  checkResponse,
  type NotChecked,
  type PriceVerdict,
  parseExact,
  type Verdict,
  type VerifyOptions,
} from '../signing/verify.js'
import { type CommandConfig, toSigners } from './command-options.js'
import { MAX_FILE_BYTES, parseJsonText, readText, tooLarge } from './files.js'

type VerifyFlags = NonNullable<CommandConfig['verify']>

type Signing = Pick<Runtime, 'settings' | 'signer' | 'market'>

/**
 * Checks the prices of a file, or of standard input for `-`. Returns the lines to print.
 * @throws PriceFeedMockError FILE_UNREADABLE or OPTIONS_INVALID
 */
export async function verifyFile(path: string, flags: VerifyFlags, signing: Signing) {
  const isInput = path === '-'
  const source = isInput ? await readInput() : readText(path, 'verify')
  const body = parseJsonText(source, isInput ? 'Standard input' : path, 'verify', text =>
    parseExact(text, { plainDigits: true }),
  )
  const verdict = checkResponse(body, toOptions(flags, signing))
  return { lines: flags.json ? [toAsciiJson(verdict)] : toLines(verdict, body), isGood: verdict.ok }
}

function toOptions(flags: VerifyFlags, { settings, signer, market }: Signing): VerifyOptions {
  const { layouts, svm, evm } = settings.signing
  return {
    signers: toSigners(flags.signers) ?? [signer.address],
    svm: layouts[svm],
    evm: layouts[evm],
    symbolOf: number => market.feeds.find(feed => feed.number === number)?.id,
    feeds: flags.feeds,
    maxAge: flags.maxAge === undefined ? undefined : secondsOf(flags.maxAge),
    maxFuture: flags.maxFuture === undefined ? undefined : secondsOf(flags.maxFuture),
    now: Math.floor((flags.now === undefined ? Date.now() : parseInstant(flags.now)!) / 1000),
    expo: flags.expo,
    allowHighS: flags.allowHighS,
  }
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_FILE_BYTES) throw tooLarge('-', 'verify')
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** The verdict for people: a line for each price, more for each reason, and the checks that were not made. */
function toLines({ endpoint, prices, notChecked }: Verdict, body: unknown): string[] {
  const width = Math.max(0, ...prices.map(price => nameOf(price).length))
  return [
    ...(endpoint === undefined ? [`bad   the body is none of the signed responses: ${toPrintable(show(body))}`] : []),
    ...prices.flatMap(price => [
      `${price.ok ? 'good' : 'bad '}  ${nameOf(price).padEnd(width)}  ${describe(price)}`.trimEnd(),
      ...price.findings.map(({ reason, got, want }) => `        ${reason}: got ${toPrintable(got)}, expected ${want}`),
    ]),
    `not checked: ${notChecked.map(describeGap).join('; ')}`,
  ]
}

/** `BTCUSD`, or `BTCUSD.high` in a history. */
const nameOf = ({ at, feedId = at || '(unknown feed)' }: PriceVerdict): string =>
  toPrintable(/\.(high|low)$/.test(at) ? at : feedId)

function describe({ tick, signer }: PriceVerdict): string {
  // The bare number of a time beyond the calendar.
  const instant = tick === undefined || tick.ts >= 8.64e12 ? tick?.ts : toInstant(tick.ts * 1000)
  const price = tick === undefined ? [] : [`${tick.price}e${tick.expo} at ${instant}`]
  return [...price, ...(signer === undefined ? [] : [`signed by ${describeSigner(signer.address)}`])].join(', ')
}

const FLAGS: Partial<Record<NotChecked['check'], string>> = {
  age: '--max-age is not set',
  future: '--max-future is not set',
  expo: '--expo is not set',
  feeds: '--feeds is not set',
  'high-s': '--allow-high-s is set',
}

const describeGap = ({ check, because }: NotChecked): string => `${check} (${FLAGS[check] ?? because})`
