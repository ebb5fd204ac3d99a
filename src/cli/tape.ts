// `price-feed-mock tape`: signed ticks as JSON or Solidity, byte-equal to the replies of a server at the same seconds, for tests without HTTP.
import { once } from 'node:events'
import { closeSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { bytesToHex } from '@noble/hashes/utils.js'
import { encodeCalldata } from '../chain/calldata.js'
import { encodeInstruction } from '../chain/instruction.js'
import { countOf, PriceFeedMockError, tryTo, wrongValue } from '../errors.js'
import type { Mock } from '../index.js'
import { toFeedKey } from '../market/feeds.js'
import { type Outcome, toAsciiJson } from '../outcome.js'
import { changed } from '../service/changes.js'
import type { Layout } from '../settings/layouts.js'
import { LATEST, secondsOf, toInstant } from '../settings/time.js'
import { createEncoder } from '../signing/encode.js'
import { readResponse } from '../signing/signed-response.js'
import { FIRST_V } from '../signing/signer.js'
import { checkResponse, parseExact } from '../signing/verify.js'
import { VERSION } from '../version.js'
import type { CommandConfig } from './command-options.js'
import { openToWrite, tryToWrite, unwritable } from './files.js'
import { assertKnownFeeds, type RunContext } from './run-context.js'
import { SOLIDITY } from './solidity-tape.js'

/** The settings of a tape. */
type TapeSettings = ReturnType<typeof toTapeSettings>

interface TapeOutput extends Pick<RunContext, 'print' | 'report'> {
  /** Receives the function that removes an unfinished file. It may be called while the file is being written. */
  readonly onUnfinished?: (discard: () => void) => void
}

/**
 * Converts flags to settings.
 * @throws PriceFeedMockError OPTIONS_INVALID for a Solidity library of the other form
 */
export function toTapeSettings(flags: NonNullable<CommandConfig['tape']>) {
  const { feeds = [], format = 'json', layout = format === 'sol' ? 'evm' : 'svm', out } = flags
  if (format === 'sol' && layout !== 'evm') {
    const problem = { at: '--layout', got: layout, want: 'evm with --format sol' }
    throw wrongValue('OPTIONS_INVALID', 'A Solidity library has prices of the form evm.', problem)
  }
  // As a server does with the ids of a request: one spelling of each feed, the first.
  const byKey = new Map<string, string>()
  for (const id of feeds) if (!byKey.has(toFeedKey(id))) byKey.set(toFeedKey(id), id)
  return {
    feeds: [...byKey.values()],
    /** The length of the tape, and of the time between two ticks of a feed. */
    seconds: secondsOf(flags.for ?? '10m'),
    every: secondsOf(flags.every ?? '1s'),
    layout,
    format,
    /** Undefined for standard output. */
    out: out === '-' ? undefined : out,
  }
}

/** One reply of the tape. */
export interface TapeTick {
  /** The second of the request. */
  readonly now: number
  /** The feed that was asked for. */
  readonly asked: string
  /** 0 where the connection broke. */
  readonly status: number
  /** The names of the faults that were applied. */
  readonly faults: readonly string[]
  /** Why `checkResponse` rejects the reply to this request; empty for a good price. */
  readonly reasons: readonly string[]
  /** The text of the reply. */
  readonly body: string
  readonly feedId?: string
  readonly price?: number | bigint
  readonly expo?: number
  readonly ts?: number
  /** The bytes that a consumer hashes, those of the shown price, in hex with `0x`. */
  readonly message?: string
  readonly digest?: string
  /** As bytes, with `0x`: r‖s, or r‖s‖v. */
  readonly signature?: string
  readonly recoveryId?: number
  /** The address of the key that signed, in lower case; null where none can be recovered. */
  readonly signer?: string | null
  readonly instructionData?: string
  readonly calldata?: string
}

/**
 * Creates the function that asks a mock for one tick, some seconds of its clock after the start.
 * @throws PriceFeedMockError OPTIONS_INVALID for a feed that the mock does not have
 */
export function createTape(
  mock: Mock,
  { feeds, layout: form }: Pick<TapeSettings, 'feeds' | 'layout'>,
): (asked: string, elapsed: number) => TapeTick {
  const session = mock.sessions.default
  const { realMs } = session.record.counters.clock
  // A tick has its own second, whatever speed a scenario gives to a server.
  session.run(changed({ clock: { speed: 1, frozen: false } }, realMs))
  const { settings, signer, market } = session.runtime
  assertKnownFeeds('The tape', market, feeds)
  const layout = settings.signing.layouts[settings.signing[form]]!
  const { encode, preimage, digest } = createEncoder(layout)
  const canInstruct = form === 'svm' && layout.digest === 'keccak256'
  const { address } = signer

  const readTick = (body: string, asked: string, faults: readonly string[]): Partial<TapeTick> => {
    const parsed = tryTo(() => parseExact(body))
    const block = readResponse(parsed)?.blocks[0]
    const tick = block?.prices[0]?.tick
    if (tick === undefined) return { reasons: ['malformed'] }
    const message = encode([tick], 'wrap')
    // Without faults the session's own key has signed: recovering it would take most of the time.
    const verdict = faults.length === 0 ? undefined : toVerdict(parsed, asked)
    const signature = toBytes(block!.signature ?? '')
    const recoveryId = recoveryIdOf(parsed, signature, layout)
    const rs = signature?.slice(0, 128)
    return {
      ...tick,
      message: toHex(message),
      digest: toHex(digest(message)),
      ...(signature !== undefined && { signature: `0x${signature}` }),
      ...(recoveryId !== undefined && { recoveryId }),
      signer: verdict === undefined ? address : verdict.signer,
      reasons: verdict?.reasons ?? [],
      ...(canInstruct &&
        rs?.length === 128 &&
        recoveryId !== undefined && {
          instructionData: toHex(encodeInstruction({ message: preimage(message), rs, recoveryId, address })),
        }),
      ...(form === 'evm' && signature !== undefined && { calldata: toHex(encodeCalldata(tick, signature)) }),
    }
  }

  const toVerdict = (body: unknown, asked: string) => {
    const { prices } = checkResponse(body, { signers: [address], [form]: layout, feeds: [asked] })
    return {
      reasons: [...new Set(prices.flatMap(({ findings }) => findings.map(({ reason }) => reason)))],
      signer: prices[0]?.signer?.address ?? null,
    }
  }

  return (asked, elapsed) => {
    const target =
      form === 'svm'
        ? `/prices/${encodeURIComponent(asked)}/latest`
        : `/prices/evm/crypto?feedIds=${encodeURIComponent(asked)}`
    const receivedAt = realMs + elapsed * 1000
    const { outcome, entry } = mock.serve({ method: 'GET', target, authorization: settings.apiKeys[0]!, receivedAt })!
    const { status, body } = arrived(outcome)
    const head = { now: entry.now, asked, status, faults: entry.faults, reasons: ['missing-feed'] }
    return { ...head, ...(status === 200 ? readTick(body, asked, entry.faults) : {}), body }
  }
}

const toHex = (bytes: Uint8Array): string => `0x${bytesToHex(bytes)}`

/** The status and the part of the body that arrives. */
function arrived(outcome: Outcome): { status: number; body: string } {
  if (!('status' in outcome)) return { status: 0, body: '' }
  const { status, body } = outcome
  return { status, body: outcome.kind === 'truncate' ? body.slice(0, outcome.sentLength) : body }
}

/** The digits of a signature; undefined when they are no bytes. */
const toBytes = (signature: unknown): string | undefined =>
  typeof signature === 'string' ? /^(?:0x)?((?:[0-9a-f]{2})*)$/i.exec(signature)?.[1]?.toLowerCase() : undefined

/** The recovery id beside a signature, or that of its `v`; undefined when it is no byte. */
function recoveryIdOf(body: unknown, signature: string | undefined, { signature: form }: Layout): number | undefined {
  const id =
    form === 'rs'
      ? (body as { recoveryId?: unknown }).recoveryId
      : Number.parseInt(signature?.slice(128) ?? '', 16) - FIRST_V[form]
  return Number.isInteger(id) && (id as number) >= 0 && (id as number) < 256 ? (id as number) : undefined
}

/** Characters that are written at once. */
const CHUNK = 65_536

/**
 * Writes a tape in constant memory.
 * @param progress ticks between two lines of progress
 * @throws PriceFeedMockError OPTIONS_INVALID or FILE_UNWRITABLE
 */
export async function writeTape(
  mock: Mock,
  settings: TapeSettings,
  output: TapeOutput,
  progress = 10_000,
): Promise<void> {
  const { feeds, seconds, every, out } = settings
  const format = FORMATS[settings.format]
  const tickOf = createTape(mock, settings)
  assertEnd(mock, settings)
  const total = Math.ceil(seconds / every) * feeds.length
  const file = out === undefined ? toStandardOutput(output.print) : openFile(out, output.onUnfinished)
  let text = format.head(toHead(mock, settings), total)
  let written = 0
  try {
    for (let elapsed = 0; elapsed < seconds; elapsed += every)
      for (const id of feeds) {
        text += format.tick(tickOf(id, elapsed), written++)
        const isLast = written === total
        if (isLast) text += format.tail(total)
        if (text.length >= CHUNK || isLast) {
          if (!(await file.write(text))) return file.discard()
          text = ''
        }
        if (written % progress === 0 && !isLast)
          output.report(`price-feed-mock: ${written} of ${countOf(total, 'tick')}\n`)
      }
    file.end()
  } catch (error) {
    file.discard()
    throw error
  }
  output.report(`price-feed-mock: ${countOf(total, 'tick')} in ${out ?? 'standard output'}\n`)
}

/** Rejects a tape that goes on after the last second of the clock, which would be repeated. */
function assertEnd(mock: Mock, { seconds }: TapeSettings): void {
  const most = LATEST + 1 - Math.floor(mock.sessions.default.record.counters.clock.virtualMs / 1000)
  if (seconds <= most) return
  const problem = { at: '--for', got: `${seconds} s`, want: `at most ${most} s, to ${toInstant(LATEST * 1000)}` }
  throw wrongValue('OPTIONS_INVALID', 'The tape would end after the last second of the clock.', problem)
}

/** The pieces of a file, in order. */
export interface TapeFormat {
  head(head: ReturnType<typeof toHead>, ticks: number): string
  tick(tick: TapeTick, i: number): string
  tail(ticks: number): string
}

const FORMATS: Readonly<Record<TapeSettings['format'], TapeFormat>> = {
  json: {
    head: head => `${toAsciiJson(head).slice(0, -1)},"ticks":[\n`,
    tick: (tick, i) => (i === 0 ? '' : ',\n') + toAsciiJson(tick),
    tail: () => '\n]}\n',
  },
  ndjson: { head: () => '', tick: tick => `${toAsciiJson(tick)}\n`, tail: () => '' },
  sol: SOLIDITY,
}

/** The settings of a tape, as its file has them. */
function toHead(mock: Mock, { feeds, seconds, every, layout }: TapeSettings) {
  const { runtime, record } = mock.sessions.default
  const { settings, signer, scenario } = runtime
  const { clock } = record.counters
  return {
    source: `price-feed-mock tape ${VERSION}`,
    seed: settings.seed,
    at: toInstant(clock.virtualMs),
    seconds,
    every,
    feeds,
    layout,
    signer: signer.address,
    scenario: scenario.definition.name,
    title: scenario.definition.title,
  }
}

function toStandardOutput(print: TapeOutput['print']) {
  const { stdout } = process
  let failure: NodeJS.ErrnoException | undefined
  const onError = (error: NodeJS.ErrnoException): void => void (failure ??= error)
  stdout.on('error', onError)
  const end = (): void => void stdout.off('error', onError)
  return {
    /** Resolves to false when the reader has gone. */
    async write(text: string): Promise<boolean> {
      print(text)
      // A failed write of a file is seen here at once, one of a pipe by the event.
      failure ??= stdout.errored ?? undefined
      if (stdout.writableNeedDrain) {
        const waiting = new AbortController()
        await Promise.race([once(stdout, 'drain', waiting), once(stdout, 'close', waiting)]).catch(onError)
        // The event that did not come would keep its listeners: Node warns of eleven.
        waiting.abort()
      }
      if (failure === undefined) return true
      if (failure.code === 'EPIPE') return false
      const shortMessage = `Standard output cannot be written: ${failure.message}.`
      throw new PriceFeedMockError('FILE_UNWRITABLE', shortMessage, { cause: failure })
    },
    end,
    discard: end,
  }
}

/** A file that appears when it is complete. What is no file, such as a pipe or /dev/null, is written directly. */
function openFile(path: string, onUnfinished: TapeOutput['onUnfinished']) {
  const found = tryToWrite(path, () => statSync(path, { throwIfNoEntry: false }))
  if (found?.isDirectory()) throw unwritable(path, 'it is a folder')
  const isDirect = found !== undefined && !found.isFile()
  // The file behind a symbolic link is replaced, not the link.
  const target = found?.isFile() ? tryToWrite(path, () => realpathSync(path)) : path
  const part = isDirect ? target : `${target}.part`
  const discard = (): void => {
    if (!isDirect) rmSync(part, { force: true })
  }
  if (!isDirect) onUnfinished?.(discard)
  const descriptor = tryToWrite(path, () => openToWrite(part))
  return {
    async write(text: string): Promise<boolean> {
      tryToWrite(path, () => writeFileSync(descriptor, text))
      // Signals are handled between two turns of the event loop.
      await nextTurn()
      return true
    },
    end: () => {
      closeSync(descriptor)
      if (!isDirect) tryToWrite(path, () => renameSync(part, target))
    },
    discard,
  }
}
