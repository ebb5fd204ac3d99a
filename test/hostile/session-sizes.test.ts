// Every size of docs/reliability.md that a session sets: accepted at its limit, refused above it with the limit in the message.
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { FAULTS } from '../../src/faults/index.js'
import { verdictInputSchema } from '../../src/service/journal-entry.js'
import { sessionBodySchema } from '../../src/service/session-settings.js'
import { snapshotSchema } from '../../src/service/snapshot.js'
import { adminRoute, move } from '../support/admin.js'
import { httpHost } from '../support/hosts.js'
import { scenarioJsonSchema } from '../support/scenario-json-schema.js'
import { MANY_FEEDS, SESSION_SIZES, type SessionSize } from '../support/session-sizes.js'

const host = await httpHost({ feeds: { feeds: MANY_FEEDS } })
afterAll(host.stop)

/** Sends the request of a size. */
async function send({ apart, body }: SessionSize, size: number) {
  if (apart === undefined) return move(host, 'POST', '/_mock/sessions', body(size))
  const { id } = await adminRoute(host, 'POST', '/_mock/sessions', {})
  const own = `/_mock/sessions/${id}`
  if (apart === '/restore') {
    const { snapshot } = await adminRoute<{ snapshot: object }>(host, 'POST', `${own}/snapshot`)
    return move(host, 'POST', `${own}/restore`, { snapshot: { ...snapshot, ...body(size) } })
  }
  for (let n = 1; n < size && apart === '/verdicts each'; n++)
    await adminRoute(host, 'POST', `${own}/verdicts`, body(n))
  return move(host, 'POST', `${own}/verdicts`, body(size))
}

describe.each(SESSION_SIZES)('$what: at most $most', size => {
  it('default: accepted at the limit', async () => {
    const reply = await send(size, size.most)
    expect([200, 201], reply.body.slice(0, 500)).toContain(reply.status)
  })

  it('error: refused above it, with the limit', async () => {
    const reply = await send(size, size.most + 1)
    expect([400, 413], reply.body.slice(0, 500)).toContain(reply.status)
    const { problems = [], want = '' } = JSON.parse(reply.body)
    expect([want, ...problems.map((problem: { want: string }) => problem.want)].join(' ')).toMatch(
      new RegExp(`(?<!\\d)${size.most}(?!\\d)`),
    )
  })
})

/** Texts and lists that a schema does not bound, by their path. */
function unbounded(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, enum: values, const: value, pattern, maxLength, maxItems } = schema as Record<string, unknown>
  const isFixed = values !== undefined || value !== undefined
  const hasLength =
    maxLength !== undefined || (typeof pattern === 'string' && !/[*+](?!\])/.test(pattern.replace(/\[.*?\]/g, '')))
  const isBounded = type === 'string' ? isFixed || hasLength : type !== 'array' || maxItems !== undefined
  const inner = Object.entries(schema).flatMap(([key, part]) => unbounded(part, `${path}/${key}`))
  return isBounded ? inner : [path, ...inner]
}

it('behavior: no other text or list of a session is without a limit', () => {
  const bodies = { body: sessionBodySchema, snapshot: snapshotSchema, verdict: verdictInputSchema }
  const schemas = Object.entries(bodies).map(([name, schema]) => [
    name,
    z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  ])
  const scenario = scenarioJsonSchema(
    FAULTS,
    ENDPOINTS.map(({ name }) => name),
    ({ name }) => ({ fault: name, options: {} }),
  )
  const found = unbounded(Object.fromEntries([...schemas, ['scenario', scenario]]))
  const paths = found.map(path => path.replace(/\/(properties|allOf\/\d+\/then|anyOf\/\d+)(?=\/)/g, ''))
  // Names that must exist, lists that are checked by hand (price changes), rows, which the size of a body bounds, and seed and time,
  // which are read before they are kept.
  expect([...new Set(paths)]).toMatchInlineSnapshot(`
    [
      "/body/signing/svm",
      "/body/signing/evm",
      "/body/scenario/anyOf/0",
      "/body/prices/propertyNames",
      "/body/series/items/rows/anyOf/0",
      "/body/series/items/rows/anyOf/1",
      "/snapshot/signing/svm",
      "/snapshot/signing/evm",
      "/snapshot/overrides/propertyNames",
      "/snapshot/overrides/additionalProperties",
      "/snapshot/feeds",
      "/scenario/seed/anyOf/0",
      "/scenario/clock/at/anyOf/0",
      "/scenario/faults/items/feeds/items",
    ]
  `)
})
