// Mutants of the encoders for chains and of the relay.
import type { Mutant } from '../mutant.js'

export const CHAIN: readonly Mutant[] = [
  {
    file: 'chain/instruction.ts',
    find: 'for (const at of INDEX_PLACES) data[at] = index',
    replace: '',
    why: 'the instruction names another one as its data',
  },
  {
    file: 'chain/instruction.ts',
    find: 'if (bytes <= maxBytes) return',
    replace: 'if (bytes <= 2 * maxBytes) return',
    why: 'a batch that no packet can hold is encoded',
  },
  {
    file: 'chain/calldata.ts',
    find: "assertFits('ts', ts, 0n, 1n << 32n)",
    replace: "assertFits('ts', ts, 0n, 1n << 64n)",
    why: 'a time beyond 32 bits is encoded',
  },
  {
    file: 'chain/calldata.ts',
    find: 'integer < min || integer >= end',
    replace: 'integer < 0n || integer >= end',
    why: 'a negative price has no calldata',
  },
  {
    file: 'chain/clock.ts',
    find: 'if (second < before) throw ahead(second, before)',
    replace: '',
    why: 'a chain that is ahead is asked to go back',
  },
  {
    file: 'chain/clock.ts',
    find: 'if (chainSecond !== mockSecond) await target.write(mockSecond, chainSecond)',
    replace: 'await target.write(mockSecond, chainSecond)',
    why: 'a block is mined although the clocks agree',
  },
  {
    file: 'chain/relay.ts',
    find: 'if (lastSignatures.get(price.feedId) === price.signature) continue',
    replace: '',
    why: 'a price is pushed twice',
  },
  {
    file: 'chain/relay.ts',
    find: "if (code === '0x') throw",
    replace: "if (code === '0x00') throw",
    why: 'an address without a contract is accepted',
  },
]
