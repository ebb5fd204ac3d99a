// The program with a certificate: its addresses, the environment of `exec`, and its errors.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parsePlainCommand, runPlainCommand } from '../../test/cli/plain-command.js'
import { createShell, type Shell } from '../../test/cli/shell.js'
import { tlsFile } from '../../test/support/tls.js'
import type { Ready } from './banner.js'

let shell: Shell
beforeAll(() => {
  shell = createShell()
  for (const name of ['cert.pem', 'key.pem', 'expired.pem']) cpSync(tlsFile(name), join(shell.folder, name))
})
afterAll(() => shell?.end())

const PAIR = '--tls-cert cert.pem --tls-key key.pem'

it('default: all addresses and printed commands say https', async () => {
  const server = await shell.start(`price-feed-mock --port 0 --history-port 0 --ready json ${PAIR}`)
  const { url, historyUrl, reproduce } = JSON.parse(server.firstLine) as Ready
  for (const address of [url, historyUrl]) expect(address).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
  expect(reproduce).toContain(PAIR)
  const ask = `node -e "fetch('${url}/_mock/info').then(async reply => console.log((await reply.json()).baseUrl), error => console.log(error.cause.code))"`
  expect((await shell.run(`NODE_EXTRA_CA_CERTS=cert.pem ${ask}`)).stdout).toBe(`${url}\n`)
  expect((await shell.run(ask)).stdout).toBe('DEPTH_ZERO_SELF_SIGNED_CERT\n')
  const { exit, stderr } = await server.kill('SIGTERM')
  expect(exit).toBe('0')
  expect(stderr).toContain(`curl --cacert cert.pem -H "Authorization: test-api-key" ${url}/prices/BTCUSD/latest`)
})

it('behavior: a command of exec trusts the certificate, and variables set it', async () => {
  const command = `price-feed-mock exec -- sh -c 'cd / && node -e "fetch(process.env.PRICE_FEED_BASE_URL + \\"/_mock/health\\").then(reply => console.log(reply.url, reply.status))"'`
  const variables = 'PRICE_FEED_MOCK_TLS_CERT=cert.pem PRICE_FEED_MOCK_TLS_KEY=key.pem'
  const { stdout, exit } = await shell.run(`${variables} ${command}`)
  expect([stdout, exit]).toEqual([expect.stringMatching(/^https:\S+ 200\n$/), '0'])
  const chosen = await shell.run(
    `NODE_EXTRA_CA_CERTS=mine.pem price-feed-mock exec ${PAIR} -- printenv NODE_EXTRA_CA_CERTS`,
  )
  expect(chosen.stdout).toBe('mine.pem\n')
})

it.each([
  ['--tls-cert cert.pem', 'OptionsInvalidError: --tls-cert needs --tls-key as well.'],
  ['--tls-key key.pem', 'OptionsInvalidError: --tls-key needs --tls-cert as well.'],
  ['--state-every 5s', 'OptionsInvalidError: --state-every needs --state as well.'],
  ['--tls-cert none.pem --tls-key key.pem', 'FileUnreadableError: There is no file none.pem.'],
  ['--tls-cert cert.pem --tls-key .', 'FileUnreadableError: . is a folder, not a file.'],
  [
    '--tls-cert expired.pem --tls-key key.pem',
    'TlsInvalidError: The TLS certificate expired on Jan  2 00:00:00 2020 GMT.',
  ],
  ['--tls-cert key.pem --tls-key cert.pem', 'TlsInvalidError: The TLS certificate is not a certificate in PEM.'],
])('error: %s', async (options, message) => {
  const command = parsePlainCommand(`price-feed-mock --port 0 ${options}`)!
  const { stdout, stderr, exit } = await runPlainCommand(command, shell.folder)
  expect([stdout, stderr.split('\n', 1)[0], exit]).toEqual(['', message, '2'])
  expect(stderr).not.toContain('PRIVATE KEY')
})
