// The combinations of Node, package manager, test runner, msw and compiler in which the package is installed and used.

/** A combination. Versions are ranges of npm. */
export interface Row {
  readonly name: string
  readonly node: '20' | '22' | '24'
  readonly manager: 'npm@10' | 'npm@11' | 'pnpm@10' | 'pnpm@12' | 'yarn@4' | 'bun@1'
  readonly vitest: '3.2' | '4' | '5'
  readonly msw: '2' | '3'
  readonly typescript: '5.9' | '7'
}

/**
 * A covering set instead of all: each version of Node meets both compilers, and the versions of vitest and msw that it can run.
 * vitest 5 and msw 3 need Node 22.12.
 */
export const ROWS: readonly Row[] = [
  { name: 'node20-npm10', node: '20', manager: 'npm@10', vitest: '3.2', msw: '2', typescript: '5.9' },
  { name: 'node20-pnpm10', node: '20', manager: 'pnpm@10', vitest: '4', msw: '2', typescript: '7' },
  { name: 'node22-npm11', node: '22', manager: 'npm@11', vitest: '5', msw: '2', typescript: '7' },
  { name: 'node22-yarn', node: '22', manager: 'yarn@4', vitest: '4', msw: '3', typescript: '5.9' },
  { name: 'node24-npm11', node: '24', manager: 'npm@11', vitest: '3.2', msw: '3', typescript: '5.9' },
  { name: 'node24-bun', node: '24', manager: 'bun@1', vitest: '4', msw: '2', typescript: '7' },
  { name: 'node24-pnpm12', node: '24', manager: 'pnpm@12', vitest: '5', msw: '3', typescript: '7' },
]

/** The packages that a project of this row installs, beside this one. */
export function packagesOf({ node, vitest, msw, typescript }: Row): string[] {
  return [
    `vitest@${vitest}`,
    'vite@8',
    `msw@${msw}`,
    `typescript@${typescript}`,
    `@types/node@${node}`,
    'express@5',
    '@types/express@5',
    '@playwright/test@1',
    'fast-check@4',
  ]
}
