// What a host is to a test: a place where a mock runs, and what a caller there sees of an answer.
import type { MockOptions } from '../../../src/index.js'

/** An answer as a caller sees it: header names in lower case, without those of the connection. */
export interface HostReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How something is asked for. */
export interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly signal?: AbortSignal
}

/** What comes of a request: a reply, one whose body breaks off after `body`, no reply at all, or silence until the caller gave up. */
export type Experience =
  | ({ readonly kind: 'reply' } & HostReply)
  | ({ readonly kind: 'broken'; readonly error: string } & HostReply)
  | { readonly kind: 'nothing'; readonly error: string }
  | { readonly kind: 'silence' }

/** A mock that runs somewhere. */
export interface Host {
  /** Asks, and fails when no whole reply comes. */
  request(path: string, asked?: Asked): Promise<HostReply>
}

/** A mock that runs somewhere, for tests that want to see it fail. */
export interface FallibleHost extends Host {
  experience(path: string, asked?: Asked): Promise<Experience>
}

export interface RunningHost extends FallibleHost {
  stop(): Promise<void>
}

/** What not every host can do. */
export type Ability = 'the Host header' | 'the Accept header' | 'every method'

/** A place where a mock can run. */
export interface HostKind {
  readonly name: string
  /** What it cannot do, and why. */
  readonly lacks: Readonly<Partial<Record<Ability, string>>>
  /** Why it cannot run here at all. */
  readonly absent?: string
  start(options: MockOptions): Promise<RunningHost>
}

/** A host of what it makes of requests. */
export function fallible(experience: FallibleHost['experience']): FallibleHost {
  return {
    experience,
    async request(path, asked) {
      const seen = await experience(path, asked)
      if (seen.kind !== 'reply') throw new Error(`No whole reply to ${path}: ${JSON.stringify(seen)}`)
      const { kind: _, ...reply } = seen
      return reply
    },
  }
}
