// The mistakes that are tried: their operators, and the sample of a run.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { mutantsOf } from './operators.js'
import { titleOf } from './sample.js'

const linesOf = (source: string): string[] => mutantsOf('a.ts', source).map(({ after }) => after)

it('default: comparisons, arithmetic, conditions and literals', () => {
  expect(linesOf('if (a < 1 && b) c()')).toEqual([
    'if (!(a < 1 && b)) c()',
    'if (a < 1 || b) c()',
    'if (a <= 1 && b) c()',
    'if (a < 2 && b) c()',
    'if (a < 1 && b) {}',
  ])
  expect(linesOf("const d = -e * f ?? 'g'")).toEqual([
    "const d = 'g'",
    "const d = -e / f ?? 'g'",
    "const d = e * f ?? 'g'",
    "const d = -e * f ?? ''",
  ])
})

it('default: methods, optional chains, parts of literals and empty returns', () => {
  expect(linesOf('const a = b?.c.slice(d)')).toEqual(['const a = b?.c', 'const a = b!.c.slice(d)'])
  expect(linesOf('const a = [b, c]')).toEqual(['const a = [c]', 'const a = [b, ]'])
  expect(linesOf('function a(): string { return b }')).toEqual(["function a(): string { return '' }"])
  expect(linesOf('function a(): boolean { return b }')).toEqual(['function a(): boolean { return !(b) }'])
})

it('behavior: types and imports have none', () => {
  expect(linesOf("import { a } from 'a'\ntype B = 'b' | 1\ninterface C { d: 'e' }")).toEqual([])
})

it('behavior: those that count as equivalent are mistakes of the sources as they are, each once', () => {
  const blocks = readFileSync(new URL('equivalents.txt', import.meta.url), 'utf8').match(/^src\/.*\n- .*\n\+ .*$/gm)!
  const known = (title: string): number => {
    const file = title.slice('src/'.length, title.indexOf('\n'))
    const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')
    return mutantsOf(file, source).filter(mutant => titleOf(mutant) === title).length
  }
  expect(blocks.filter(title => known(title) === 0)).toEqual([])
  expect(new Set(blocks).size).toBe(blocks.length)
})
