// Runs in Node, bun and deno, inside a consumer: answers the golden set through `fetch`, or through msw, and prints the hashes.
import type * as Fetch from '../../src/hosts/fetch.js'
import type * as Msw from '../../src/hosts/msw.js'
import type * as Main from '../../src/index.js'
import { type Answers, answerGoldenSet, type TestedPackage } from './answer.js'

/** The output of the program. */
export type Report = { readonly version: string; readonly answers: Answers }

/** Imports an entry point of the installed package. */
const open = <T>(name: string): Promise<T> => import(name) as Promise<T>

const { createMock } = await open<typeof Main>('price-feed-mock')
const reach = process.argv[2] === 'msw' ? await throughMsw() : await throughFetch()
const { createHash } = await import('node:crypto')
const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
const report: Report = { version: versionOf(), answers: await answerGoldenSet({ createMock, hash, reach }) }
process.stdout.write(JSON.stringify(report))

async function throughFetch(): Promise<TestedPackage['reach']> {
  const { createFetch } = await open<typeof Fetch>('price-feed-mock/fetch')
  return mock => {
    const fetch = createFetch(mock)
    return (path, init) => fetch(`http://mock${path}`, init)
  }
}

/** As in a test of a user: the global `fetch`, intercepted by msw. Each mock gets its own address. */
async function throughMsw(): Promise<TestedPackage['reach']> {
  const { handlers } = await open<typeof Msw>('price-feed-mock/msw')
  const { setupServer } = await open<typeof import('msw/node')>('msw/node')
  const server = setupServer()
  server.listen()
  let started = 0
  return mock => {
    const baseUrl = `https://mock-${++started}.example`
    server.use(...handlers(mock, { baseUrl }))
    return (path, init) => fetch(`${baseUrl}${path}`, init)
  }
}

/** Name and version of the engine. */
function versionOf(): string {
  const { bun, deno, node, v8 } = process.versions
  if (bun !== undefined) return `bun ${bun} (JavaScriptCore)`
  return deno === undefined ? `Node ${node} (V8 ${v8})` : `deno ${deno} (V8 ${v8})`
}
