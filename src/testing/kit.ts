// The exports that the kits of all runners have in common.
export { ownScenario } from '../scenario-input.js'
export type { FakeTimers } from './fake-timers.js'
export type { AppUrls } from './forward.js'
export type { RoutablePage } from './page-route.js'
export type {
  JournaledRequest,
  PriceFeed,
  PriceFeedOptions,
  ReportCard,
  RequestFilter,
  SessionClock,
  VerdictInput,
} from './price-feed.js'
export type { Fetch } from './test-target.js'
