// The definition of a check: one rule for consumers, decided from the journal of a session.
import type { Session } from '../../service/session.js'
import type { AskedRequest } from './asked.js'

/** The results of a check. `info` is no judgement, `not-seen` has nothing to judge. */
export const CHECK_STATUSES = ['ok', 'failed', 'info', 'not-seen'] as const
/** The result of a check. */
export type CheckStatus = (typeof CHECK_STATUSES)[number]

/** The journal of a session, prepared for checks. */
export interface CheckInput {
  /** The GET and HEAD requests in the journal, oldest first. */
  readonly requests: readonly AskedRequest[]
  /** The same requests in groups: requests of one group ask the same. */
  readonly series: readonly (readonly AskedRequest[])[]
  readonly session: Pick<Session, 'context' | 'state'>
  /** Virtual seconds since the epoch. */
  readonly now: number
}

/** The result of a check with its reason. */
export interface Finding {
  readonly status: CheckStatus
  /** One or two sentences. */
  readonly text: string
  /** The numbers `n` of the requests that show it. */
  readonly shownBy: readonly number[]
}

/** A check. */
export interface Check {
  /** Stable across versions. */
  readonly id: string
  readonly title: string
  find(input: CheckInput): Finding
}

/** A finding that no request shows. */
export const notSeen = (text: string): Finding => ({ status: 'not-seen', text, shownBy: [] })
