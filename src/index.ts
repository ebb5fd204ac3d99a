// The door for in-process use. Names only: everything behind it lives in its folder.
export { isPriceFeedMockError, PriceFeedMockError, type ErrorCode, type Problem } from './errors.js'
export { createMock, type Mock, type MockOptions } from './mock.js'
export type { FeedsFile } from './market/feeds-file.js'
export type { Outcome } from './outcome.js'
export type { ServiceRequest } from './service/request.js'
export { VERSION } from './version.js'
