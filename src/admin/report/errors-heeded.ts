// errors-heeded: whether the consumer slows down after error replies, 429 and 5xx.
import { type AskedRequest, formatMs, median } from './asked.js'
import { type Check, notSeen } from './check.js'
import { findHammering, findReactions, isSlower, SHOWN_BY } from './pace.js'

const isError = ({ status }: AskedRequest): boolean => status === 429 || status >= 500

/** A consumer that polls on at the same rate keeps a struggling service down. */
export const errorsHeeded: Check = {
  id: 'errors-heeded',
  title: 'Error replies slow the consumer down',
  find({ requests, series }) {
    const errors = requests.filter(isError)
    if (errors.length === 0) return notSeen('No reply was 429 or 5xx.')
    const found = series.map(group => findReactions(group, isError))
    const reactions = found.flatMap(({ runs }) => runs.flat())
    const statuses = [...new Set(errors.map(({ status }) => status))].sort((a, b) => a - b).join(', ')
    const replies = `${errors.length === 1 ? '1 error reply' : `${errors.length} error replies`} (${statuses})`
    const shownBy = reactions.map(({ next }) => next.n)
    const hammering = found.flatMap(({ runs, usualMs }) => runs.flatMap(run => findHammering(run, usualMs)))
    if (hammering.length > 0)
      return {
        status: 'failed',
        text: `${replies}; ${hammering.length} next requests came without slowing down, after ${formatMs(median(hammering.map(({ ms }) => ms))!)} (median).`,
        shownBy: hammering.map(({ next }) => next.n),
      }
    if (reactions.length === 0)
      return { status: 'ok', text: `${replies}; nothing was asked again.`, shownBy: errors.map(({ n }) => n) }
    const slowsDown = found.some(({ runs, usualMs }) =>
      runs.some(run => run.length >= SHOWN_BY || run.some(reaction => isSlower(reaction, usualMs))),
    )
    return slowsDown
      ? { status: 'ok', text: `${replies}; the next requests took their time.`, shownBy }
      : {
          status: 'info',
          text: `${replies}, never ${SHOWN_BY} in a row for the same: too few to judge the pace.`,
          shownBy,
        }
  },
}
