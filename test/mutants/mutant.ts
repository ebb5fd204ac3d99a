// A mutant: one small mistake in one source file, which the nearest tests have to notice.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A mistake, as data. */
export interface Mutant {
  /** Below `src`. */
  readonly file: string
  /** A text that stands exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** The behaviour that the mistake breaks. */
  readonly why: string
}

/** How a mutant is named in reports, and what `--only` is matched against. */
export const titleOf = ({ file, why }: Mutant): string => `${file}: ${why}`

/**
 * The text of a file with the mistake in it.
 * @throws Error where `find` does not match exactly once, so that refactoring keeps the list up to date
 */
export function mutate(root: string, mutant: Mutant): string {
  const path = join(root, 'src', mutant.file)
  const parts = existsSync(path) ? readFileSync(path, 'utf8').split(mutant.find) : []
  if (parts.length === 2) return parts.join(mutant.replace)
  const problem = parts.length === 0 ? 'there is no such file' : `"find" matches ${parts.length - 1} times, not once`
  const elsewhere = sourcesOf(root).filter(file => readFileSync(join(root, 'src', file), 'utf8').includes(mutant.find))
  const hint = elsewhere.length === 0 ? '' : ` (it also stands in ${elsewhere.join(', ')})`
  throw new Error(
    `Stale mutant ${titleOf(mutant)}: ${problem}${hint}. Correct it in test/mutants/list.\n${mutant.find}`,
  )
}

/** The files below `src` that are not tests. */
export function sourcesOf(root: string): string[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map(file => file.replaceAll('\\', '/'))
    .filter(file => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'))
}

/** The tests of a mutant, nearest first: the one beside its file, then the others of the folder. */
export function nearestTests(root: string, { file }: Mutant): string[] {
  const folder = join('src', dirname(file))
  const beside = join('src', file.replace(/\.ts$/, '.test.ts'))
  const tests = readdirSync(join(root, folder))
    .filter(name => name.endsWith('.test.ts'))
    .map(name => join(folder, name))
  return [...tests.filter(test => test === beside), ...tests.filter(test => test !== beside)]
}
