// Seeded hostile requests over raw sockets: the server answers all as documented and keeps running.
import { afterAll, expect, it } from 'vitest'
import { AT } from '../support/hosts.js'
import { startMock } from '../support/listen.js'
import { parseReplies, requestTo, talk, uncaughtDuring, untilNoSockets } from '../support/raw.js'
import { IS_FULL_RUN, PROPERTY_SEED } from '../support/seed.js'
import { bombard, histogram, type Tally } from './bombard.js'

/** The declared statuses of the service, and those of the mock itself: 302, 403, 415 and 431. */
const STATUSES = [200, 204, 302, 400, 401, 403, 404, 405, 415, 431]
/** The full run sends ten times as many. */
const REQUESTS = IS_FULL_RUN ? 20_000 : 2000
const server = await startMock({ clock: { at: AT, frozen: true } }, afterAll)

const port = ({ url } = server): number => Number(new URL(url).port)

it(`default: ${REQUESTS} hostile requests get documented answers and leave no socket behind`, async () => {
  let tally: Tally | undefined
  const uncaught = await uncaughtDuring(async () => {
    tally = await bombard(`fuzz ${PROPERTY_SEED}`, REQUESTS, [port()])
    expect(await untilNoSockets()).toBe(true)
  })
  expect(uncaught).toEqual([])
  const { requests, answers, parsed, hangUps, byStatus } = tally!
  console.log(
    `seed ${PROPERTY_SEED}: ${requests} requests, ${answers} answers, ${parsed} past the parser, ${hangUps} hang-ups`,
  )
  console.log(histogram(tally!))
  expect(parsed).toBeGreaterThan(requests / 2)
  // Few requests are those of a browser that opens the index.
  const [page] = parseReplies(await talk(port(), requestTo('/_mock', { head: 'Accept: text/html\r\n' })))
  expect(page!.status).toBe(302)
  expect([...new Set([...byStatus.keys(), 302])].sort()).toEqual(STATUSES)
  const [reply] = parseReplies(await talk(port(), requestTo('/prices/BTCUSD/latest')))
  expect(reply!.status).toBe(200)
})

it('behavior: the same seed gives the same answers', async () => {
  const seed = `again ${PROPERTY_SEED}`
  const first = histogram(await bombard(seed, REQUESTS / 10, [port()]))
  expect(histogram(await bombard(seed, REQUESTS / 10, [port()]))).toBe(first)
})

it('behavior: a stopped server leaves no socket behind', async () => {
  const stopped = await startMock({ clock: { at: AT, frozen: true } })
  await bombard(`stopped ${PROPERTY_SEED}`, REQUESTS / 10, [port(stopped)])
  await stopped.stop()
  expect(await untilNoSockets()).toBe(true)
})
