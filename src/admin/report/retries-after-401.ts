// retries-after-401: whether a key that was refused is sent again, how often and how soon.
import { countOf } from '../../errors.js'
import { type AskedRequest, formatMs } from './asked.js'
import { type Check, notSeen } from './check.js'
import { findHammering, findReactions } from './pace.js'

const isRefused = ({ status }: AskedRequest): boolean => status === 401

/** Whether a request sends the key of a refused one, or again none. */
const isSameKey = (refused: AskedRequest, next: AskedRequest): boolean =>
  refused.refusedKey === next.refusedKey && (next.refusedKey !== undefined || !next.apiKey)

/** A refused key stays refused: a consumer that sends it on and on never recovers, and may be locked out. */
export const retriesAfter401: Check = {
  id: 'retries-after-401',
  title: 'A refused key is not sent again and again',
  find({ requests, series }) {
    const refused = requests.filter(isRefused)
    if (refused.length === 0) return notSeen('No request was refused with 401.')
    const found = series.map(group => findReactions(group, isRefused, isSameKey))
    const retries = found.flatMap(({ runs }) => runs.flat())
    const replies = `${countOf(refused.length, 'request')} got 401`
    if (retries.length === 0)
      return {
        status: 'ok',
        text: `${replies}. None was sent again with the same key.`,
        shownBy: refused.map(({ n }) => n),
      }
    const hammering = found.flatMap(({ runs, usualMs }) => runs.flatMap(run => findHammering(run, usualMs)))
    const soonest = formatMs(Math.min(...retries.map(({ ms }) => ms)))
    const again = `${replies}, ${retries.length === 1 ? '1 was' : `${retries.length} were`} sent again with the same key, the soonest after ${soonest}`
    return hammering.length === 0
      ? { status: 'ok', text: `${again}. They were few, or slowed down.`, shownBy: retries.map(({ next }) => next.n) }
      : {
          status: 'failed',
          text: `${again}. They did not slow down: stop after a 401, or wait longer each time.`,
          shownBy: hammering.map(({ next }) => next.n),
        }
  },
}
