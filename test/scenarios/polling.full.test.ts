// A rule for the scenarios of the package: a plain polling consumer meets each of their faults within six minutes.
import { expect, it } from 'vitest'
import { FILES, policy } from './built-in.js'
import { createConsumer, target } from './consumer.js'

const SECONDS = 360
const FEEDS = ['BTCUSD', 'ETHUSD', 'SOLUSD', 'USDCUSD']

it.each(FILES)('behavior: %s: each fault is met', (name, { faults }) => {
  const consumer = createConsumer({ policy, scenario: name as never })
  const others = faults.flatMap(({ feeds = [] }) => feeds).filter(feed => !FEEDS.includes(feed))
  for (let second = 0; second < SECONDS; second += 2) {
    consumer.outcome(target.batch(...FEEDS))
    if (second % 10 === 0) consumer.outcome(target.evm(...FEEDS.slice(0, 2)))
    if (second % 10 === 0) for (const feed of new Set([FEEDS[0]!, ...others])) consumer.outcome(target.latest(feed))
    if (second % 10 === 0) consumer.outcome(target.chart('BTCUSD'))
    if (second % 60 === 0) consumer.outcome(target.history(60, ...FEEDS))
    consumer.advance(2)
  }
  const { faults: counts } = consumer.mock.sessions.default.record.counters
  expect(faults.flatMap(({ fault }, i) => ((counts[i]?.hits ?? 0) > 0 ? [] : [`${fault}, faults[${i}]`]))).toEqual([])
})
