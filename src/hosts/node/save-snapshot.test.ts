// The command that saves a snapshot: its certificate, and the placeholder of a token.
import { expect, it } from 'vitest'
import { saveSnapshot } from './save-snapshot.js'

const URL_ = 'http://127.0.0.1:4700'

it('default', () => {
  expect(saveSnapshot(URL_, 'default', false)).toBe(
    'curl -sSf -X POST http://127.0.0.1:4700/_mock/sessions/default/snapshot -o snapshot.json && ',
  )
})

it('args: a token, and the certificate of the flags', () => {
  expect(saveSnapshot(URL_, 'a', true, ['--port', '1', '--tls-cert', 'my cert.pem', '--tls-key', 'key.pem'])).toBe(
    `curl -sSf -X POST --cacert 'my cert.pem' -H 'Authorization: Bearer …' ${URL_}/_mock/sessions/a/snapshot -o snapshot.json && `,
  )
})
