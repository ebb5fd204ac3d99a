// The report of a comparison, whole.
import { expect, it } from 'vitest'
import { LAYOUTS } from '../settings/layouts.js'
import type { ComparedRow } from './compare.js'
import type { Probe } from './probe.js'
import { toReport, toSummary } from './report.js'

const row = (name: string, result: ComparedRow['result'], more: Partial<ComparedRow & Probe> = {}): ComparedRow => ({
  probe: { name, ask: () => undefined as never, page: more.page, ...(more.same && { same: more.same }) },
  result,
  ...more,
})
const differs = (name: string, more: Partial<ComparedRow & Probe>) => row(name, 'differs', more)

it('default: each kind of row', () => {
  const patch = { policy: { wwwAuthenticate: 'x' }, signer: 3 }
  const isDouble = (one: object, other: object) => Object.values(one)[0] === 2 * Object.values(other)[0]
  const signing = { svm: 'mine', layouts: { mine: LAYOUTS.svm } }
  const rows = [
    row('b', 'same'),
    row('signers', 'own', { theirs: ['0x1', '0x2'] }),
    row('no signers', 'own', { theirs: [] }),
    differs('text', { ours: '', theirs: 'x', patch, isSolved: true }),
    differs('number', { theirs: 7, isSolved: true }),
    differs('parts', {
      ours: { a: 1, b: 2, c: 2, d: { e: { f: null } } },
      theirs: { a: 1, b: 5, c: 5, d: { g: [3] } },
    }),
    differs('half', { ours: { a: 1, b: 2 }, theirs: { a: 2, b: 5 }, same: isDouble, isSolved: false }),
    differs('rest', { patch: { feeds: { BTCUSD: { expo: -6 } } }, isSolved: false, page: 'docs/feeds.md' }),
    differs('short', { ours: 'o'.repeat(43), theirs: 't'.repeat(44), patch: { signing } }),
    differs('long', { ours: 'o'.repeat(44), theirs: 't'.repeat(44) }),
    row('c', 'same'),
    row('d', 'not asked', { reason: 'no time' }),
    row('e', 'not asked', { reason: 'no time' }),
  ]
  expect(toReport(rows, { theirs: 'theirs', ours: 'ours' }).join('\n')).toMatchInlineSnapshot(`
    "seen     signers: 0x1, 0x2
    seen     no signers: none
    differs  text
               ours none, theirs x
               option: policy.wwwAuthenticate: "x"
               option: signer: 3
    differs  number
               ours none, theirs 7
               option: those of other rows
    differs  parts
               b, c: ours 2, theirs 5
               d g: ours none, theirs [3]
               d e f: ours null, theirs none
    differs  half
               b: ours 2, theirs 5
               option: none; ours is an assumption of docs/assumptions.md
    differs  rest
               ours none, theirs none
               option: feeds: {"id":"BTCUSD","expo":-6}
               option: none for the rest; ours is an assumption of docs/feeds.md
    differs  short
               ours ooooooooooooooooooooooooooooooooooooooooooo, theirs tttttttttttttttttttttttttttttttttttttttttttt
               option: signing.svm: {"fields":["feedId:ascii32-right","price:u64le","expo:i8","ts:u64le"],"digest":"keccak256","prefix":"none","signature":"rs","hexPrefix":""}
    differs  long
               ours oooooooooooooooooooooooooooooooooooooooooooo
               theirs tttttttttttttttttttttttttttttttttttttttttttt
    same     b; c
    not asked, because no time: d; e"
  `)
  expect(toSummary(rows, 2)).toBe(
    '2 requests: 2 of 13 rows are the same, 7 differ, 2 of them without an option, 2 not asked',
  )
  expect(toSummary([row('b', 'same'), differs('a', {})], 1)).toBe('1 request: 1 of 2 rows are the same, 1 differs')
  expect(toSummary([row('b', 'same')], 1)).toBe('1 request: 1 of 1 row are the same')
})
