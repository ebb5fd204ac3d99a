// The interface of hosts in tests: start a mock, send requests, see replies and failures.
import type { MockOptions } from '../../../src/index.js'

/** A reply: header names in lower case, without those of the connection. */
export interface HostReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A request without its path. */
export interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly signal?: AbortSignal
}

/** The result of a request: a reply, one whose body ends early after `body`, no reply, or silence until the request is aborted. */
export type Experience =
  | ({ readonly kind: 'reply' } & HostReply)
  | ({ readonly kind: 'broken'; readonly error: string } & HostReply)
  | { readonly kind: 'nothing'; readonly error: string }
  | { readonly kind: 'silence' }

/** A running mock. */
export interface Host {
  /** Sends a request. Fails without a complete reply. */
  request(path: string, asked?: Asked): Promise<HostReply>
}

/** A running mock, for tests of failures. */
export interface FallibleHost extends Host {
  experience(path: string, asked?: Asked): Promise<Experience>
}

export interface RunningHost extends FallibleHost {
  stop(): Promise<void>
}

/** Abilities that not every host has. */
export type Ability = 'the Host header' | 'the Accept header' | 'every method'

/** A kind of host. */
export interface HostKind {
  readonly name: string
  /** Missing abilities, with the reason. */
  readonly lacks: Readonly<Partial<Record<Ability, string>>>
  /** The reason why it cannot run here. */
  readonly missing?: string | undefined
  start(options: MockOptions): Promise<RunningHost>
}

/** Adds `request` to `experience`. */
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
