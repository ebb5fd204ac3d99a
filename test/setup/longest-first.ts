// The order of test files: the longest first, so that none of them runs alone at the end while other cores are idle.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files of several seconds, the longest first. A fresh clone has no recorded times, and sizes say little. */
const LONGEST = [
  'tutorial.release',
  'zoo/zoo.full',
  'chain/zoo.full',
  'scenarios/built-in.full',
  'compare/any-settings.release',
  'properties/market.release',
  'compare/cli.release',
  'kits/runners.release',
  'contributing.full',
  'browser/console.full',
  'hostile/soak.release',
  'hunt/zoo.full',
  'browser/console-firefox.release',
  'conformance/scenarios',
  'package/from-git.release',
  'package/consumer.full',
  'package/published.release',
  'golden.full',
  'properties/statistics.release',
  'kits/console-snippets.release',
  'kits/playwright.full',
  'cli/each-scenario.full',
  'replicas/access.full',
  'scenarios/polling.full',
  'sessions/rewind.release',
  'cli/transcripts',
  'replicas/many.full',
  'replicas/failures.full',
  'sessions/capacity',
  'kits/docs.release',
  'chain/examples.release',
  'hostile/memory.release',
  'kits/other-nodes.release',
  'scenarios/built-in',
  'cli/hunt-process.full',
  'cli/hunt.full',
  'replicas/failover.full',
  'browser/ticker-server.release',
  'browser/server.full',
  'browser/worker.full',
  'cli/serve.full',
  'sessions/clock',
  'kits/timeline.full',
  'hostile/fuzz.full',
  'kits/pages.release',
  'clients/clients.full',
  'kits/shared-server.full',
  'mock-script.full',
  'docs-commands.full',
  'properties/one-truth-faults.full',
  'properties/randomness.release',
  'properties/extremes.full',
  'replicas/exec.full',
].map(name => `/${name}.test.ts`)

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
