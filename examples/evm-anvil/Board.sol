// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// The last signed price of every feed. examples/evm-foundry has the checks that it leaves out: feed, expo, sign and range of the price.
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
