// The parts of a server that need Express, loaded on first use: bodies of requests, and a user's own handlers.
import type { IncomingMessage, ServerResponse } from 'node:http'
import express, { type RequestHandler } from 'express'
import type { Mount } from './guarded-handlers.js'
import type { MockExchange } from './write.js'

/** The largest body that the admin reads. A session whose snapshot could be larger than that of a restore is refused. */
const MAX_BODY_BYTES = '1mb'
const MAX_SNAPSHOT_BYTES = '2mb'

/** Another content type is not read: a page of another origin cannot send JSON without a preflight. */
const json = { type: 'application/json' }
const readUsual = express.text({ ...json, limit: MAX_BODY_BYTES })
const readSnapshot = express.text({ ...json, limit: MAX_SNAPSHOT_BYTES })

/**
 * Reads a JSON body as text, into `request.body`.
 * @throws an error of Express for a body that is too large, or that cannot be decoded
 */
export const readJson = (request: IncomingMessage, response: ServerResponse, isSnapshot: boolean): Promise<void> =>
  run(isSnapshot ? readSnapshot : readUsual, request, response)

/** Mounts a user's handlers: the promise resolves if they pass a request on. */
export function mountHandlers(
  userHandlers: Mount,
  onExchange: (exchange: MockExchange) => void,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.use(express.raw({ type: () => true, limit: MAX_BODY_BYTES }))
  app.use((request, response, next) => userHandlers(request, response, { next, onExchange }))
  return (request, response) => run(app, request, response)
}

function run(handler: RequestHandler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = (error?: unknown): void => (error === undefined || error === null ? resolve() : reject(error))
    handler(request as never, response as never, next)
  })
}
