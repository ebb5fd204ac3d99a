// The door for in-process use. Names only: everything behind it lives in its folder.
export { type ErrorCode, isPriceFeedMockError, PriceFeedMockError, type Problem } from './errors.js'
export type { FeedsFile } from './market/feeds-file.js'
export { createMock, type Mock, type MockOptions } from './mock.js'
export type { Outcome } from './outcome.js'
export type { ServiceRequest } from './service/request.js'
export { VERSION } from './version.js'
