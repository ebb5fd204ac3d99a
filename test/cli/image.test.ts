// The settings of the image, without Docker: the five endpoints answer at once, and /_mock/ needs the token that it prints.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createShell, type Running, type Shell } from './shell.js'

const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8')
const variables = Object.fromEntries(
  [...dockerfile.matchAll(/\b(PRICE_FEED_MOCK_\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
)

let shell: Shell
let image: Running
beforeAll(async () => {
  expect(variables.PRICE_FEED_MOCK_HOST).toBe('0.0.0.0')
  // Here it must not be reachable.
  shell = createShell({ NO_COLOR: '1', ...variables, PRICE_FEED_MOCK_HOST: '127.0.0.1' })
  image = await shell.start('price-feed-mock --port 0 --ready json')
})
afterAll(() => shell.end())

it('default: the endpoints and the health check are open, the admin is not', async () => {
  const { url, adminToken } = JSON.parse(image.firstLine) as { url: string; adminToken: string }
  const statusOf = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(url + path, { headers })).status
  expect(await statusOf('/prices/BTCUSD/latest', { authorization: 'test-api-key' })).toBe(200)
  expect(await statusOf('/_mock/health')).toBe(200)
  expect(await statusOf('/_mock/sessions')).toBe(401)
  expect(await statusOf('/_mock/sessions', { authorization: `Bearer ${adminToken}` })).toBe(200)
  expect(adminToken).toMatch(/^[\w-]{32}$/)
  const { stderr } = await image.kill('SIGTERM')
  expect(stderr).toContain(`admin      ${adminToken}`)
})

it('args: a token of your own is not printed', async () => {
  const own = await shell.start('PRICE_FEED_MOCK_ADMIN_TOKEN=token-of-mine price-feed-mock --port 0 --ready json')
  const { stderr } = await own.kill('SIGTERM')
  expect(own.firstLine + stderr).not.toContain('token-of-mine')
})
