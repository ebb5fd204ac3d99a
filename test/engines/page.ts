// Runs in a browser page: answers the golden set and leaves the hashes in a global for the driver of the browser.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type * as Fetch from '../../src/hosts/fetch.js'
import type * as Main from '../../src/index.js'
import { answerGoldenSet } from './answer.js'

// Only the bundler of the consumer resolves these names.
const main = import('price-feed-mock' as string) as Promise<typeof Main>
const host = import('price-feed-mock/fetch' as string) as Promise<typeof Fetch>

Object.assign(globalThis, {
  answers: Promise.all([main, host]).then(([{ createMock }, { createFetch }]) =>
    answerGoldenSet({
      createMock,
      hash: text => bytesToHex(sha256(utf8ToBytes(text))),
      reach: mock => {
        const fetch = createFetch(mock)
        return (path, init) => fetch(`http://mock${path}`, init)
      },
    }),
  ),
})
