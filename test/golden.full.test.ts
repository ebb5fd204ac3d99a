// The golden responses of all feeds, which depend on the engine and on no host.
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { HASHED, KEY, LAST_NUMBER, SETTINGS } from './support/golden-set.js'
import { describeEngine } from './support/hosts.js'

const sha256 = (texts: readonly string[]): string => createHash('sha256').update(texts.join('\n')).digest('hex')

describeEngine('golden, all feeds', start => {
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
