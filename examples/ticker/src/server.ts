// The scenarios of a mock that runs as a server, through its admin routes.
import { ask } from './ask'
import type { PageMock } from './worker'

/**
 * Connects to the admin of the mock behind `baseUrl`. Undefined for a real service, and for a mock whose admin is not open to this
 * page: it needs `--allow-origin`, or an address that this page proxies.
 */
export async function connectAdmin(baseUrl: string): Promise<PageMock | undefined> {
  // `/session/{id}` and `/scenario/{name}` in the address choose the session.
  const [, root = baseUrl, kind, name = 'default'] = /^(.*?)(?:\/(session|scenario)\/([^/]+))?$/.exec(baseUrl)!
  const session = `${root}/_mock/sessions/${kind === 'scenario' ? `scenario.${name}` : name}`
  const answer = await ask(`${root}/_mock/scenarios`)
  if (answer.kind === 'silence' || answer.status !== 200) return undefined
  const { scenarios } = answer.body as Pick<PageMock, 'scenarios'>
  if (!Array.isArray(scenarios)) return undefined
  return {
    scenarios,
    async setScenario(scenario) {
      const reply = await fetch(session, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ scenario }),
      })
      if (!reply.ok) throw new Error(`The mock refused the scenario ${scenario}: ${reply.status}.`)
    },
    async running() {
      const reply = await ask(session)
      return reply.kind === 'reply' ? String((reply.body as { scenario?: unknown } | undefined)?.scenario) : ''
    },
  }
}
