// Hunts a bug of the zoo, or a correct consumer, in virtual time.
import { type HuntFind, type HuntReport, type HuntRun, type HuntScenario, hunt } from '../../src/hunt/hunt.js'
import { toHuntRequests } from '../../src/hunt/profile.js'
import type { Mock } from '../../src/index.js'
import { type Bug, play } from '../zoo/run.js'

/** A hunt until the first find. */
export interface Hunted extends HuntReport {
  readonly find: HuntFind | undefined
  /** Whether the find is gone when the line of the bug is mended. */
  readonly isRight: boolean
  /** The runs that failed, with what was broken. */
  readonly failed: readonly string[]
}

/** One run of a consumer: it ends with the first invariant that is broken. */
async function runOnce(mock: Mock, consumer: string, bug: Bug | undefined, scenario: HuntScenario): Promise<HuntRun> {
  const { broken, seen, hits, ms } = await play(mock, consumer, scenario, bug, all => all.size > 0)
  const entries = seen.map(({ at, path, status }) => ({
    endpoint: endpointOf(path),
    target: path,
    status,
    now: at / 1000,
    // Only for faults by chance.
    ordinal: 0,
    faults: [],
  }))
  return {
    failed: broken.size > 0,
    output: [...broken.keys()].join('\n'),
    requests: toHuntRequests(entries, 0),
    hits,
    ms,
  }
}

const endpointOf = (path: string): string =>
  path.startsWith('/charting') ? 'candles' : (/batch|evm|latest/.exec(path)?.[0] ?? 'history')

/** Hunts one bug, or a correct consumer, until the first find. */
export async function huntZoo(
  mock: Mock,
  consumer: string,
  bug: Bug | undefined,
  { runs, seed }: { readonly runs: number; readonly seed: number },
): Promise<Hunted> {
  const failed: string[] = []
  const ended = new AbortController()
  const report = await hunt({
    seed,
    budget: { runs },
    signal: ended.signal,
    async run(scenario, { label }) {
      const run = await runOnce(mock, consumer, bug, scenario)
      if (run.failed) failed.push(`${label} → ${run.output.replaceAll('\n', ', ')}`)
      return run
    },
    // A consumer with one bug has one find; of a correct one each is a false alarm.
    onProgress: ({ finds }) => {
      if (finds > 0 && bug !== undefined) ended.abort()
    },
  })
  const [find] = report.finds
  const isRight = find !== undefined && (await play(mock, consumer, find.scenario)).broken.size === 0
  return { ...report, find, isRight, failed }
}
