// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MockFeed} from "../src/MockFeed.sol";
import {PriceFeed} from "../src/PriceFeed.sol";
import {Tape} from "../tapes/Tape.sol";

/// The cheat codes of forge that these tests use.
interface Vm {
    function readFile(string calldata path) external view returns (string memory);
    function keyExistsJson(string calldata json, string calldata key) external view returns (bool);
    function parseJsonUint(string calldata json, string calldata key) external pure returns (uint256);
    function parseJsonString(string calldata json, string calldata key) external pure returns (string memory);
    function parseJsonAddress(string calldata json, string calldata key) external pure returns (address);
    function parseJsonBytes(string calldata json, string calldata key) external pure returns (bytes memory);
    function toString(uint256 value) external pure returns (string memory);
    function warp(uint256 timestamp) external;
}

/// Replays tapes: each fault is rejected for its own reason, and its good twin is accepted by the same contract.
contract MockFeedTest {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    /// In the EVM form, the text of an id is at the right.
    bytes32 private constant FEED = bytes32(uint256(uint48(bytes6("ETHUSD"))));
    uint256 private constant TICKS = 28;

    string private calm;
    string private signatures;
    string private ticks;
    MockFeed private feed;

    function setUp() public {
        calm = vm.readFile("./tapes/calm.json");
        signatures = vm.readFile("./tapes/signature-matrix.json");
        ticks = vm.readFile("./tapes/ticks.json");
        feed = deploy(vm.parseJsonAddress(calm, ".signer"));
        // Forge starts at 1, where every price is from the future.
        vm.warp(vm.parseJsonUint(calm, path(0, "now")));
    }

    function deploy(address signer) private returns (MockFeed) {
        return new MockFeed("ETH / USD", PriceFeed.Policy(signer, FEED, -8, 60, 5));
    }

    /// The path to a field of a tick.
    function path(uint256 i, string memory field) private pure returns (string memory) {
        return string.concat(".ticks[", vm.toString(i), "].", field);
    }

    function send(bytes memory data) private returns (bytes4 reason) {
        (bool success, bytes memory result) = address(feed).call(data);
        if (success) return 0;
        require(result.length >= 4, "rejected without a reason");
        return bytes4(result);
    }

    function good(uint256 i) private view returns (bytes memory) {
        return vm.parseJsonBytes(calm, path(i, "calldata"));
    }

    /// The tick of a fault.
    function find(string memory tape, string memory fault) private view returns (uint256) {
        for (uint256 i = 0; i < TICKS; i++) {
            if (!vm.keyExistsJson(tape, path(i, "faults[0]"))) continue;
            if (keccak256(bytes(vm.parseJsonString(tape, path(i, "faults[0]")))) == keccak256(bytes(fault))) return i;
        }
        revert(string.concat("no tick with ", fault));
    }

    /// Sends the tick of a fault at its time, then its good twin.
    function replay(string memory tape, string memory fault) private returns (bytes4 reason) {
        uint256 i = find(tape, fault);
        vm.warp(vm.parseJsonUint(tape, path(i, "now")));
        reason = send(vm.parseJsonBytes(tape, path(i, "calldata")));
        require(send(good(i)) == 0, "the good twin is rejected");
    }

    function rejects(string memory fault, bytes4 reason) private {
        bool isTick = bytes(fault)[0] == "t";
        require(replay(isTick ? ticks : signatures, fault) == reason, fault);
    }

    function test_calm() public {
        require(send(good(0)) == 0, "rejected");
        (uint80 round, int256 answer,, uint256 updatedAt,) = feed.latestRoundData();
        require(round == 1 && feed.decimals() == 8, "round or decimals");
        require(answer == int256(vm.parseJsonUint(calm, path(0, "price"))), "price");
        require(updatedAt == vm.parseJsonUint(calm, path(0, "ts")), "ts");
    }

    function test_a_whole_tape() public {
        for (uint80 i = 0; i < TICKS; i++) {
            vm.warp(vm.parseJsonUint(calm, path(i, "now")));
            require(send(good(i)) == 0, "rejected");
            (uint80 round,,,,) = feed.latestRoundData();
            require(round == i + 1, "round");
        }
    }

    /// Forge calls it with 256 random pairs. A tape as JSON would cost a hundred times the gas.
    function testFuzz_rounds_in_any_order(uint256 i, uint256 j) public {
        Tape.Tick memory first = Tape.get(i % Tape.LENGTH);
        Tape.Tick memory second = Tape.get(j % Tape.LENGTH);
        update(first);
        (, int256 answer,, uint256 updatedAt,) = feed.latestRoundData();
        require(answer == int256(uint256(first.price)) && updatedAt == first.ts, "first");
        if (second.ts < first.ts) return;
        update(second);
        (, answer,, updatedAt,) = feed.latestRoundData();
        require(answer == int256(uint256(second.price)) && updatedAt == second.ts, "second");
    }

    function update(Tape.Tick memory tick) private {
        vm.warp(tick.time);
        feed.updatePrice(tick.feedId, tick.price, tick.ts, tick.expo, tick.signature);
    }

    function test_a_tape_in_solidity_is_the_same() public view {
        Tape.Tick memory tick = Tape.get(5);
        require(Tape.SIGNER == vm.parseJsonAddress(calm, ".signer"), "signer");
        require(tick.time == vm.parseJsonUint(calm, path(1, "now")), "time");
        bytes memory data = abi.encodeCall(feed.updatePrice, (tick.feedId, tick.price, tick.ts, tick.expo, tick.signature));
        require(keccak256(data) == keccak256(good(1)), "other bytes");
    }

    function test_gas_of_180_ticks() public pure {
        for (uint256 i = 0; i < Tape.LENGTH; i++) require(Tape.get(i).isGood, "bad");
    }

    /// The faults of batches leave the EVM form as it is.
    function test_every_fault_of_a_tape_has_a_test() public view {
        require(count(signatures) == 15 && count(ticks) == 11, "add the new fault below");
    }

    function count(string memory tape) private view returns (uint256 faults) {
        for (uint256 i = 0; i < TICKS; i++) {
            if (!vm.keyExistsJson(tape, path(i, "faults[0]"))) continue;
            // The market of the scenario moves as well, which is no fault of the feed.
            if (bytes(vm.parseJsonString(tape, path(i, "faults[0]")))[0] != "m") faults++;
        }
    }

    function test_the_same_price_again_is_no_new_round() public {
        require(send(good(0)) == 0 && send(good(0)) == 0, "rejected");
        (uint80 round,,,,) = feed.latestRoundData();
        require(round == 1, "a second round");
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
        bytes4 reason = replay(signatures, "signature/bit-flip");
        require(reason == PriceFeed.WrongSigner.selector || reason == ECDSA.ECDSAInvalidSignature.selector, "reason");
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

    function test_other_feed() public {
        rejects("signature/other-feed", PriceFeed.WrongFeed.selector);
    }

    /// The prefix is a matter of the text: a tape has the bytes, which are those of a good price.
    function test_0x_prefix() public {
        uint256 i = find(signatures, "signature/0x-prefix");
        vm.warp(vm.parseJsonUint(signatures, path(i, "now")));
        require(send(vm.parseJsonBytes(signatures, path(i, "calldata"))) == 0, "rejected");
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
        uint256 i = find(ticks, "tick/ts-backwards");
        vm.warp(vm.parseJsonUint(ticks, path(i, "now")));
        require(send(good(i)) == 0, "rejected");
        rejects("tick/ts-backwards", PriceFeed.Older.selector);
    }

    /// The vectors of other languages: 2^63 - 1 is accepted, 2^63 is not.
    function test_limits_of_int64() public {
        string memory vectors = vm.readFile("./tapes/format-vectors.json");
        uint256 i = 0;
        for (; vm.keyExistsJson(vectors, limit(i, "title")); i++) {
            bytes32 want = keccak256(bytes(vm.parseJsonString(vectors, limit(i, "consumers"))));
            bytes4 reason = send(vm.parseJsonBytes(vectors, limit(i, "calldata")));
            if (want == keccak256("accepted")) require(reason == 0, "rejected");
            else if (want == keccak256("not positive")) require(reason == PriceFeed.NotPositive.selector, "positive");
            else require(reason == PriceFeed.OutOfRange.selector, "in range");
        }
        require(i >= 7, "too few");
    }

    function limit(uint256 i, string memory field) private pure returns (string memory) {
        return string.concat(".limits[", vm.toString(i), "].", field);
    }

    /// A price above 2^53 is exact on the chain.
    function test_unsafe_integer() public {
        uint256 i = find(ticks, "tick/unsafe-integer");
        vm.warp(vm.parseJsonUint(ticks, path(i, "now")));
        require(send(vm.parseJsonBytes(ticks, path(i, "calldata"))) == 0, "rejected");
        (, int256 answer,,,) = feed.latestRoundData();
        require(uint256(answer) == vm.parseJsonUint(ticks, path(i, "price")) && uint256(answer) > 2 ** 53, "rounded");
    }

    function test_stale() public {
        vm.warp(vm.parseJsonUint(calm, path(0, "now")) + 5 minutes);
        require(send(good(0)) == PriceFeed.Stale.selector, "reason");
    }

    function test_a_chain_at_its_default_time() public {
        vm.warp(1);
        require(send(good(0)) == PriceFeed.FromFuture.selector, "reason");
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
