// The entry point `price-feed-mock/client`.
export { type AdminClient, type AdminClientOptions, createAdminClient } from './admin.js'
export { type Client, type ClientOptions, createClient, ServiceRefusedError } from './client.js'
