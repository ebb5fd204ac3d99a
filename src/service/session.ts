// A session: an isolated world with its state and its journal. It loads, asks the reducer and saves.

import { hexToBytes } from '@noble/hashes/utils.js'
import type { Feed } from '../market/feeds.js'
import { createMarket } from '../market/market.js'
import { DEFAULT_SETTINGS, type Settings } from '../settings/settings.js'
import { createSigner } from '../signing/signer.js'
import { testKey } from '../signing/test-keys.js'
import { readClock, startClock } from './clock.js'
import type { Base } from './endpoint.js'
import { createJournal, type Journal } from './journal.js'
import type { World } from './moment.js'
import type { ServiceRequest } from './request.js'
import { type Answer, INITIAL_STATE, type Respond } from './respond.js'

/** A world that is being asked. */
export interface Session {
  readonly world: World
  readonly journal: Journal
  /** Answers a request, or returns undefined when no endpoint of the base address (of either, without one) has its path. */
  handle(request: ServiceRequest, base?: Base): Answer | undefined
  /** Virtual milliseconds since the epoch at real time `realMs`. */
  nowMs(realMs: number): number
}

/** What a session is made of. */
export interface SessionOptions {
  readonly id: string
  readonly settings?: Settings
  readonly feeds: readonly Feed[]
  readonly respond: Respond
  /** Real time at which the clock starts, in milliseconds since the epoch. */
  readonly startedAt: number
}

/** Creates a session whose clock starts at `startedAt`. */
export function createSession({ id, settings = DEFAULT_SETTINGS, feeds, respond, startedAt }: SessionOptions): Session {
  const { signerKeyUnsafe } = settings
  const world: World = {
    id,
    settings,
    clock: startClock(settings.clock, startedAt),
    market: createMarket(settings.seed, feeds),
    signer: createSigner(signerKeyUnsafe ? hexToBytes(signerKeyUnsafe.replace(/^0x/, '')) : testKey(settings.signer)),
  }
  const journal = createJournal()
  let state = INITIAL_STATE
  return {
    world,
    journal,
    handle(request, base) {
      const answer = respond(world, state, request, base)
      if (answer === undefined) return undefined
      state = answer.state
      journal.add(answer.entry)
      return answer
    },
    nowMs: realMs => readClock(world.clock, realMs),
  }
}
