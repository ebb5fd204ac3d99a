// The entry point for in-process use, and the one place below `hosts/` that knows the real time.
import { readSeries } from './market/read-series.js'
import { createMockWith, type Mock, type MockOptions } from './mock.js'
import type { Declared } from './scenario-input.js'

export type * from './endpoints/replies.js'
export { type ErrorCode, isPriceFeedMockError, PriceFeedMockError, type Problem } from './errors.js'
export type { FeedId } from './market/catalogue.js'
export type { FeedsFile } from './market/feeds-file.js'
export type { SeriesAt, SeriesInput } from './market/series.js'
export type { Mock, MockClock, MockOptions, SessionChange } from './mock.js'
export type { Outcome } from './outcome.js'
export {
  type BuiltInScenarioName,
  type EndpointName,
  type FaultInput,
  type FaultName,
  type FaultOptions,
  type InlineScenario,
  type OwnScenario,
  ownScenario,
  type ScenarioInput,
} from './scenario-input.js'
export type { ServiceRequest } from './service/request.js'
export type { Duration, Instant } from './settings/time.js'
export { VERSION } from './version.js'

/** Saved, so that the clock of a mock does not follow a `Date` that a test fakes later. */
const realTime = Date.now

/**
 * Creates a mock.
 * @throws PriceFeedMockError CONFIG_INVALID, FEEDS_INVALID, SERIES_INVALID, SCENARIO_UNKNOWN or SCENARIO_INVALID, listing all problems
 * @example
 * const mock = createMock({ seed: '42', clock: { at: '2025-07-24T10:48:25Z', frozen: true } })
 * mock.clock.advance('2m')
 */
export function createMock<const Own extends string = string>(options: MockOptions<Own> = {}): Mock<Declared<Own>> {
  return createMockWith(realTime, options as unknown as MockOptions, readSeries) as unknown as Mock<Declared<Own>>
}
