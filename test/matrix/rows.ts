// The combinations of Node, package manager, test runner, msw and compiler in which the package is installed and used.

/** A combination. Versions are ranges of npm. */
export interface Row {
  readonly name: string
  readonly node: '20' | '22' | '24'
  readonly manager: 'npm' | 'pnpm@10' | 'pnpm@12'
  readonly vitest: '4' | '5'
  readonly msw: '2' | '3'
  readonly typescript: '5.9' | '7'
}

/**
 * A covering set instead of all 24: each version of Node meets both package managers, both compilers, and both versions of vitest
 * and msw that it can run. vitest 5 and msw 3 need Node 22.12.
 */
export const ROWS: readonly Row[] = [
  { name: 'node20-npm', node: '20', manager: 'npm', vitest: '4', msw: '2', typescript: '5.9' },
  { name: 'node20-pnpm', node: '20', manager: 'pnpm@10', vitest: '4', msw: '2', typescript: '7' },
  { name: 'node22-npm', node: '22', manager: 'npm', vitest: '5', msw: '2', typescript: '7' },
  { name: 'node22-pnpm', node: '22', manager: 'pnpm@10', vitest: '4', msw: '3', typescript: '5.9' },
  { name: 'node24-npm', node: '24', manager: 'npm', vitest: '4', msw: '2', typescript: '7' },
  { name: 'node24-pnpm', node: '24', manager: 'pnpm@12', vitest: '5', msw: '3', typescript: '5.9' },
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
  ]
}
