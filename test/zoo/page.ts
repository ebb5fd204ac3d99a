// The text of docs/zoo.md: which built-in scenario finds which bug. It is written from the results, and read for the pairs to run.
import { VAULT_BUGS } from '../chain/zoo/bugs.js'
import type { Bug } from './run.js'

/** The scenarios that find a bug, by the name of the bug as `nameOf` has it. */
export type Found = ReadonlyMap<string, readonly string[]>

export const nameOf = ({ consumer, name }: Bug): string => `${consumer}: ${name}`

const PARTS: Readonly<Record<string, string>> = {
  'price-store': 'a front end: it polls a batch and a chart, and decides what the page shows',
  'risk-engine': 'a back end: it values accounts by EVM prices and a history, and liquidates',
  keeper: 'a keeper: it posts single signed prices to a contract that pays nothing for mistakes',
  treasury: 'a back office: it values currencies, gold and coins, also at the weekend',
  portfolio: 'a back end in Python: it values a portfolio by a batch, as exact decimals',
}

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows]
    .map(cells => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')

/** Writes the page. */
export function writePage(bugs: readonly Bug[], scenarios: readonly string[], found: Found): string {
  const consumers = Object.keys(PARTS)
  const of = (consumer: string) => bugs.filter(bug => bug.consumer === consumer)
  const finds = (bug: Bug, scenario: string) => found.get(nameOf(bug))?.includes(scenario) ?? false
  const matrix = scenarios.map(scenario => {
    const counts = consumers.map(consumer => of(consumer).filter(bug => finds(bug, scenario)).length)
    const only = bugs.filter(bug => finds(bug, scenario) && found.get(nameOf(bug))!.length === 1).length
    return [
      `\`${scenario}\``,
      ...counts.map(count => (count === 0 ? '' : String(count))),
      only === 0 ? '' : String(only),
    ]
  })
  const lists = consumers.map(consumer => {
    const rows = of(consumer).map(bug => {
      const names = found.get(nameOf(bug)) ?? []
      return [
        bug.name,
        bug.source,
        bug.breaks,
        names.length === 0 ? 'none' : names.map(name => `\`${name}\``).join(' '),
      ]
    })
    return `### ${consumer}\n\n${PARTS[consumer]}.\n\n${table(['Bug', 'Source', 'Breaks', 'Found by'], rows)}`
  })
  const caught = bugs.filter(bug => (found.get(nameOf(bug)) ?? []).length > 0).length
  return `# Which scenario finds which bug

\`test/zoo\` has ${consumers.length} consumers that are correct, and ${bugs.length} copies of them, each with one bug in at most five lines. Each run takes six
virtual minutes. The correct ones keep all their promises under every built-in scenario. Each bug passes \`calm\`, and is found where
the promise that it breaks is broken: ${caught} of ${bugs.length} by at least one scenario. \`npm run docs:zoo\` writes this page; the full run of the
tests repeats one pair for each bug and each scenario.

## Bugs found by each scenario

${table(['Scenario', ...consumers, 'found by it alone'], matrix)}

## Bugs

${lists.join('\n\n')}

### vault

a contract in Solidity, \`test/chain/zoo\`: it values an asset by prices that anyone may bring. On a chain, each of these is found by
a scenario.

${table(
  ['Bug', 'Source', 'Breaks'],
  VAULT_BUGS.map(({ name, source, breaks }) => [name, source, breaks]),
)}
`
}

/** Reads the pairs of a page that \`writePage\` has written. */
export function readPage(text: string): Found {
  const found = new Map<string, readonly string[]>()
  for (const part of text.split('\n### ').slice(1)) {
    const consumer = part.slice(0, part.indexOf('\n'))
    for (const row of part.matchAll(/^\| ([^|]+) \|.*\| ([^|]*) \|$/gm))
      found.set(
        `${consumer}: ${row[1]}`,
        [...row[2]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
      )
  }
  return found
}
