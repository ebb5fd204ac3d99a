// A tape as a Solidity library: fixed records in constants, so that a test reads a tick for little gas. Used by tape.ts.
import { toAsciiJson } from '../outcome.js'
import type { TapeFormat, TapeTick } from './tape.js'

/** Ticks in one constant: a read copies as many, and compares once for each constant before it. */
const CHUNK = 32
/** Price, ts, time; feed id; r; s; v, length of the signature, whether it is good, expo. */
const RECORD = 24 + 4 + 4 + 32 + 32 + 32 + 1 + 1 + 1 + 4

/** Writes the library. */
export const SOLIDITY: TapeFormat = {
  head: (head, ticks) => `// SPDX-License-Identifier: MIT
// ${toAsciiJson(head)}
pragma solidity ^0.8.8;

/// Signed prices of a simulator, by a worthless key. Written by \`price-feed-mock tape --format sol\`.
library Tape {
    /// The key to trust.
    address internal constant SIGNER = address(bytes20(hex"${head.signer.slice(2)}"));
    uint256 internal constant LENGTH = ${ticks};

    /// A reply, \`time\` is the second of its request. Without a price it has no signature, and the other fields are 0.
    struct Tick {
        uint256 time;
        bytes32 feedId;
        uint192 price;
        uint32 ts;
        int32 expo;
        bytes signature;
        bool isGood;
    }

    function get(uint256 i) internal pure returns (Tick memory tick) {
        require(i < LENGTH, "the tape has no such tick");
        bytes memory signature = new bytes(65);
        uint256 free;
        assembly ("memory-safe") {
            free := mload(64)
        }
        bytes memory records = chunk(i / ${CHUNK});
        uint256 offset = 32 + (i % ${CHUNK}) * ${RECORD};
        uint256 numbers = word(records, offset);
        uint256 rest = word(records, offset + 128);
        tick.feedId = bytes32(word(records, offset + 32));
        assembly ("memory-safe") {
            mstore(add(signature, 32), mload(add(records, add(offset, 64))))
            mstore(add(signature, 64), mload(add(records, add(offset, 96))))
            mstore8(add(signature, 96), shr(248, rest))
            mstore(signature, and(shr(240, rest), 255))
            // The records have been read: a long loop would pay for their copies.
            mstore(64, free)
        }
        tick.time = uint32(numbers);
        tick.price = uint192(numbers >> 64);
        tick.ts = uint32(numbers >> 32);
        tick.expo = int32(uint32(rest >> 200));
        tick.signature = signature;
        tick.isGood = uint8(rest >> 232) == 1;
    }

    function word(bytes memory records, uint256 offset) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(records, offset))
        }
    }
`,
  tick(tick, i) {
    const start =
      i % CHUNK === 0
        ? `${i === 0 ? '' : ';\n    }\n'}
    function chunk${i / CHUNK}() private pure returns (bytes memory) {
        return`
        : ''
    return `${start}\n            hex"${toRecord(tick)}"`
  },
  tail(ticks) {
    const chunks = Array.from({ length: Math.ceil(ticks / CHUNK) }, (_, n) => n)
    const cases = chunks.slice(0, -1).map(n => `        if (n == ${n}) return chunk${n}();\n`)
    return `;
    }

    function chunk(uint256 n) private pure returns (bytes memory) {
${cases.join('')}        return chunk${chunks.length - 1}();
    }
}
`
  },
}

/** A record in hex. A reply without calldata has only its time. */
function toRecord({ now, feedId, price, ts, expo, signature, reasons, calldata }: TapeTick): string {
  const hex = (value: number | bigint, bytes: number): string =>
    BigInt.asUintN(8 * bytes, BigInt(value))
      .toString(16)
      .padStart(2 * bytes, '0')
  if (calldata === undefined) return hex(now, 32).padEnd(2 * RECORD, '0')
  const bytes = signature!.slice(2)
  const id = [...feedId!].map(char => hex(char.charCodeAt(0), 1)).join('')
  const isGood = reasons.length === 0 ? 1 : 0
  return [
    hex(price!, 24),
    hex(ts!, 4),
    hex(now, 4),
    id.padStart(64, '0'),
    bytes.padEnd(130, '0'),
    hex(bytes.length / 2, 1),
    hex(isGood, 1),
    hex(expo!, 4),
  ].join('')
}
