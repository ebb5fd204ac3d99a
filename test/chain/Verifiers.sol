// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// Three ways to verify a signed price, without the checks of a consumer: to see what the chain itself accepts.
contract Verifiers {
    struct Price {
        bytes32 feedId;
        uint192 price;
        uint32 ts;
        int32 expo;
        bytes signature;
    }

    error WrongSigner();

    function bare(address signer, Price calldata price) external pure {
        compare(signer, recover(price, uint8(price.signature[64])));
    }

    /// With the line `if (v < 27) v += 27`, which many contracts have.
    function adjusted(address signer, Price calldata price) external pure {
        uint8 v = uint8(price.signature[64]);
        if (v < 27) v += 27;
        compare(signer, recover(price, v));
    }

    function openZeppelin(address signer, Price calldata price) external pure {
        compare(signer, ECDSA.recover(digest(price), price.signature));
    }

    function recover(Price calldata price, uint8 v) private pure returns (address) {
        return ecrecover(digest(price), v, bytes32(price.signature[0:32]), bytes32(price.signature[32:64]));
    }

    function digest(Price calldata price) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(price.feedId, price.price, price.ts, price.expo));
    }

    function compare(address signer, address recovered) private pure {
        if (recovered != signer) revert WrongSigner();
    }
}
