// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// Decodes and checks a signed price of the EVM form. Every check has an error of its own.
library PriceFeed {
    /// A price as it was signed: the words of an evm reply.
    struct Signed {
        bytes32 feedId;
        uint192 price;
        uint32 ts;
        int32 expo;
        bytes signature;
    }

    /// The trusted signer, and the limits of a consumer.
    struct Policy {
        address signer;
        bytes32 feedId;
        int32 expo;
        uint32 maxAge;
        uint32 maxFuture;
    }

    error SignerUnset();
    error WrongSigner(address recovered);
    error WrongFeed(bytes32 feedId);
    error WrongExpo(int32 expo);
    error OutOfRange(int256 price);
    error NotPositive(int256 price);
    error FromFuture(uint256 ts, uint256 nowAt);
    error Stale(uint256 ts, uint256 nowAt);
    error Older(uint256 ts, uint256 last);

    /// The bytes that the service signs, hashed.
    function digest(Signed memory signed) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked(signed.feedId, signed.price, signed.ts, signed.expo));
    }

    /// The price as a number. The signed word is two's complement, so a cast would turn a loss into a fortune.
    function decode(Signed memory signed) internal pure returns (int256) {
        return int256(int192(signed.price));
    }

    /// Reverts unless the price is genuine, of the expected feed, plausible, and no older than the last one.
    function check(Signed memory signed, Policy memory policy, uint256 last) internal view returns (int256 price) {
        // ecrecover answers the zero address for nonsense: an unset signer would accept it. OpenZeppelin rejects that, a high s,
        // and every length but 65.
        if (policy.signer == address(0)) revert SignerUnset();
        address recovered = ECDSA.recover(digest(signed), signed.signature);
        if (recovered != policy.signer) revert WrongSigner(recovered);
        if (signed.feedId != policy.feedId) revert WrongFeed(signed.feedId);
        if (signed.expo != policy.expo) revert WrongExpo(signed.expo);
        price = decode(signed);
        // A price is an int64; the word has room for more.
        if (price != int64(price)) revert OutOfRange(price);
        if (price <= 0) revert NotPositive(price);
        // Additions: a subtraction would underflow for a price from the future, or for a chain that starts at 1.
        if (signed.ts > block.timestamp + policy.maxFuture) revert FromFuture(signed.ts, block.timestamp);
        if (signed.ts + uint256(policy.maxAge) < block.timestamp) revert Stale(signed.ts, block.timestamp);
        if (signed.ts < last) revert Older(signed.ts, last);
    }
}
