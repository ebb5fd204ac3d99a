// Signatures of replies verify against the signer of /_mock/info (interface 2.1).
// test/signatures.test.ts compares the signed bytes with another implementation.
import { expect, it } from 'vitest'
import { createMock } from '../../src/index.js'
import { type RecoverOptions, verify } from '../../src/signing/verify.js'
import { ask } from '../support/ask.js'
import { describeHosts, type Host } from '../support/hosts.js'

const IDS = 'BTCUSD,ETHUSD,EURUSD,USDCUSD,SHIBUSD,XAUUSD'
const SIGNED: readonly (readonly [path: string, signatures: number])[] = [
  [`/prices/batch?feedIds=${IDS}`, 1],
  [`/prices/queryHistory?feedIds=${IDS}&minutes=60`, 12],
  [`/prices/evm/crypto?feedIds=${IDS}`, 6],
  ['/prices/BTCUSD/latest', 1],
]
const addressOf = async (host: Host): Promise<string> =>
  JSON.parse((await host.request('/_mock/info')).body).signer.address
const verifyBody = async (host: Host, path: string, options: RecoverOptions = {}) =>
  verify(await ask(host, path), { signers: [await addressOf(host)], ...options })

describeHosts('signatures', start => {
  const host = start()

  it.each(SIGNED)('default: %s', async (path, signatures) => {
    expect(await verifyBody(host, path)).toHaveLength(signatures)
  })
})

it('error: a price that outgrows its layout: createMock rejects it, also for a feed that only might reach it', () => {
  const wild = { id: 'WILDUSD', base: 5000, drivers: { WILDUSD: 2 } }
  // Twice the base would fit into 40 bits.
  const narrow = { fields: ['price:u40le'], digest: 'sha256', prefix: 'none', signature: 'rs', hexPrefix: '' } as const
  const signing = { svm: 'narrow', layouts: { narrow: { ...narrow, fields: [...narrow.fields] } } }
  expect(() => createMock({ feeds: { extends: 'none', feeds: [wild] }, signing })).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      problems: [expect.objectContaining({ at: 'signing.layouts.narrow' })],
    }),
  )
})
