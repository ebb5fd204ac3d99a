// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MockFeed} from "../src/MockFeed.sol";
import {PriceFeed} from "../src/PriceFeed.sol";

/// The cheat codes of forge that these tests use.
interface Vm {
    function readFile(string calldata path) external view returns (string memory);
    function parseJsonUint(string calldata json, string calldata key) external pure returns (uint256);
    function parseJsonAddress(string calldata json, string calldata key) external pure returns (address);
    function parseJsonBytes32(string calldata json, string calldata key) external pure returns (bytes32);
    function parseJsonBytes(string calldata json, string calldata key) external pure returns (bytes memory);
    function parseJsonBytesArray(string calldata json, string calldata key) external pure returns (bytes[] memory);
    function parseJsonStringArray(string calldata json, string calldata key) external pure returns (string[] memory);
    function warp(uint256 timestamp) external;
}

/// Replays tape.json: each fault is rejected for its own reason, and its good twin is accepted by the same contract.
contract MockFeedTest {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    string private tape;
    string[] private names;
    bytes[] private calls;
    MockFeed private feed;

    function setUp() public {
        tape = vm.readFile("./tape.json");
        names = vm.parseJsonStringArray(tape, ".names");
        calls = vm.parseJsonBytesArray(tape, ".calldata");
        feed = deploy(vm.parseJsonAddress(tape, ".signer"));
        // Forge starts at 1, where every price is from the future.
        vm.warp(vm.parseJsonUint(tape, ".now"));
    }

    function deploy(address signer) private returns (MockFeed) {
        bytes32 feedId = vm.parseJsonBytes32(tape, ".feedId");
        return new MockFeed("ETH / USD", PriceFeed.Policy(signer, feedId, -8, 60, 5));
    }

    function send(bytes memory data) private returns (bytes4 reason) {
        (bool success, bytes memory result) = address(feed).call(data);
        if (success) return 0;
        require(result.length >= 4, "rejected without a reason");
        return bytes4(result);
    }

    function good() private view returns (bytes memory) {
        return vm.parseJsonBytes(tape, ".good");
    }

    function faulty(string memory name) private view returns (bytes memory) {
        for (uint256 i = 0; i < names.length; i++) {
            if (keccak256(bytes(names[i])) == keccak256(bytes(name))) return calls[i];
        }
        revert("no such fault in tape.json");
    }

    function rejects(string memory name, bytes4 reason) private {
        require(send(faulty(name)) == reason, name);
        require(send(good()) == 0, "the good twin is rejected");
    }

    function test_calm() public {
        require(send(good()) == 0, "rejected");
        (uint80 round, int256 answer,, uint256 updatedAt,) = feed.latestRoundData();
        require(round == 1 && feed.decimals() == 8, "round or decimals");
        require(answer == int256(vm.parseJsonUint(tape, ".price")), "price");
        require(updatedAt == vm.parseJsonUint(tape, ".ts"), "ts");
    }

    function test_the_same_price_again_is_no_new_round() public {
        require(send(good()) == 0 && send(good()) == 0, "rejected");
        (uint80 round,,,,) = feed.latestRoundData();
        require(round == 1, "a second round");
    }

    function test_every_fault_of_the_tape_has_a_test() public view {
        require(names.length == 16 && calls.length == 16, "add the new fault below");
    }

    function test_wrong_signer() public {
        rejects("signature/wrong-signer", PriceFeed.WrongSigner.selector);
    }

    function test_tampered_price() public {
        rejects("signature/tampered-price", PriceFeed.WrongSigner.selector);
    }

    function test_tampered_ts() public {
        rejects("signature/tampered-ts", PriceFeed.WrongSigner.selector);
    }

    function test_replay() public {
        rejects("signature/replay", PriceFeed.WrongSigner.selector);
    }

    function test_wrong_recovery_id() public {
        rejects("signature/wrong-recovery-id", PriceFeed.WrongSigner.selector);
    }

    /// A flipped bit recovers another key, or none.
    function test_bit_flip() public {
        bytes4 reason = send(faulty("signature/bit-flip"));
        require(reason == PriceFeed.WrongSigner.selector || reason == ECDSA.ECDSAInvalidSignature.selector, "reason");
        require(send(good()) == 0, "the good twin is rejected");
    }

    function test_high_s() public {
        rejects("signature/high-s", ECDSA.ECDSAInvalidSignatureS.selector);
    }

    function test_all_zero() public {
        rejects("signature/all-zero", ECDSA.ECDSAInvalidSignature.selector);
    }

    function test_truncated() public {
        rejects("signature/truncated", ECDSA.ECDSAInvalidSignatureLength.selector);
    }

    function test_evm_v_parity() public {
        rejects("signature/evm-v-parity", ECDSA.ECDSAInvalidSignature.selector);
    }

    function test_ts_skew() public {
        rejects("tick/ts-skew", PriceFeed.FromFuture.selector);
    }

    function test_zero() public {
        rejects("tick/zero", PriceFeed.NotPositive.selector);
    }

    function test_negative() public {
        rejects("tick/negative", PriceFeed.NotPositive.selector);
    }

    function test_wrong_expo() public {
        rejects("tick/wrong-expo", PriceFeed.WrongExpo.selector);
    }

    /// An older price is genuine: only the last one shows that it comes too late.
    function test_ts_backwards() public {
        require(send(good()) == 0, "rejected");
        require(send(faulty("tick/ts-backwards")) == PriceFeed.Older.selector, "reason");
    }

    /// A price above 2^53 is exact on the chain.
    function test_unsafe_integer() public {
        require(send(faulty("tick/unsafe-integer")) == 0, "rejected");
        (, int256 answer,,,) = feed.latestRoundData();
        require(answer == 9007199254740993, "rounded");
    }

    function test_other_feed() public {
        require(send(vm.parseJsonBytes(tape, ".otherFeed")) == PriceFeed.WrongFeed.selector, "reason");
    }

    function test_stale() public {
        vm.warp(vm.parseJsonUint(tape, ".now") + 5 minutes);
        require(send(good()) == PriceFeed.Stale.selector, "reason");
    }

    function test_a_chain_at_its_default_time() public {
        vm.warp(1);
        require(send(good()) == PriceFeed.FromFuture.selector, "reason");
    }

    function test_signer_unset() public {
        try this.deployUnset() {
            revert("deployed");
        } catch (bytes memory reason) {
            require(bytes4(reason) == PriceFeed.SignerUnset.selector, "reason");
        }
    }

    function deployUnset() external {
        deploy(address(0));
    }
}
