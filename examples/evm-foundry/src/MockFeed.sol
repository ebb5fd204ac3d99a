// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {PriceFeed} from "./PriceFeed.sol";

/// The interface by which most contracts read a price.
interface AggregatorV3Interface {
    function decimals() external view returns (uint8);
    function description() external view returns (string memory);
    function version() external view returns (uint256);
    function getRoundData(uint80 roundId) external view returns (uint80, int256, uint256, uint256, uint80);
    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80);
}

/// One feed on the chain: anyone can bring a signed price, and readers see it as a round.
contract MockFeed is AggregatorV3Interface {
    struct Round {
        int256 answer;
        uint256 updatedAt;
    }

    error NoRound(uint80 roundId);

    event PriceUpdated(uint80 indexed roundId, int256 price, uint256 ts);

    uint256 public constant version = 1;
    string public description;
    uint8 public immutable decimals;
    PriceFeed.Policy private policy;
    uint80 private latest;
    mapping(uint80 => Round) private rounds;

    constructor(string memory feed, PriceFeed.Policy memory trusted) {
        if (trusted.signer == address(0)) revert PriceFeed.SignerUnset();
        require(trusted.expo <= 0 && trusted.expo >= -255, "decimals");
        description = feed;
        policy = trusted;
        decimals = uint8(uint32(-trusted.expo));
    }

    /// Stores a signed price. The calldata comes from `toCalldata` of price-feed-mock/chain.
    function updatePrice(bytes32 feedId, uint192 price, uint32 ts, int32 expo, bytes calldata signature) external {
        PriceFeed.Signed memory signed = PriceFeed.Signed(feedId, price, ts, expo, signature);
        int256 answer = PriceFeed.check(signed, policy, rounds[latest].updatedAt);
        // Every second has one price: the same one again is no new round.
        if (latest != 0 && ts == rounds[latest].updatedAt) return;
        latest += 1;
        rounds[latest] = Round(answer, ts);
        emit PriceUpdated(latest, answer, ts);
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return getRoundData(latest);
    }

    function getRoundData(uint80 roundId) public view returns (uint80, int256, uint256, uint256, uint80) {
        Round memory round = rounds[roundId];
        if (round.updatedAt == 0) revert NoRound(roundId);
        return (roundId, round.answer, round.updatedAt, round.updatedAt, roundId);
    }
}
