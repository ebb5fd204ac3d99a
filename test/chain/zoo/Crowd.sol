// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

interface Valued {
    function value() external view returns (int256);
}

/// Brings the same price to many contracts, and asks all of them at once. The minimum of int256 stands for a revert.
contract Crowd {
    function bring(address[] calldata targets, bytes calldata data) external {
        for (uint256 i = 0; i < targets.length; i++) {
            (bool isAccepted,) = targets[i].call(data);
            isAccepted;
        }
    }

    function values(address[] calldata targets) external view returns (uint256 time, int256[] memory found) {
        time = block.timestamp;
        found = new int256[](targets.length);
        for (uint256 i = 0; i < targets.length; i++) {
            try Valued(targets[i]).value() returns (int256 value) {
                found[i] = value;
            } catch {
                found[i] = type(int256).min;
            }
        }
    }
}
