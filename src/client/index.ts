// The entry point `price-feed-mock/client`.

export { toJUnit } from '../admin/report/junit.js'
export type * from '../endpoints/replies.js'
export { type ExactInteger, parseExact } from '../signing/signed-response.js'
export {
  type AdminClient,
  type AdminClientOptions,
  createAdminClient,
  type JournaledRequest,
  listAllRequests,
  type ReportCard,
  type VerdictInput,
} from './admin.js'
export { type Client, type ClientOptions, type ClientResponse, createClient, ServiceRefusedError } from './client.js'
