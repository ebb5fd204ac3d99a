// The mutants of a run: a seeded sample of all that compile, with some of every folder.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hashText, scatter } from '../../src/market/random.js'
import { createTypeCheck, type Mutant, mutantsOf } from './operators.js'

/** Files that `npm run docs` writes. */
const GENERATED = new Set([
  'scenario/built-in.ts',
  'hunt/fault-texts.ts',
  'endpoints/reply-schemas.ts',
  'admin/admin-schemas.ts',
])

/** The files below `src` that are not tests. */
export function sourcesOf(root: string): string[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map(file => file.replaceAll('\\', '/'))
    .filter(file => file.endsWith('.ts') && !/\.(test|d)\.ts$/.test(file) && !GENERATED.has(file))
    .sort()
}

/** How a mutant is named in reports and in the list of equivalent ones. It holds no line number, which any change moves. */
export const titleOf = ({ file, before, after }: Mutant): string =>
  [`src/${file}`, `- ${before}`, `+ ${after}`].join('\n').replace(/\n\s+/g, ' ')

/** The size of a sample, and the part of it that is wanted, from 1. */
export type Wanted = { readonly size: number; readonly part: number; readonly parts: number }

/** A sample of mutants that compile, of the files that match, with some of every folder. The same seed gives the same ones. */
export function sample(root: string, seed: string, only: RegExp, { size, part, parts }: Wanted): Mutant[] {
  const all = sourcesOf(root)
    .filter(file => only.test(file))
    .flatMap(file => mutantsOf(file, readFileSync(join(root, 'src', file), 'utf8')))
    .map((mutant, i) => ({ mutant, rank: scatter(hashText(`${seed}:${i}:${mutant.file}`)) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ mutant }) => mutant)
  const firsts = new Set(new Map(all.toReversed().map(mutant => [dirname(mutant.file), mutant])).values())
  const ordered = [...firsts, ...all.filter(mutant => !firsts.has(mutant))].filter((_, i) => i % parts === part - 1)
  const compiles = createTypeCheck(root)
  const chosen: Mutant[] = []
  for (const mutant of ordered) {
    if (chosen.length >= size / parts) break
    if (compiles(mutant)) chosen.push(mutant)
  }
  return chosen
}
