// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// A vault that values one asset by signed prices, which anyone may bring. It must hold against all that is brought.
contract Vault {
    uint256 private constant MAX_AGE = 60;
    uint256 private constant MAX_FUTURE = 5;
    /// Half of the order of the group: of two signatures of a price only one is accepted (EIP-2).
    uint256 private constant HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    address private immutable signer;
    bytes32 private immutable feed;
    int256 private price;
    uint256 private updatedAt;
    bool private isStopped;

    constructor(address trusted, bytes32 feedId) {
        signer = trusted;
        feed = feedId;
    }

    function updatePrice(bytes32 feedId, uint192 word, uint32 ts, int32 expo, bytes calldata signature) external {
        require(signature.length == 65, "length");
        (bytes32 r, bytes32 s, uint8 v) = (bytes32(signature[0:32]), bytes32(signature[32:64]), uint8(signature[64]));
        require(uint256(s) <= HALF_ORDER && (v == 27 || v == 28), "form");
        address recovered = ecrecover(keccak256(abi.encodePacked(feedId, word, ts, expo)), v, r, s);
        require(recovered != address(0) && recovered == signer, "signer");
        require(feedId == feed, "feed");
        require(expo == -8, "expo");
        int256 next = int256(int192(word));
        require(next > 0 && next == int64(next), "price");
        require(ts <= block.timestamp + MAX_FUTURE, "future");
        require(ts + MAX_AGE >= block.timestamp, "stale");
        require(ts >= updatedAt, "older");
        price = next;
        updatedAt = ts;
    }

    /// The value of one unit in 10^-8 USD. Reverts without a price that may be used.
    function value() external view returns (int256) {
        require(!isStopped && updatedAt != 0 && updatedAt + MAX_AGE >= block.timestamp, "no price");
        return price;
    }
}
