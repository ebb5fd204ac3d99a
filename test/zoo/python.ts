// Consumers in Python: a process that asks for what it needs line by line, in the same virtual time as all others.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { hexToBytes } from '@noble/hashes/utils.js'
import type { Deps } from './world.js'

/** A wish of a process, as a line of JSON. */
interface Command {
  /** Seconds to wait. */
  readonly sleep?: number
  /** Shown while it waits. */
  readonly shows?: unknown
  readonly get?: string
  readonly key?: string
  /** Seconds; without an end if null. */
  readonly timeout?: number | null
  /** A signed message in hex. */
  readonly recover?: string
  readonly signature?: string
  readonly recoveryId?: number
}

/** A running consumer. */
export interface Process {
  /** Rejects when it breaks. */
  readonly run: Promise<never>
  /** The last that it has shown, and when, in milliseconds. */
  shown(): { readonly at: number; readonly what: unknown } | undefined
  end(): void
}

/** The exports of a consumer in Python: it gets the trusted signer and the key as arguments. */
export const toPythonModule = (source: string) => ({
  start(deps: Deps): Process {
    const { now, sleep, fetch, recover, outside, signer, key } = deps
    const child = spawn('python3', ['-c', source, signer, key], { stdio: ['pipe', 'pipe', 'pipe'] })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    let errors = ''
    child.stderr.on('data', chunk => (errors += chunk))
    // A process that has ended does not read.
    child.stdin.on('error', () => {})
    let shown: { at: number; what: unknown } | undefined
    const answer = async (command: Command): Promise<object> => {
      if (command.get !== undefined) {
        const timeoutMs = command.timeout == null ? Number.POSITIVE_INFINITY : command.timeout * 1000
        try {
          const reply = await fetch(command.get, { key: command.key, timeoutMs })
          const body = await reply.text()
          return { status: reply.status, headers: { 'retry-after': reply.header('retry-after') }, body }
        } catch (error) {
          return { error: (error as Error).message }
        }
      }
      if (command.recover !== undefined) {
        try {
          const [message, rs] = [hexToBytes(command.recover), hexToBytes(command.signature!)]
          return { address: recover(message, rs, command.recoveryId!) }
        } catch {
          return {}
        }
      }
      if (command.shows !== undefined) shown = { at: now(), what: command.shows }
      await sleep(command.sleep! * 1000)
      return {}
    }
    const run = async (): Promise<never> => {
      for (;;) {
        const line = await outside(lines.next())
        if (line.done) throw new Error(errors)
        const answered = await answer(JSON.parse(line.value))
        child.stdin.write(`${JSON.stringify({ now: now() / 1000, ...answered })}\n`)
      }
    }
    return { run: run(), shown: () => shown, end: () => void child.kill() }
  },
})
