import { expect, it } from 'vitest'
import { hasValidChecksum } from './checksum.js'

// The examples of https://eips.ethereum.org/EIPS/eip-55.
it.each([
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
])('default: %s', address => {
  expect(hasValidChecksum(address)).toBe(true)
  expect(hasValidChecksum(address.toLowerCase())).toBe(true)
  expect(hasValidChecksum(`0x${address.slice(2).toUpperCase()}`)).toBe(true)
})

it.each(['0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAef'])(
  'error: %s',
  address => {
    expect(hasValidChecksum(address)).toBe(false)
  },
)
