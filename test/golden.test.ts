// Golden responses: the answers of seed 42 at one frozen instant, byte for byte, on every host. Users write such prices into their
// own tests, so they change only with a major version and a line in the changelog.
import { existsSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { FEW_CANDLES, GOLDEN, type Golden, KEY } from './support/golden-set.js'
import { describeHosts, type HostReply } from './support/hosts.js'

const FOLDER = new URL('../fixtures/golden/', import.meta.url)
const WRITE = 'mkdir -p fixtures/golden && npx vitest run --project node test/golden.test.ts -u'

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

describeHosts('golden', start => {
  for (const golden of GOLDEN)
    it(`default: ${golden.file}`, async () => {
      // A host of its own, so that the header says n=1 whatever ran before.
      const { method = 'GET', path, headers = KEY, file } = golden
      const reply = await start(FEW_CANDLES).request(path, { method, headers })
      await expect(toFile(golden, reply)).toMatchFileSnapshot(`../fixtures/golden/${file}.json`)
    })
})
