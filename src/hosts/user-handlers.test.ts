// Loads a user's own handlers and the packages that run them.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { createFolder, writeFiles } from '../../test/support/folder.js'
import { startMock } from '../../test/support/listen.js'
import { loadHttpMiddleware, loadUserHandlers } from './user-handlers.js'

const folder = createFolder()

function write(name: string, text: string): string {
  writeFiles(folder, { [name]: text })
  return join(folder, name)
}

describe('loadUserHandlers', () => {
  /** An object with the shape of an msw handler: the folder has no msw. */
  const HANDLER = `{ kind: 'request', run: async () => ({ response: new Response('from the file') }) }`

  it.each([
    ['handlers.mjs', `export const handlers = [${HANDLER}]`],
    ['default.mjs', `export default [${HANDLER}]`],
    ['common.cjs', `module.exports = { handlers: [${HANDLER}] }`],
    ['list.cjs', `module.exports = [${HANDLER}]`],
  ])('default: %s', async (name, text) => {
    const handlers = await loadUserHandlers(write(name, text))
    const other = await startMock({ handlers })
    expect(await (await fetch(`${other.url}/x`)).text()).toBe('from the file')
  })

  it.each([
    ['none.mjs', ''],
    ['one.mjs', `export const handlers = ${HANDLER}`],
    ['null.mjs', 'export const handlers = [null]'],
    ['socket.mjs', `export const handlers = [{ kind: 'websocket', run: async () => true }]`],
    ['empty.mjs', 'export const handlers = []', 'an empty list'],
  ])('error: %s has no list of them', async (name, text, got = 'no list') => {
    const path = write(name, text)
    const want = expect.stringMatching(/^export const handlers = \[http\.get\('\/path', …\), …\], with `http` of msw;/)
    await expect(loadUserHandlers(path)).rejects.toMatchObject({
      code: 'HANDLERS_INVALID',
      shortMessage: `${path} exports ${got} of request handlers.`,
      details: [
        ['want', want],
        ['at', path],
      ],
    })
  })

  it.each([
    ['syntax.cjs', 'const a = 1\nconst', 'at', /\/syntax\.cjs:2$/],
    ['names.mjs', '\nimport { nope } from "node:fs"', 'at', /\/names\.mjs:2$/],
    [
      'module.cjs',
      'export const handlers = []',
      'fix',
      /^name it \.mjs, or set "type": "module" in its package\.json$/,
    ],
    ['syntax.mjs', 'const a = 1\nconst', 'fix', /^node --check .*syntax\.mjs prints the line$/],
    ['waits.mjs', 'await new Promise(() => {})', 'at', /waits\.mjs$/],
    ['typed.tsx', 'export const handlers: unknown[] = []', 'fix', /^write it in JavaScript; \.ts is read by Node 22/],
  ])('error: %s, and where or what to do', async (name, text, label, value) => {
    expect(inject('buildProblem')).toBe('')
    // In a process of its own: what is imported here goes through vitest, whose errors are others.
    const script = `const { loadUserHandlers } = await import('${new URL('../../dist/hosts/user-handlers.js', import.meta.url)}')
      await loadUserHandlers(process.argv[1]).catch(({ code, details }) => console.log(JSON.stringify({ code, details })))`
    const args = ['--input-type=module', '--eval', script, write(name, text)]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(JSON.parse(stdout)).toEqual({
      code: 'FILE_UNREADABLE',
      details: expect.arrayContaining([[label, expect.stringMatching(value)]]),
    })
  })

  it.each([
    ['throws.mjs', 'throw new Error("no\\nway")', /cannot be loaded: no$/],
    ['syntax.mjs', 'export const', /cannot be loaded: /],
    ['imports.mjs', 'import "nothing-of-that-name"', /cannot be loaded: Cannot find package 'nothing-of-that-name'/],
  ])('error: %s cannot be loaded', async (name, text, shortMessage) => {
    const path = write(name, text)
    await expect(loadUserHandlers(path)).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      shortMessage: expect.stringMatching(shortMessage),
      details: expect.arrayContaining([['at', path]]),
    })
  })

  it('error: there is no such file', async () => {
    await expect(loadUserHandlers('nowhere/handlers.mjs')).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      shortMessage: 'There is no file nowhere/handlers.mjs.',
    })
  })
})

describe('loadHttpMiddleware', () => {
  /** A project with packages of some versions. */
  const createProject = (name: string, versions: Readonly<Record<string, string>>): string => {
    for (const [id, version] of Object.entries(versions)) {
      write(`${name}/node_modules/${id}/package.json`, JSON.stringify({ name: id, version, main: 'index.cjs' }))
      write(`${name}/node_modules/${id}/index.cjs`, `exports.createMiddleware = () => '${version}'`)
    }
    return join(folder, name, 'package.json')
  }
  const FIX = /fix {3}npm install --save-dev msw@2 @mswjs\/http-middleware\n/

  it('default: it is beside this package', () => expect(loadHttpMiddleware()).toBeTypeOf('function'))

  it('args: places, of which the first that has it counts', () => {
    const without = createProject('without', {})
    const first = createProject('first', { msw: '2.15.0', '@mswjs/http-middleware': '0.10.3' })
    const second = createProject('second', { msw: '2.16.0', '@mswjs/http-middleware': '0.10.4' })
    expect(loadHttpMiddleware([without, first, second])()).toBe('0.10.3')
  })

  it.each([
    ['nothing', {}, '@mswjs/http-middleware is not installed'],
    ['msw alone', { msw: '2.15.0' }, '@mswjs/http-middleware is not installed'],
    ['http-middleware alone', { '@mswjs/http-middleware': '0.10.3' }, 'msw is not installed'],
    ['msw 3', { msw: '3.0.5', '@mswjs/http-middleware': '0.10.3' }, 'msw 3.0.5 is installed'],
    ['msw 1', { msw: '1.3.5', '@mswjs/http-middleware': '0.10.3' }, 'msw 1.3.5 is installed'],
  ])('error: %s', (name, versions, reason) => {
    const load = () => loadHttpMiddleware([createProject(name, versions)])
    expect(load).toThrow(`Handlers of your own need msw 2 and @mswjs/http-middleware, but ${reason}.`)
    expect(load).toThrow(FIX)
  })
})
