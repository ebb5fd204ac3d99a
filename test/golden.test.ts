// Golden responses: the answers of seed 42 at one frozen instant, byte for byte, on every host. Users write such prices into their
// own tests, so they change only with a major version and a line in the changelog.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { beforeAll, expect, inject, it } from 'vitest'
import { FEW_CANDLES, GOLDEN, type Golden, HASHED, KEY, LAST_NUMBER, SETTINGS } from './support/golden-set.js'
import { describeHosts, type HostReply, REFERENCE } from './support/hosts.js'

const FOLDER = new URL('../fixtures/golden/', import.meta.url)
const WRITE = 'mkdir -p fixtures/golden && npx vitest run --project node test/golden.test.ts -u'

const sha256 = (texts: readonly string[]): string => createHash('sha256').update(texts.join('\n')).digest('hex')

/** A file to read and to compare: the parsed body for eyes, the text of the body for the promise. */
function toFile({ method = 'GET', path, headers = KEY }: Golden, reply: HostReply): string {
  const golden = {
    request: { method, path, headers },
    status: reply.status,
    headers: Object.fromEntries(Object.entries(reply.headers).sort()),
    body: reply.body === '' ? null : JSON.parse(reply.body),
    text: reply.body,
  }
  return `${JSON.stringify(golden, null, 2)}\n`
}

// Without the folder, a run would write today's answers as if users relied on them.
beforeAll(() => {
  if (!existsSync(FOLDER)) throw new Error(`The golden responses are missing. To freeze those of today: ${WRITE}`)
})

describeHosts('golden', (start, kind) => {
  for (const golden of GOLDEN)
    it(`default: ${golden.file}`, async () => {
      // A host of its own, so that the header says n=1 whatever ran before.
      const { method = 'GET', path, headers = KEY, file } = golden
      const reply = await start(FEW_CANDLES).request(path, { method, headers })
      await expect(toFile(golden, reply)).toMatchFileSnapshot(`../fixtures/golden/${file}.json`)
    })

  // The engine matters here, hosts of Node do not: one of them, and the browser.
  if (!inject('isFull') || ![REFERENCE.name, 'worker'].includes(kind.name)) return
  it('default: the bodies of all feeds', async () => {
    const host = start(SETTINGS)
    const { feeds } = JSON.parse((await host.request('/_mock/feeds')).body) as {
      feeds: { id: string; number: number }[]
    }
    const ids = feeds.filter(({ number }) => number <= LAST_NUMBER).map(({ id }) => id)
    expect(ids).toHaveLength(LAST_NUMBER)
    const bodies: string[] = []
    const hashes: Record<string, string> = {}
    for (const [name, pathOf] of Object.entries(HASHED)) {
      const replies = await Promise.all(ids.map(id => host.request(pathOf(id), { headers: KEY })))
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
      const ofKind = replies.map(({ body }) => body)
      hashes[name] = sha256(ofKind)
      bodies.push(...ofKind)
    }
    const golden = { bodies: bodies.length, joinedBy: '\n', sha256: sha256(bodies), byKind: hashes, feeds: ids }
    await expect(`${JSON.stringify(golden, null, 2)}\n`).toMatchFileSnapshot('../fixtures/golden/all-feeds.json')
  })
})
