// The order of test files: the longest first, so that none of them runs alone at the end while other cores are idle.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files of several seconds, the longest first. A fresh clone has no recorded times, and sizes say little. */
const LONGEST = [
  'contributing.full',
  'browser/console.full',
  'browser/console-firefox.full',
  'package/from-git.full',
  'package/published.full',
  'kits/runners.full',
  'scenarios/built-in.full',
  'tutorial.full',
  'chain/zoo.full',
  'zoo/zoo.full',
  'kits/pages.full',
  'kits/docs.full',
  'kits/shared-server.full',
  'hostile/soak.full',
  'package/consumer.full',
  'replicas/many.full',
  'properties/market.full',
  'conformance/scenarios',
  'kits/playwright.full',
  'golden',
  'kits/types.full',
  'sessions/capacity',
  'kits/console-snippets.full',
  'hostile/fuzz',
  'browser/ticker-server.full',
  'chain/examples.full',
  'clients/clients.full',
  'sessions/clock',
  'cli/each-scenario.full',
  'scenarios/polling.full',
  'cli/transcripts',
  'browser/server',
  'browser/worker',
  'scenarios/built-in',
  'cli/hunt',
  'cli/serve',
  'properties/one-truth-faults',
  'docs-commands',
  'properties/statistics.full',
  'hostile/memory.full',
  'replicas/access.full',
  'replicas/failures.full',
  'replicas/failover.full',
  'kits/other-nodes.full',
  'replicas/exact.full',
].map(name => `/test/${name}.test.ts`)

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = LONGEST.findIndex(file => moduleId.endsWith(file))
  return rank < 0 ? LONGEST.length : rank
}

/** Sorts within each project, since a worker that changes to another one loads everything anew. */
export class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications)
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap(project =>
      sorted.filter(each => each.project === project).sort((a, b) => rankOf(a) - rankOf(b)),
    )
  }
}
