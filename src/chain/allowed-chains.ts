// The chains that a relay may write to: local ones, and those that its user has named.
import { hexToBytes } from '@noble/hashes/utils.js'
import { nearest, PriceFeedMockError } from '../errors.js'
import { createSigner } from '../signing/signer.js'
import { testSigners } from '../signing/verify.js'

/** Anvil and Hardhat; geth --dev and Ganache; Ganache with a window; Nitro of Arbitrum. */
const LOCAL_CHAINS: ReadonlySet<number> = new Set([31_337, 1337, 5777, 412_346])

/** Names of public networks. Every other network has its number as its name. */
const CHAIN_NAMES: Readonly<Record<string, number>> = {
  mainnet: 1,
  optimism: 10,
  bsc: 56,
  gnosis: 100,
  unichain: 130,
  polygon: 137,
  zksync: 324,
  base: 8453,
  arbitrum: 42_161,
  celo: 42_220,
  avalanche: 43_114,
  linea: 59_144,
  scroll: 534_352,
  sepolia: 11_155_111,
  hoodi: 560_048,
  'base-sepolia': 84_532,
  'arbitrum-sepolia': 421_614,
  'optimism-sepolia': 11_155_420,
  'polygon-amoy': 80_002,
}

/** The id of a chain by its name or number; undefined for anything else. */
export function toChainId(name: string): number | undefined {
  if (/^[1-9]\d{0,14}$/.test(name)) return Number(name)
  const known = name.toLowerCase()
  // `constructor` is in every object.
  return Object.hasOwn(CHAIN_NAMES, known) ? CHAIN_NAMES[known] : undefined
}

/** The wish for a chain in messages, with the nearest name. */
export function wantChain(name: string): string {
  const closest = nearest(name, Object.keys(CHAIN_NAMES))
  return `the name or the id of a chain, such as sepolia or 11155111${closest === undefined ? '' : `; closest: ${closest}`}`
}

/**
 * Asserts that mock prices may go to a chain.
 * @param allowed ids of chains besides local ones
 * @param account the address that pays, if its key is the user's
 * @throws PriceFeedMockError OPTIONS_INVALID
 */
export function assertChain(id: number, allowed: readonly number[], account?: string): void {
  if (LOCAL_CHAINS.has(id)) return
  const name = Object.keys(CHAIN_NAMES).find(known => CHAIN_NAMES[known] === id)
  const shown = name === undefined ? String(id) : `${id} (${name})`
  if (!allowed.includes(id))
    throw new PriceFeedMockError(
      'OPTIONS_INVALID',
      `Chain ${shown} is not a local chain, so it gets no prices of a mock.`,
      {
        want: 'a local chain such as anvil, whose id is 31337',
        fix: `anvil --chain-id 31337 for a fork, or --allow-chain ${name ?? id} if you mean that chain`,
      },
    )
  if (account !== undefined && isPublicAccount(account))
    throw new PriceFeedMockError(
      'OPTIONS_INVALID',
      `The key of the relay is public, and chain ${shown} is not local.`,
      { want: 'a key of your own: everybody can spend what this account holds', note: `its address is ${account}` },
    )
}

/** Accounts 0 to 19 of anvil and Hardhat, and 0 to 9 of Ganache and of Truffle, by their documented mnemonics. */
const DEFAULT_ACCOUNTS: ReadonlySet<string> = new Set(
  `
  0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
  0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc 0x90f79bf6eb2c4f870365e785982e1f101e93b906
  0x15d34aaf54267db7d7c367839aaf71a00a2c6a65 0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc
  0x976ea74026e726554db657fa54763abd0c3a0aa9 0x14dc79964da2c08b23698b3d3cc7ca32193d9955
  0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f 0xa0ee7a142d267c1f36714e4a8f75612f20a79720
  0xbcd4042de499d14e55001ccbb24a551f3b954096 0x71be63f3384f5fb98995898a86b02fb2426c5788
  0xfabb0ac9d68b0b445fb7357272ff202c5651694a 0x1cbd3b2770909d4e10f157cabc84c7264073c9ec
  0xdf3e18d64bc6a983f673ab319ccae4f1a57c7097 0xcd3b766ccdd6ae721141f452c550ca635964ce71
  0x2546bcd3c84621e976d8185a91a922ae77ecec30 0xbda5747bfd65f08deb54cb465eb87d40e51b197e
  0xdd2fd4581271e230360230f9337d5c0430bf44c0 0x8626f6940e2eb28930efb4cef49b2d1f2c9c1199
  0x90f8bf6a479f320ead074411a4b0e7944ea8c9c1 0xffcf8fdee72ac11b5c542428b35eef5769c409f0
  0x22d491bde2303f2f43325b2108d26f1eaba1e32b 0xe11ba2b4d45eaed5996cd0823791e0c93114882d
  0xd03ea8624c8c5987235048901fb614fdca89b117 0x95ced938f7991cd0dfcb48f0a06a40fa1af46ebc
  0x3e5e9111ae8eb78fe1cc3bb8915d5d461f3ef9a9 0x28a8746e75304c0780e011bed21c72cd78cd535e
  0xaca94ef8bd5ffee41947b4585a84bda5a3d3da6e 0x1df62f291b2e969fb0849d99d9ce41e2f137006e
  0x627306090abab3a6e1400e9345bc60c78a8bef57 0xf17f52151ebef6c7334fad080c5704d77216b732
  0xc5fdf4076b8f3a5357c5e395ab970b5b54098fef 0x821aea9a577a9b44299b9c15c88cf3087f3b5544
  0x0d1d4e623d10f9fba5db95830f7d3839406c6af2 0x2932b7a2355d6fecc4b5c0b6bd44cc31df247a2e
  0x2191ef87e392377ec08e7c08eb105ef5448eced5 0x0f4f2ac550a1b4e2280d04c21cea7ebd822934b5
  0x6330a553fc93768f612722bb8c2ec78ac90b3bbc 0x5aeda56215b167893e80b4fe645ba6d5bab767de
  `.match(/0x\w+/g),
)

/** Whether everybody has the key of an address: a default account, a test key of the mock, or a key from 1 to 10. */
function isPublicAccount(address: string): boolean {
  return (
    DEFAULT_ACCOUNTS.has(address) ||
    testSigners().some(signer => signer.address === address) ||
    Array.from({ length: 10 }, (_, i) => (i + 1).toString(16).padStart(64, '0')).some(
      key => createSigner(hexToBytes(key)).address === address,
    )
  )
}
