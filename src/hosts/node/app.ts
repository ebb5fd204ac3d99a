// The Express app behind the five endpoints: guard, index and the admin.
import express, { type Express } from 'express'
import { PriceFeedMockError } from '../../errors.js'
import { type Mock, problem } from '../../mock.js'
import { toServiceRequest } from './listener.js'
import { writeOutcome } from './write.js'

/** Creates the app. `allowHosts` are names besides loopback under which the admin may be reached. */
export function createApp(mock: Mock, allowHosts: readonly string[]): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')

  app.use((request, response, next) => {
    const guarded = request.path === '/' || request.path === '/_mock' || request.path.startsWith('/_mock/')
    if (!guarded || isAllowedHost(request.headers.host, allowHosts)) return next()
    writeOutcome(response, request.method, problem(hostNotAllowed(request.headers.host)))
  })
  app.use((request, response) => {
    if (request.path === '/' && request.method === 'GET' && request.headers.accept?.includes('text/html'))
      return response.redirect('/_mock/')
    writeOutcome(response, request.method, mock.administer(toServiceRequest(request)))
  })
  return app
}

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i

/** Whether a Host header names this machine: a page of another site that was rebound to it does not. */
function isAllowedHost(host: string | undefined, allowHosts: readonly string[]): boolean {
  const name = (host ?? '').replace(/:\d*$/, '').toLowerCase()
  return LOOPBACK.test(name) || allowHosts.some(allowed => allowed.toLowerCase() === name)
}

function hostNotAllowed(host: string | undefined): PriceFeedMockError {
  const name = (host ?? '').replace(/:\d*$/, '')
  return new PriceFeedMockError(
    'HOST_NOT_ALLOWED',
    `The admin does not answer to the host name "${name.slice(0, 100)}".`,
    {
      facts: [
        ['want', 'localhost, a loopback address, or a name given with --allow-host'],
        ['fix', `price-feed-mock --allow-host ${/^[\w.-]{1,100}$/.test(name) ? name : 'NAME'}`],
        ['note', 'the five endpoints answer to any host name'],
      ],
    },
  )
}
