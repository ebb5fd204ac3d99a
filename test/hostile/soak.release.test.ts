// Short soaks of the built program: `npm run soak` with fewer requests, mixed and by kind of attack.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, inject, it } from 'vitest'
import type { SoakResult } from '../../bench/hostile/soak.js'
import type { Kind } from '../../bench/hostile/volleys.js'
import { ROOT } from '../support/folder.js'
import { PROPERTY_SEED } from '../support/seed.js'

/** A folder of its own: other programs are compiled to `.build` meanwhile. */
const COMPILED = join('.build', 'soak-test')

type ShownResult = Omit<SoakResult, 'byKind'> & {
  readonly byKind: Readonly<Record<Kind, { readonly requests: number; readonly planned: number }>>
  readonly missed: readonly string[]
}

const execute = promisify(execFile)

/** Goals that are times of a busy machine. `npm run soak` judges them; here they are only printed. */
const MEASURED = /callback|p99|CPU time/

/** Runs a soak and checks it: crashes, 5xx, handles, innocents. */
async function soak(requests: number, seconds: number, kinds?: readonly Kind[]): Promise<ShownResult> {
  const program = join(COMPILED, 'bench', 'hostile', 'main.js')
  const options = [`--requests=${requests}`, `--seconds=${seconds}`, `--seed=${PROPERTY_SEED}`, '--climb=0', '--json']
  options.push(`--program=${join('dist', 'program', 'main.js')}`)
  if (kinds !== undefined) options.push(`--kinds=${kinds.join(',')}`)
  // A missed goal is exit code 1: the assertions below name it.
  const { stdout } = await execute(process.execPath, [program, ...options], { cwd: ROOT, maxBuffer: 1e8 }).catch(
    (error: { stdout: string; stderr: string }) => {
      if (error.stdout === '') throw error
      return error
    },
  )
  const result = JSON.parse(stdout) as ShownResult
  console.log(
    `${result.requests} requests, ${(result.rss.max / 1e6).toFixed(0)} MB, block ${result.block.cpu.cpuMs.toFixed(0)} ms`,
  )
  const { crash, firstUnplanned, innocents, missed } = result
  const wrong = missed.filter(goal => !MEASURED.test(goal))
  expect({ crash, firstUnplanned, innocents: innocents.among.firstWrong, wrong }).toEqual({ wrong: [] })
  expect(innocents.among.replies).toBeGreaterThan(0)
  return result
}

beforeAll(async () => {
  expect(inject('buildProblem')).toBe('')
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc')
  // `npm run types` checks them.
  await execute(process.execPath, [compiler, '-p', 'bench', '--noCheck', '--outDir', COMPILED], { cwd: ROOT })
})

it('default: 20,000 hostile requests of every kind', async () => {
  const { byKind, volleys } = await soak(20_000, 40)
  expect(volleys).toBeGreaterThan(100)
  expect(Object.keys(byKind).length).toBeGreaterThanOrEqual(18)
})

it.each<[title: string, requests: number, kinds: [Kind, ...Kind[]]]>([
  [
    'memory is bounded under long targets, journals and streams that nobody reads',
    1500,
    ['large', 'journals', 'streams'],
  ],
  ['memory is bounded under large or invalid bodies and snapshots', 300, ['largeSessions', 'badJson', 'snapshots']],
  [
    'no socket stays of clients that leave, are slow or send more than they read',
    40_000,
    ['behindSilence', 'slow', 'wire', 'methods', 'aborts', 'unread'],
  ],
  ['costly scenarios crash nothing', 400, ['cpu', 'overrides']],
])('behavior: %s', async (_, requests, kinds) => {
  const { byKind } = await soak(requests, 25, kinds)
  expect(byKind[kinds[0]].requests).toBeGreaterThan(0)
})
