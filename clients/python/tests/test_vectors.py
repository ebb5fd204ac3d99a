"""The vectors of price-feed-mock, for other languages: messages, signatures, and the reasons to reject each price."""

import hashlib
import json
import os
from decimal import Decimal, localcontext
from pathlib import Path

import pytest
from ecdsa import SECP256k1, SigningKey
from ecdsa.util import sigencode_string_canonize
from price_feed_mock import Price, PricesRejected, check, evm_message, keccak256, parse, recover, svm_message, verify
from price_feed_mock.verify import address

FIXTURES = Path(os.environ.get("VECTORS", Path(__file__).parents[3] / "fixtures"))
MESSAGES = {"svm": svm_message, "evm": evm_message}


def load(name):
    return json.loads((FIXTURES / f"{name}.json").read_text("utf-8"))


FORMAT = load("format-vectors")
SIGNED = [{**vector, "key": 0, "layout": form} for form in MESSAGES for vector in FORMAT[form]]


def titled(cases):
    return pytest.mark.parametrize("case", cases, ids=lambda case: case["title"])


def reasons(body, signer, **checks):
    return [list(verdict.reasons) for verdict in check(parse(body), [signer], **checks)]


@titled(FORMAT["replies"])
def test_reply(case):
    assert reasons(case["body"], FORMAT["signer"]) == case["reasons"]


@titled(FORMAT["limits"])
def test_limit_of_int64(case):
    for body in (case["batch"], case["evm"]):
        assert reasons(body, FORMAT["signer"]) == [case["reasons"]]


@titled(load("signing-vectors")["vectors"] + SIGNED)
def test_signature(case):
    prices = [Price(price["feedId"], int(price["price"]), price["expo"], price["ts"]) for price in case["prices"]]
    message = b"".join(map(MESSAGES[case["layout"]], prices))
    digest = keccak256(message)
    secret = keccak256(b"price-feed-mock test key %d" % case["key"])
    key = SigningKey.from_string(secret, SECP256k1)
    # RFC 6979 with a low s: the same bytes in every language.
    signature = key.sign_digest_deterministic(digest, hashlib.sha256, sigencode_string_canonize)
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    assert (message.hex(), digest.hex()) == (case["message"], case["digest"])
    assert signature.hex() == case["signature"][:128]
    assert recover(digest, r, s, case["recoveryId"]) == address(key.verifying_key.pubkey.point)
    assert case.get("address") in (None, address(key.verifying_key.pubkey.point))


def test_published():
    published = load("published-responses")
    for sample in published["samples"]:
        assert verify(sample, [published["signer"]["address"].upper().replace("X", "x")], expo=-8)


def test_tape():
    """Every reply of a tape is rejected for the reasons that `checkResponse` gives, for both forms and all faults."""
    ticks = [json.loads(line) for line in Path(os.environ["TAPE"]).read_text("utf-8").splitlines()]
    signer = next(tick["signer"] for tick in ticks if not tick["faults"])
    for tick in ticks:
        try:
            found = reasons(tick["body"], signer, feeds=[tick["asked"]])
        except ValueError:
            found = [["malformed"]]
        flat = list(dict.fromkeys(reason for each in found for reason in each))
        assert flat == tick["reasons"] or tick["status"] != 200, tick
    assert len({fault for tick in ticks for fault in tick["faults"]}) > 15


if "TAPE" not in os.environ:
    del test_tape

GOOD = json.loads(FORMAT["replies"][0]["body"])
NOW = GOOD["ts"]


@pytest.mark.parametrize(
    "checks, reason",
    [
        ({"feeds": ["ETHUSD"]}, "wrong-feed"),
        ({"feeds": ["btcusd", "ETHUSD"]}, "missing-feed"),
        ({"expo": -6}, "wrong-expo"),
        ({"now": NOW + 61, "max_age": 60}, "stale"),
        ({"now": NOW - 6, "max_future": 5}, "future"),
    ],
)
def test_check(checks, reason):
    with pytest.raises(PricesRejected, match=reason):
        verify(GOOD, [FORMAT["signer"]], **checks)


# A caller could read the price that was not checked.
TWO_FORMS = ({"prices": [{}], "price": 1}, {"prices": [{}], "A": {"high": {}}}, {"feedId": "A", "A": {"high": {}}})


def test_misuse():
    in_ms = {"max_future": 5, "now": 1_753_354_104_000}
    for misuse in ({"max_age": 60}, in_ms, {"signers": FORMAT["signer"]}, {"feeds": "BTCUSD"}, {"signers": ["0x12"]}):
        with pytest.raises(TypeError):
            verify(GOOD, **{"signers": [FORMAT["signer"]], **misuse})
    for body in ({}, [], None, {"prices": []}, {"error": "unknown_feed"}, {"BTCUSD": {"high": 1}}, *TWO_FORMS):
        with pytest.raises(PricesRejected, match="no batch"):
            verify(body, [FORMAT["signer"]])
    with pytest.raises(PricesRejected, match="wrong-signer"):
        verify(GOOD, [])


def test_exact_numbers():
    with localcontext() as context:
        context.prec = 5
        assert str(Price("BTCUSD", 9007199254740993, -8, 0).value) == "90071992.54740993"
    assert parse("[9007199254740993, 5.0, 1.1e13]") == [9007199254740993, Decimal("5.0"), Decimal("1.1e13")]
    # Beyond the exponents of a Decimal, and of the stack.
    assert parse("[1e9999999999999999999, -1e9999999999999999999]") == [Decimal("Infinity"), Decimal("-Infinity")]
    for text in ("[NaN]", "[", "[" * 100_000):
        with pytest.raises(ValueError):
            parse(text)
