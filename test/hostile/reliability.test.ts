// docs/reliability.md gives the limits that the code has.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const page = read('docs/reliability.md')

it.each([
  ['src/hosts/node/sockets.ts', 'MAX_HEAD_BYTES', '128 * 1024', 'the head of a request | 128 KB'],
  ['src/hosts/node/bodies.ts', 'MAX_BODY_BYTES', "'1mb'", 'the body of a request | 1 MB'],
  ['src/settings/schema.ts', 'MAX_VALUES', '100_000', '100,000 values'],
  ['src/settings/schema.ts', 'MAX_ENTRIES', '12_000', '12,000 in one list'],
  ['src/scenario/schema.ts', 'MAX_FAULTS', '100', 'faults of a scenario | 100'],
  ['src/service/admission.ts', 'MAX_SESSIONS', '1000', 'sessions | 1,000'],
  ['src/service/admission.ts', 'MAX_KEPT', '900', '900 of them'],
  ['src/service/admission.ts', 'MAX_BYTES', '24_000_000', 'in memory 24 MB in all sessions'],
  [
    'src/market/market.ts',
    'MAX_PATH_BYTES',
    '12_000_000',
    'cached paths of feeds, and faults on them, of all markets and sessions | 12 MB',
  ],
  ['src/signing/signer.ts', 'MAX_CACHED', '16_000', 'cached signatures | 16,000 prices'],
  ['src/service/work-limit.ts', 'MAX_WORK', '80_000', '80,000 units of work'],
  ['src/hosts/node/turns.ts', 'TURN_MS', '10', 'looked up for 10 ms'],
  ['src/service/admission.ts', 'MAX_SNAPSHOT_CHARACTERS', '1_500_000', '1.5 MB a session'],
  ['src/service/journal.ts', 'MAX_TARGET_LENGTH', '2048', '2,048 characters'],
  ['src/service/journal.ts', 'MAX_JOURNAL_BYTES', '1_000_000', '1 MB a session'],
  ['src/service/journal.ts', 'MAX_POOL_BYTES', '16_000_000', 'journals | 1 MB a session, 16 MB in all sessions'],
  ['src/service/journal-tally.ts', 'MAX_BINS', '32', '32 times of each endpoint'],
  ['src/cli/run-context.ts', 'MAX_FAST_HEAP_BYTES', '100_000_000', 'from a heap of 100 MB on'],
  ['bench/hostile/main.ts', 'GOALS', '{ rssMb: 256, blockMs: 250 }', '256 MB'],
])('default: %s %s', (file, name, value, shown) => {
  expect(read(file)).toContain(`const ${name} = ${value}\n`)
  expect(page).toContain(shown)
})
