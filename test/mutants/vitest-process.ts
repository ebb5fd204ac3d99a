// A process of `npm run test:mutants`: Vitest stays loaded, and runs the test files that it is sent: until the first that fails, or all.
import { relative } from 'node:path'
import { createVitest, type TestModule } from 'vitest/node'

/** An order to the process: absolute paths of the tests, and of the source that has changed; without one, all of the tests run. */
export type Order = { readonly tests: readonly string[]; readonly changed: string | undefined }
/** The first test that fails. */
export type Failure = { readonly file: string; readonly title: string }

const options = { config: 'mutants.config.ts', mode: 'full', watch: false, reporters: [{}] }
const vitest = await createVitest('test', options, { mode: 'full', logLevel: 'silent' })
/** The source that held the last mutant, and is whole again. */
let last: string | undefined

process.on('message', async ({ tests, changed }: Order) => {
  // Otherwise failures of earlier runs count, and the workers keep modules of the last mutant.
  for (const { config } of vitest.projects) config.bail = changed === undefined ? 0 : 1
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  for (const file of new Set([last, changed]))
    if (file !== undefined) {
      vitest.invalidateFile(file)
      vitest.watcher.invalidates.add(file)
    }
  last = changed
  const wanted = new Set(tests)
  const specifications = (await vitest.globTestSpecifications([...tests])).filter(({ moduleId }) =>
    wanted.has(moduleId),
  )
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  const [other] = unhandledErrors as Error[]
  // Those without a test that failed may have been cut short by the others.
  const isCut = (module: TestModule): boolean => [...module.children.allTests('failed')].length === 0
  const modules = testModules.toSorted((a, b) => Number(isCut(a)) - Number(isCut(b)))
  const failures = modules.flatMap(module => failureOf(module) ?? [])
  process.send!(failures.length > 0 || other === undefined ? failures : [{ file: '', title: other.message }])
})
process.send!('ready')

/**
 * A file can fail without a test that does: the mutant throws while it is imported, or in a hook, after which tests are skipped. One
 * that is cut short while its tests run beside each other counts as ok, also where some have failed.
 */
function failureOf(module: TestModule): Failure | undefined {
  const [failed] = module.children.allTests('failed')
  if (failed === undefined && module.ok()) return undefined
  const [error] = [module, ...module.children.allSuites()].flatMap(part => part.errors())
  const title = failed?.fullName ?? error?.message.split('\n', 1)[0] ?? 'fails as a whole'
  return { file: relative(vitest.config.root, module.moduleId), title }
}
