import { expect, it } from 'vitest'
import { createSend } from './relay.js'

it('error: viem is not installed', async () => {
  const rpc = { request: () => Promise.reject(new Error('not asked')) }
  const key = '42'.repeat(32)
  const error = await createSend(rpc, key, ['/nowhere/package.json']).catch((each: Error) => each)
  expect(error).toMatchInlineSnapshot(`
    [ModuleUnavailableError: A key of your own needs viem, which is not installed.
      fix   npm install --save-dev viem, or leave out the key: anvil signs for its own accounts
      code  MODULE_UNAVAILABLE]
  `)
  expect(String(error)).not.toContain(key)
})
