// One run of the program, from its arguments to its exit code. Standard output carries the result, standard error the messages.
import { randomBytes } from 'node:crypto'
import { constants } from 'node:os'
import { createMock, type MockOptions } from '../index.js'
import { withSyntheticFeeds } from '../market/synthetic.js'
import { testKeyNumber } from '../signing/signer.js'
import { testSigners } from '../signing/signers.js'
import { type Invocation, type ResolvedInvocation, readCommandLine } from './command-line.js'
import type { CommandName } from './commands.js'
import { DENY_LIST_WRITERS, KEY_WRITERS } from './keys.js'
import type { ListKind } from './list.js'
import type { Config } from './options.js'
import type { RecordOptions } from './record.js'
import { createTell, type RunContext, reportError } from './run-context.js'
import { execOnce, relay, serve, toMockOptions } from './serve.js'
import { describeUnknownVariables } from './sources.js'

/** Runs the program once. Resolves to the exit code, or to undefined while a server keeps running. */
export async function run(context: RunContext): Promise<number | undefined> {
  const { args, environment, print, report } = context
  try {
    const invocation = await withAllFeeds(withToken(readCommandLine(args, environment, print)))
    if (invocation.kind === 'exit') return 0
    for (const line of describeUnknownVariables(environment)) report(`${line}\n`)
    if (invocation.kind === 'record') return await recordPrices(invocation.options, context)
    invocation.warnings.forEach(createTell(report))
    return await COMMANDS[invocation.kind](invocation, context)
  } catch (error) {
    return reportError(error, report)
  }
}

/** Replaces `--admin-token auto` by a random token, which the banner shows. */
function withToken(invocation: Invocation): Invocation {
  if (!('config' in invocation) || invocation.config.adminToken !== 'auto') return invocation
  const madeToken = randomBytes(24).toString('base64url')
  return { ...invocation, madeToken, config: { ...invocation.config, adminToken: madeToken } }
}

/** Adds the feeds that `--synthetic-feeds` generates to those of the file, so that all commands know the same feeds. */
async function withAllFeeds(invocation: Invocation): Promise<Invocation> {
  if (!('config' in invocation)) return invocation
  const { syntheticFeeds, seed } = invocation.config
  return { ...invocation, feeds: await withSyntheticFeeds(invocation.feeds, syntheticFeeds, seed) }
}

function signingOf({ signer, signerKeyUnsafe, apiKeys, signing }: Config, feeds?: MockOptions['feeds']) {
  return createMock({ signer, signerKeyUnsafe, apiKeys, signing, feeds }).sessions.default.runtime
}

function keys({ config }: ResolvedInvocation, { print }: RunContext): number {
  const { settings, signer, testSigner } = signingOf(config)
  const { all, format = 'env' } = config
  const text = all
    ? DENY_LIST_WRITERS[format](testSigners().map(({ number }) => ({ testKey: number, ...testSigner(number) })))
    : KEY_WRITERS[format]({ signer, testKey: testKeyNumber(settings) ?? null, apiKey: settings.apiKeys[0]! })
  print(`${text}\n`)
  return 0
}

async function verify({ config, feeds, operands }: ResolvedInvocation, { print }: RunContext): Promise<number> {
  const { verifyFile } = await import('./verify.js')
  const context = signingOf(config, feeds)
  const { lines, isGood } = await verifyFile(operands[0]!, config.verify ?? {}, context)
  for (const line of lines) print(`${line}\n`)
  return isGood ? 0 : 1
}

async function tape(invocation: ResolvedInvocation, context: RunContext): Promise<number> {
  const { toTapeSettings, writeTape } = await import('./tape.js')
  const { config } = invocation
  const mock = createMock({
    ...toMockOptions(invocation),
    clock: { at: config.clock?.at },
    startedAt: 1000 * Math.floor(Date.now() / 1000),
  })
  const onUnfinished = (discard: () => void): void =>
    context.onServing(async signal => {
      discard()
      return 128 + constants.signals[signal]
    })
  await writeTape(mock, toTapeSettings(config.tape ?? {}), { ...context, onUnfinished })
  return 0
}

async function check({ operands, feeds }: ResolvedInvocation, { print }: RunContext): Promise<number> {
  const { checkScenarios } = await import('./input-files.js')
  const { lines, errors } = checkScenarios(operands, feeds)
  for (const line of lines) print(`${line}\n`)
  if (errors.length > 0) throw new AggregateError(errors)
  return 0
}

async function list(
  { kind, operands, chosen, config, feeds }: ResolvedInvocation,
  { print }: RunContext,
): Promise<number> {
  const { toList } = await import('./list.js')
  const mock = createMock({ feeds, scenarios: chosen.scenarios, scenarioFiles: chosen.files })
  print(`${toList(kind as ListKind, mock, operands[0], config.list?.json)}\n`)
  return 0
}

type CommandRun = [invocation: ResolvedInvocation, context: RunContext]

const exec = async (...run: CommandRun): Promise<number> =>
  run[0].config.eachScenario ? (await import('./each-scenario.js')).execEachScenario(...run) : execOnce(...run)

const hunt = async (...run: CommandRun): Promise<number> => (await import('./hunt.js')).huntFaults(...run)

const compare = async (...run: CommandRun): Promise<number> => (await import('./compare.js')).compare(...run)

async function recordPrices(options: RecordOptions, { print, report, onServing }: RunContext): Promise<number> {
  const { record } = await import('./record.js')
  const { wait } = await import('../hosts/real-time.js')
  const ended = new AbortController()
  const done = record(options, {
    fetch: (url, init) => fetch(url, init),
    now: () => Date.now(),
    wait,
    report: createTell(report),
    // A script that waits for this line can go on.
    onReady: () => print(`${options.out}\n`),
    signal: ended.signal,
  }).then(() => 0)
  onServing(() => {
    ended.abort()
    return done
  })
  return done
}

/** The functions of all commands. */
const COMMANDS: Readonly<
  Record<Exclude<CommandName, 'record'>, (...run: CommandRun) => number | Promise<number | undefined>>
> = { serve, exec, hunt, keys, verify, tape, relay, check, compare, feeds: list, faults: list, scenarios: list }
