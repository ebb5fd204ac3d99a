// The door of `price-feed-mock/client`.
export { type Client, type ClientOptions, createClient, ServiceRefusedError } from './client.js'
