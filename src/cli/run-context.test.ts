// Work that signals end, and paths of the documentation: of a checkout, an installed package, a linked one, and one elsewhere.
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createFolder } from '../../test/support/folder.js'
import { type RunContext, runUntilSignal, withDocsPath } from './run-context.js'

const TEXT =
  'The scenario has 1 problem.\n  got   price-feed-mock/docs/x\n  docs  price-feed-mock/docs/scenarios.md\n  code  X'
let folder: string
beforeEach(() => (folder = createFolder(onTestFinished)))

const docsOf = (text: string): string | undefined => /^ {2}docs {2}(.*)$/m.exec(text)?.[1]

it('default: from the checkout and from its parent', () => {
  expect(docsOf(withDocsPath(TEXT, folder, folder))).toBe('docs/scenarios.md')
  expect(withDocsPath(TEXT, folder, folder)).toContain('got   price-feed-mock/docs/x')
  expect(docsOf(withDocsPath(TEXT, folder, join(folder, 'mock')))).toBe('mock/docs/scenarios.md')
})

it('behavior: an installed package, also one that is linked', () => {
  const root = join(folder, 'node_modules', 'price-feed-mock')
  mkdirSync(root, { recursive: true })
  expect(docsOf(withDocsPath(TEXT, folder, root))).toBe('node_modules/price-feed-mock/docs/scenarios.md')
  const app = join(folder, 'app')
  mkdirSync(join(app, 'node_modules'), { recursive: true })
  symlinkSync(root, join(app, 'node_modules', 'price-feed-mock'))
  expect(docsOf(withDocsPath(TEXT, app, root))).toBe('node_modules/price-feed-mock/docs/scenarios.md')
})

it('behavior: the whole path of a package elsewhere', () => {
  expect(docsOf(withDocsPath(TEXT, join(folder, 'app'), join(folder, 'cache')))).toBe(
    `${folder}/cache/docs/scenarios.md`,
  )
})

const CONTEXT: RunContext = { args: [], environment: {}, print: () => {}, report: () => {}, onServing: () => {} }

describe('signals', () => {
  it('default: without one, the result is that of the work', async () => {
    expect(await runUntilSignal(CONTEXT, async () => 7)).toBe(7)
    await expect(runUntilSignal(CONTEXT, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('behavior: %s aborts the work, and gives %d when it is done', async (name, exitCode) => {
    let stop: ((signal: NodeJS.Signals) => Promise<number>) | undefined
    const isDone: string[] = []
    const running = runUntilSignal({ ...CONTEXT, onServing: given => void (stop = given) }, async signal => {
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      isDone.push('done')
      return 1
    })
    expect(await stop!(name)).toBe(exitCode)
    expect(isDone).toEqual(['done'])
    expect(await running).toBe(exitCode)
  })
})
