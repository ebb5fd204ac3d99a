// The list of mutants is up to date: each one matches its source exactly once. `npm run test:mutants` runs the tests against them.
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'
import { MUTANTS } from './list/index.js'
import { mutate, nearestTests, sourcesOf, titleOf } from './mutant.js'
import { sample } from './sample.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

describe('the list', () => {
  it('behavior: every mutant matches exactly once', () => {
    const stale = MUTANTS.flatMap(mutant => {
      try {
        mutate(ROOT, mutant)
        return []
      } catch (error) {
        return [(error as Error).message]
      }
    })
    expect(stale).toEqual([])
  })

  it('behavior: every mutant is another program, and one that parses', () => {
    const broken = MUTANTS.filter(mutant => {
      const { errors } = parseSync(mutant.file, mutate(ROOT, mutant))
      return errors.length > 0 || mutant.find === mutant.replace
    })
    expect(broken.map(titleOf)).toEqual([])
  })

  it('behavior: every mutant has a title of its own, and tests beside it', () => {
    const titles = MUTANTS.map(titleOf)
    expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([])
    expect(MUTANTS.filter(mutant => nearestTests(ROOT, mutant).length === 0).map(titleOf)).toEqual([])
  })

  it('behavior: no fewer than there were, and some in every folder of src', () => {
    const folderOf = (file: string): string => file.slice(0, Math.max(0, file.lastIndexOf('/')))
    const covered = new Set(MUTANTS.map(({ file }) => folderOf(file)))
    const folders = new Set(sourcesOf(ROOT).map(folderOf))
    expect(MUTANTS.length).toBeGreaterThanOrEqual(290)
    expect([...folders].filter(folder => !covered.has(folder))).toEqual([])
  })
})

describe('mutate', () => {
  it('error: a text that is not there, and a file that is not there', () => {
    const mutant = { file: 'version.ts', find: 'no such text', replace: '', why: 'nothing' }
    expect(() => mutate(ROOT, mutant)).toThrow('matches 0 times')
    expect(() => mutate(ROOT, { ...mutant, file: 'gone.ts', find: 'export const VERSION' })).toThrow('version.ts')
  })
})

describe('sample', () => {
  const items = Array.from({ length: 50 }, (_, i) => i)

  it('default: everything, in an order that depends on the seed alone', () => {
    expect(sample(items, 'a').toSorted((a, b) => a - b)).toEqual(items)
    expect(sample(items, 'a')).toEqual(sample(items, 'a'))
    expect(sample(items, 'a')).not.toEqual(sample(items, 'b'))
  })

  it('args: size', () => {
    expect(sample(items, 'a', 5)).toEqual(sample(items, 'a').slice(0, 5))
  })
})
