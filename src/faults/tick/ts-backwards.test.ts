import { expect, it } from 'vitest'
import { expectGenuine, pricesOf } from '../../../test/support/recover.js'
import {
  describeFault,
  expectActed,
  expectCalm,
  mockWith,
  pairOf,
  targetOf,
} from '../../../test/support/request-faults.js'

describeFault('tick/ts-backwards', {
  effect({ wire, calm }) {
    // By feed and time, since the older tick of the low can be the higher one in a history.
    const timesOf = (body: string) =>
      pricesOf(body).sort((a, b) => (a.feedId < b.feedId ? -1 : a.feedId > b.feedId ? 1 : a.ts - b.ts))
    const calmTimes = timesOf(calm.body)
    // A feed with a heartbeat of 2 s has its tick one second earlier.
    for (const [i, { ts }] of timesOf(wire.body).entries()) expect([30, 31]).toContain(calmTimes[i]!.ts - ts)
    expectGenuine(wire.body)
  },
})

it('default: every second answer is older than the previous one', async () => {
  const { ask } = pairOf([{ fault: 'tick/ts-backwards' }])
  expectCalm(await ask(targetOf('latest')))
  expectActed(await ask(targetOf('latest')), ['tick/ts-backwards'])
  expectCalm(await ask(targetOf('latest')))
})

it('args: by: the older tick is the one that was served at that time', async () => {
  const { ask } = mockWith([{ fault: 'tick/ts-backwards', requests: '1', options: { by: '90s' } }])
  const then = mockWith([])
  then.mock.clock.advance(-90)
  expect((await ask(targetOf('batch'))).body).toBe((await then.ask(targetOf('batch'))).body)
})
