// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// The price of every feed that was sent last: one that is up to a minute old replaces a newer one, if it is sent again.
/// examples/evm-foundry has the checks that are left out: feed, expo, sign, range and order of the price.
contract Board {
    struct Price {
        int192 price;
        uint32 ts;
        int32 expo;
    }

    error WrongSigner(address recovered);
    error Stale(uint32 ts);
    error FromFuture(uint32 ts);

    event PriceUpdated(bytes32 indexed feedId, int192 price, uint32 ts);

    address public immutable signer;
    mapping(bytes32 => Price) public prices;

    constructor(address trusted) {
        require(trusted != address(0), "no signer");
        signer = trusted;
    }

    function updatePrice(bytes32 feedId, uint192 price, uint32 ts, int32 expo, bytes calldata signature) external {
        bytes32 digest = keccak256(abi.encodePacked(feedId, price, ts, expo));
        address recovered = ECDSA.recover(digest, signature);
        if (recovered != signer) revert WrongSigner(recovered);
        if (ts + 60 < block.timestamp) revert Stale(ts);
        if (ts > block.timestamp + 5) revert FromFuture(ts);
        prices[feedId] = Price(int192(price), ts, expo);
        emit PriceUpdated(feedId, int192(price), ts);
    }
}
