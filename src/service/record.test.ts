// A session as data after all kinds of steps: its settings, prices, scenarios, counters, earlier states and journal.
import { expect, it } from 'vitest'
import { createCalls, LATEST, NOW } from '../../test/support/calls.js'
import { changed, judged, restored } from './changes.js'
import { restoreLines, toLines } from './saved-state.js'
import { readSnapshot, takeSnapshot } from './snapshot.js'

/** The state of a mock as JSON, a line for each part of a session. Texts that are long, or of one version, are left out. */
function linesOf({ mock }: ReturnType<typeof createCalls>): string {
  const leftOut = new Set(['program', 'feeds', 'signing', 'policy', 'receivedAt'])
  const toText = (value: unknown) =>
    JSON.stringify(value, (key, inner) => (leftOut.has(key) ? undefined : inner)).replace(
      /\b17533\d{5}(000)?\b/g,
      (ms, thousands) => `+${Number(ms) / (thousands ? 1000 : 1) - NOW}`,
    )
  return [...toLines(mock, 7)]
    .flatMap(line => {
      const { setup, journal, ...rest } = JSON.parse(line)
      if (setup === undefined) return [toText(rest)]
      const { past, ...others } = setup
      const { entries, ...tallies } = journal
      return [others, ...past, rest, ...entries, tallies].map(toText)
    })
    .join('\n')
}

it('behavior: each step leaves its mark', () => {
  const calls = createCalls({ seed: '7' })
  const { mock, serve, session } = calls
  const run = (...patches: Parameters<typeof changed>[0][]) => {
    for (const patch of patches) session().run(changed(patch, 0))
  }
  serve(LATEST)
  run({ prices: { BTCUSD: 50_000 } }, { clock: { advance: 5 } })
  serve(LATEST, { key: 'Bearer x' })
  const limited = { fault: 'reply/rate-limit', options: { limit: 1, window: '1m' } }
  const windowed = { fault: 'reply/status', from: '2s', for: '3s', repeat: '10s', requests: '1' }
  run({ scenario: { faults: [limited, windowed] } }, { clock: { advance: 3 } })
  serve(LATEST)
  serve('/prices/batch?feedIds=BTCUSD,NOPE')
  session().run(judged({ case: 'a', ok: true }, 3))
  const snapshot = takeSnapshot(session(), 0)
  run({ prices: { BTCUSD: null, ETHUSD: { price: 9, alone: true } }, signer: 2, clock: { speed: 3 } })
  serve(LATEST, { method: 'POST' })
  run({ scenario: null })
  mock.sessions.create({ id: 'b', seed: '5', policy: { candles: 9 }, clock: { at: 5000, speed: 1, frozen: true } }, 0)
  mock.sessions.create({}, 0)
  serve(`/session/c${LATEST}`)
  const before = linesOf(calls)
  expect(before).toMatchInlineSnapshot(`
    "{"format":"price-feed-mock state","version":3,"savedAt":7}
    {"id":"default","isNamed":true,"createdWith":{},"own":{"clock":{},"signer":2},"scenario":{"name":"inline","source":{"faults":[{"fault":"reply/rate-limit","options":{"limit":1,"window":"1m"}},{"fault":"reply/status","from":"2s","for":"3s","repeat":"10s","requests":"1"}]},"appliedAt":+5,"endedAt":+8},"overrides":{"BTCUSD":[{"from":+-1,"factor":0.4721832681518958},{"from":+7,"factor":1}],"ETHUSD":[{"from":+7,"factor":0.002781982521112929,"alone":true}]},"seriesShift":0,"verdicts":[{"case":"a","ok":true,"n":4,"now":+8}],"replacesEvicted":false,"base":{"seed":"7"}}
    {"until":1,"snapshot":{"version":1,"own":{},"seed":"7","signer":0,"clock":{"virtualMs":+0,"speed":1,"frozen":true},"overrides":{},"scenario":{"name":"calm","source":{"title":"Nothing goes wrong","why":"The baseline for every other scenario.","faults":[]},"appliedAt":+0},"state":{"n":1,"ordinals":{"latest":1},"applied":{},"faults":[]}}}
    {"until":2,"snapshot":{"version":1,"own":{},"seed":"7","signer":0,"clock":{"virtualMs":+5,"speed":1,"frozen":true},"overrides":{"BTCUSD":[{"from":+-1,"factor":0.4721832681518958}]},"scenario":{"name":"calm","source":{"title":"Nothing goes wrong","why":"The baseline for every other scenario.","faults":[]},"appliedAt":+0},"state":{"n":2,"ordinals":{"latest":2},"applied":{},"faults":[]}}}
    {"until":4,"snapshot":{"version":1,"own":{},"seed":"7","signer":0,"clock":{"virtualMs":+8,"speed":1,"frozen":true},"overrides":{"BTCUSD":[{"from":+-1,"factor":0.4721832681518958}]},"scenario":{"name":"inline","source":{"faults":[{"fault":"reply/rate-limit","options":{"limit":1,"window":"1m"}},{"fault":"reply/status","from":"2s","for":"3s","repeat":"10s","requests":"1"}]},"appliedAt":+5},"state":{"n":4,"ordinals":{"latest":3,"batch":1},"applied":{"latest":2},"faults":[{"hits":1,"misses":1,"lastMiss":"nothing to change","quota":{"window":0,"used":2}},{"hits":1,"misses":1,"lastMiss":"hidden by reply/rate-limit","window":{"from":+7,"ordinals":{"latest":2}}}]}}}
    {"until":5,"snapshot":{"version":1,"own":{},"seed":"7","signer":2,"clock":{"virtualMs":+8,"speed":3,"frozen":true},"overrides":{"BTCUSD":[{"from":+-1,"factor":0.4721832681518958},{"from":+7,"factor":1}],"ETHUSD":[{"from":+7,"factor":0.002781982521112929,"alone":true}]},"scenario":{"name":"inline","source":{"faults":[{"fault":"reply/rate-limit","options":{"limit":1,"window":"1m"}},{"fault":"reply/status","from":"2s","for":"3s","repeat":"10s","requests":"1"}]},"appliedAt":+5},"state":{"n":5,"ordinals":{"latest":3,"batch":1},"applied":{"latest":2},"faults":[{"hits":1,"misses":1,"lastMiss":"nothing to change","quota":{"window":0,"used":2}},{"hits":1,"misses":1,"lastMiss":"hidden by reply/rate-limit","window":{"from":+7,"ordinals":{"latest":2}}}]}}}
    {"counters":{"n":5,"ordinals":{"latest":3,"batch":1},"applied":{"latest":2},"faults":[{"hits":1,"misses":1,"lastMiss":"nothing to change","quota":{"window":0,"used":2}},{"hits":1,"misses":1,"lastMiss":"hidden by reply/rate-limit","window":{"from":+7,"ordinals":{"latest":2}}}],"clock":{"virtualMs":+8,"realMs":7,"speed":3,"frozen":true},"refused":{"last":1,"marks":[["8 1478411544",1]]},"at":0},"signer":2}
    {"id":1,"age":1,"n":1,"ordinal":1,"endpoint":"latest","method":"GET","target":"/prices/BTCUSD/latest","apiKey":"test-api-key","status":200,"got":"fresh","faults":[],"now":+0,"nowMs":+0,"durationMs":0}
    {"id":2,"age":2,"n":2,"ordinal":2,"endpoint":"latest","method":"GET","target":"/prices/BTCUSD/latest","apiKey":"(not shown)","keyProblem":"scheme","refusedKey":1,"status":401,"got":"refused","why":"status 401","faults":[],"now":+5,"nowMs":+5,"durationMs":0}
    {"id":3,"age":3,"n":3,"ordinal":3,"endpoint":"latest","method":"GET","target":"/prices/BTCUSD/latest","apiKey":"test-api-key","status":503,"got":"refused","why":"status 503","retryAfter":5,"faults":["reply/status"],"windows":[null,{"from":+7,"ordinals":{"latest":2}}],"now":+8,"nowMs":+8,"durationMs":0}
    {"id":4,"age":4,"n":4,"ordinal":1,"endpoint":"batch","method":"GET","target":"/prices/batch?feedIds=BTCUSD,NOPE","apiKey":"test-api-key","status":429,"got":"refused","why":"status 429","retryAfter":57,"faults":["reply/rate-limit"],"quotas":[{"window":0,"used":1},null],"windows":[null,{"from":+7,"ordinals":{"latest":2}}],"now":+8,"nowMs":+8,"durationMs":0}
    {"id":5,"age":5,"n":5,"ordinal":0,"endpoint":"latest","method":"POST","target":"/prices/BTCUSD/latest","apiKey":"test-api-key","status":405,"got":"refused","why":"status 405","faults":[],"quotas":[{"window":0,"used":2},null],"windows":[null,{"from":+7,"ordinals":{"latest":2}}],"now":+8,"nowMs":+8,"durationMs":0}
    {"added":5,"gone":[],"goneUntil":0}
    {"id":"b","isNamed":true,"createdWith":{"id":"b","seed":"5","clock":{"at":"1970-01-01T00:00:05Z","speed":1,"frozen":true}},"own":{"clock":{},"seed":"5"},"scenario":{"name":"calm","source":{"title":"Nothing goes wrong","why":"The baseline for every other scenario.","faults":[]},"appliedAt":5},"overrides":{},"seriesShift":0,"verdicts":[],"replacesEvicted":false,"base":{"seed":"7"}}
    {"counters":{"n":0,"ordinals":{},"applied":{},"faults":[],"clock":{"virtualMs":5000,"realMs":7,"speed":1,"frozen":true},"refused":{"last":0,"marks":[]},"at":0},"signer":0}
    {"added":0,"gone":[],"goneUntil":0}
    {"id":"s1","isNamed":true,"createdWith":{},"own":{"clock":{}},"scenario":{"name":"calm","source":{"title":"Nothing goes wrong","why":"The baseline for every other scenario.","faults":[]},"appliedAt":+0},"overrides":{},"seriesShift":0,"verdicts":[],"replacesEvicted":false,"base":{"seed":"7"}}
    {"counters":{"n":0,"ordinals":{},"applied":{},"faults":[],"clock":{"virtualMs":+0,"realMs":7,"speed":1,"frozen":true},"refused":{"last":0,"marks":[]},"at":0},"signer":0}
    {"added":0,"gone":[],"goneUntil":0}
    {"id":"c","isNamed":false,"createdWith":{},"own":{"clock":{}},"scenario":{"name":"calm","source":{"title":"Nothing goes wrong","why":"The baseline for every other scenario.","faults":[]},"appliedAt":+0},"overrides":{},"seriesShift":0,"verdicts":[],"replacesEvicted":false,"base":{"seed":"7"}}
    {"counters":{"n":1,"ordinals":{"latest":1},"applied":{},"faults":[],"clock":{"virtualMs":+0,"realMs":7,"speed":1,"frozen":true},"refused":{"last":0,"marks":[]},"at":0},"signer":0}
    {"id":1,"age":6,"n":1,"ordinal":1,"endpoint":"latest","method":"GET","target":"/prices/BTCUSD/latest","apiKey":"test-api-key","status":200,"got":"fresh","faults":[],"now":+0,"nowMs":+0,"durationMs":0}
    {"added":1,"gone":[],"goneUntil":0}
    {"sessions":4,"rest":{"named":1,"uses":1,"lastUse":[["c",1]],"evicted":[]}}"
  `)
  session().run(restored(readSnapshot(JSON.parse(JSON.stringify(snapshot)), session()), 4))
  const known = before.split('\n')
  const fresh = (line: string): boolean => !known.includes(line)
  expect(linesOf(calls).split('\n').filter(fresh).join('\n')).toMatchInlineSnapshot(`
    "{"id":"default","isNamed":true,"createdWith":{},"own":{"signer":0},"scenario":{"name":"inline","source":{"faults":[{"fault":"reply/rate-limit","options":{"limit":1,"window":"1m"}},{"fault":"reply/status","from":"2s","for":"3s","repeat":"10s","requests":"1"}]},"appliedAt":+5},"overrides":{"BTCUSD":[{"from":+-1,"factor":0.4721832681518958}]},"seriesShift":0,"verdicts":[{"case":"a","ok":true,"n":4,"now":+8}],"replacesEvicted":false,"base":{"seed":"7"},"restored":{"n":4,"ordinals":{"latest":3,"batch":1},"applied":{"latest":2},"faults":[{"hits":1,"misses":1,"lastMiss":"nothing to change","quota":{"window":0,"used":2}},{"hits":1,"misses":1,"lastMiss":"hidden by reply/rate-limit","window":{"from":+7,"ordinals":{"latest":2}}}]}}
    {"counters":{"n":4,"ordinals":{"latest":3,"batch":1},"applied":{"latest":2},"faults":[{"hits":1,"misses":1,"lastMiss":"nothing to change","quota":{"window":0,"used":2}},{"hits":1,"misses":1,"lastMiss":"hidden by reply/rate-limit","window":{"from":+7,"ordinals":{"latest":2}}}],"clock":{"virtualMs":+8,"speed":1,"frozen":true,"realMs":7},"refused":{"last":1,"marks":[["8 1478411544",1]]},"at":4},"signer":0}"
  `)
  const other = createCalls({ seed: '7' })
  restoreLines('f', toLines(mock, 7), other.mock, () => 7)
  const dataOf = (one: typeof mock) => [...toLines(one, 7)].map(line => JSON.parse(line))
  expect(dataOf(other.mock)).toEqual(dataOf(mock))
})
