// Runs plain command lines of the program in this process, which is much faster than a process each.
import type { Finished, Running } from './shell.js'

/** A command line that needs no shell. */
export type PlainCommand = { readonly environment: Readonly<Record<string, string>>; readonly args: readonly string[] }

/** A word without expansions: quoted text, or characters without a meaning for the shell. */
const PIECE = /'([^']*)'|"([^"$`\\]*)"|([\w./:=,%@+-]+)/y

/** The end of an `exec` that needs no streams of a process: its command is missing, or neither reads nor writes. */
const SILENT = /^(|--|--help|(-- )?(true|sh -c (exit|kill) .*))$/

/**
 * Reads a command line as a POSIX shell would. Returns undefined if it needs a shell, or the streams of a process for its input or
 * the output of its command.
 */
export function parsePlainCommand(line: string): PlainCommand | undefined {
  const words = splitWords(line)
  const start = words?.indexOf('price-feed-mock') ?? -1
  if (words === undefined || start < 0) return undefined
  const assignments = words.slice(0, start).map(word => /^([A-Z_]+)=(.*)$/.exec(word))
  const args = words.slice(start + 1)
  const dashes = args.indexOf('--')
  const command = args.slice(dashes < 0 ? args.indexOf('exec') + 1 : dashes).join(' ')
  const isSeen = args.includes('hunt') || (args.includes('exec') && !SILENT.test(command))
  if (assignments.includes(null) || isSeen || args.includes('/dev/stdin')) return undefined
  return { environment: Object.fromEntries(assignments.map(match => [match![1]!, match![2]!])), args }
}

function splitWords(line: string): string[] | undefined {
  const words: string[] = []
  let index = 0
  while (index < line.length) {
    let word = ''
    while (index < line.length && line[index] !== ' ') {
      PIECE.lastIndex = index
      const match = PIECE.exec(line)
      if (match === null) return undefined
      word += match[1] ?? match[2] ?? match[3]!
      index = PIECE.lastIndex
    }
    words.push(word)
    while (line[index] === ' ') index++
  }
  return words
}

/** Starts one after the other, because a process has only one working folder. */
let previous: Promise<unknown> = Promise.resolve()

/** Runs a command in a folder to its end. */
export async function runPlainCommand(command: PlainCommand, folder: string): Promise<Finished> {
  const { printed, exit, stop } = await begin(command, folder)
  if (exit !== undefined) return { ...printed, exit: String(exit) }
  await stop?.('SIGTERM')
  throw new Error(`The server runs in the foreground: ${command.args.join(' ')}\n${printed.stderr}`)
}

/** Starts a server in a folder. */
export async function startPlainCommand(command: PlainCommand, folder: string): Promise<Running> {
  const { printed, exit, stop } = await begin(command, folder)
  if (stop === undefined) throw new Error(`${command.args.join(' ')} ended with ${exit}.\n${printed.stderr}`)
  return {
    firstLine: printed.stdout.split('\n', 1)[0]!,
    kill: async signal => ({ exit: String(await stop(signal)), ...printed }),
  }
}

function begin(command: PlainCommand, folder: string): ReturnType<typeof beginIn> {
  const begun = previous.then(() => beginIn(folder, command))
  previous = begun.catch(() => {})
  return begun
}

async function beginIn(folder: string, { args, environment }: PlainCommand) {
  // Before the import, because colours are decided once.
  process.env.NO_COLOR = '1'
  const { run } = await import('../../src/cli/run.js')
  const before = process.cwd()
  const printed = { stdout: '', stderr: '' }
  let stop: ((signal: NodeJS.Signals) => Promise<unknown>) | undefined
  process.chdir(folder)
  try {
    const exit = await run({
      args,
      environment,
      print: text => (printed.stdout += text),
      report: text => (printed.stderr += text),
      onServing: end => (stop = end),
    })
    return { printed, exit, stop }
  } finally {
    process.chdir(before)
  }
}
