// The order of test files: the longest first, so that none of them runs alone at the end while other cores are idle.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files of several seconds, the longest first. A fresh clone has no recorded times, and sizes say little. */
const LONGEST = [
  'tutorial.full',
  'zoo/zoo.full',
  'chain/zoo.full',
  'scenarios/built-in.full',
  'compare/compare',
  'properties/market.full',
  'compare/cli.full',
  'kits/runners.full',
  'contributing.full',
  'browser/console.full',
  'hostile/soak.full',
  'hunt/zoo.full',
  'browser/console-firefox.full',
  'conformance/scenarios',
  'package/from-git.full',
  'package/consumer.full',
  'package/published.full',
  'golden',
  'properties/statistics.full',
  'kits/console-snippets.full',
  'kits/playwright.full',
  'cli/each-scenario.full',
  'replicas/access.full',
  'scenarios/polling.full',
  'sessions/rewind.full',
  'cli/transcripts',
  'replicas/many.full',
  'replicas/failures.full',
  'sessions/capacity',
  'kits/docs.full',
  'chain/examples.full',
  'hostile/memory.full',
  'kits/other-nodes.full',
  'scenarios/built-in',
  'cli/hunt',
  'cli/hunt.full',
  'replicas/failover.full',
  'browser/ticker-server.full',
  'browser/server',
  'browser/worker',
  'cli/serve',
  'sessions/clock',
  'kits/timeline.full',
  'hostile/fuzz',
  'kits/pages.full',
  'clients/clients.full',
  'kits/shared-server.full',
  'mock-script.full',
  'docs-commands',
  'properties/one-truth-faults',
  'properties/randomness.full',
  'properties/extremes.full',
  'replicas/exec.full',
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
