// Mistakes in the endpoints and their parameters.
import type { Mutant } from '../mutant.js'

/** Mistakes in the endpoints and their parameters. */
export const ENDPOINTS: readonly Mutant[] = [
  {
    file: 'endpoints/parameters.ts',
    find: 'byId.size > policy.maxFeedIds',
    replace: 'byId.size >= policy.maxFeedIds',
    why: 'the most feeds that are allowed are refused',
  },
  {
    file: 'endpoints/parameters.ts',
    find: "id !== '' && !byId.has(key)",
    replace: "id !== ''",
    why: 'the last spelling of a repeated id wins',
  },
  {
    file: 'endpoints/parameters.ts',
    find: 'parsed <= policy.maxMinutes',
    replace: 'parsed < policy.maxMinutes',
    why: 'the most minutes that are allowed are refused',
  },
  {
    file: 'endpoints/parameters.ts',
    find: "unit === 'w' ? FIRST_MONDAY : 0",
    replace: "unit === 'w' ? 0 : FIRST_MONDAY",
    why: 'weeks begin on a Thursday',
  },
  {
    file: 'endpoints/parameters.ts',
    find: 'duration.seconds <= MAX_INTERVAL',
    replace: 'duration.seconds < MAX_INTERVAL',
    why: 'candles of 52 weeks are refused',
  },
  {
    file: 'endpoints/batch.ts',
    find: "=== 'integer' ? moment",
    replace: "!== 'integer' ? moment",
    why: 'a batch answers numbers instead of symbols',
  },
  {
    file: 'endpoints/batch.ts',
    find: "moment.sign('svm', ticks)",
    replace: "moment.sign('svm', [...ticks].reverse())",
    why: 'a batch is signed in reverse',
  },
  { file: 'endpoints/candles.ts', find: 'time: start * 1000', replace: 'time: start', why: 'candles carry seconds' },
  {
    file: 'endpoints/candles.ts',
    find: '(feed.series?.volumeUnits ?? 100)',
    replace: '(feed.series?.volumeUnits ?? 1)',
    why: 'volume is in hundredths',
  },
  { file: 'endpoints/candles.ts', find: 'low: low / unit', replace: 'low: high / unit', why: 'the low is the high' },
  {
    file: 'endpoints/evm.ts',
    find: "evmClasses === 'all' ||",
    replace: '',
    why: 'a policy of all classes serves none',
  },
  {
    file: 'endpoints/history.ts',
    find: '{ high: toSignedPrice(moment, high), low: toSignedPrice(moment, low) }',
    replace: '{ high: toSignedPrice(moment, low), low: toSignedPrice(moment, high) }',
    why: 'high and low are exchanged',
  },
  {
    file: 'endpoints/select.ts',
    find: 'isRefused || selected.length === 0',
    replace: 'isRefused',
    why: 'a request of unknown feeds alone is answered with nothing',
  },
  {
    file: 'endpoints/select.ts',
    find: 'i > 0 && i === ids.length - 1',
    replace: 'i === ids.length - 1',
    why: 'the only feed of a request is left out',
  },
]
