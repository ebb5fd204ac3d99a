// The exports that the kits of all runners have in common.

export type { FakeTimers } from '../hosts/virtual-delays.js'
export { ownScenario } from '../scenario-input.js'
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
