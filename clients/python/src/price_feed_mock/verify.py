"""Prices, their exact decoding, and the check of their signatures: docs/format.md and docs/signatures.md in Python."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Iterator, Sequence

from Cryptodome.Hash import keccak
from ecdsa import SECP256k1
from ecdsa.ecdsa import InvalidPointError, Signature
from ecdsa.numbertheory import Error as NumberError

# A failed test shows its own line, not those of this file.
__tracebackhide__ = True

ORDER = SECP256k1.order
_ADDRESS = re.compile("0x[0-9a-fA-F]{40}")


@dataclass(frozen=True)
class Price:
    """A price in units of 10^expo, an int64, and its time in seconds since the epoch."""

    feed_id: str
    price: int
    expo: int
    ts: int

    @property
    def value(self) -> Decimal:
        """The exact value, whatever the precision of the current decimal context."""
        return Decimal(f"{self.price}E{self.expo}")


@dataclass(frozen=True)
class Verdict:
    """The verdict on one price. `reasons` are those of `checkResponse`, and empty for a good price."""

    feed_id: str | None
    price: Price | None
    signer: str | None
    reasons: tuple[str, ...]


class PricesRejected(ValueError):
    """At least one price must not be used."""

    def __init__(self, verdicts: Sequence[Verdict]):
        self.verdicts = verdicts
        bad = [f"{verdict.feed_id or '?'}: {', '.join(verdict.reasons)}" for verdict in verdicts if verdict.reasons]
        super().__init__("; ".join(bad) or "the body is no batch, history, evm or latest response")


def parse(text: str | bytes) -> Any:
    """Parses JSON exactly: an integer in plain digits is an `int`, any other number a `Decimal`."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    def number(digits: str) -> Decimal:
        try:
            return Decimal(digits)
        except InvalidOperation:
            # Beyond the exponents of a Decimal: no integer in any case.
            return Decimal("-Infinity" if digits.startswith("-") else "Infinity")

    try:
        return json.loads(text, parse_float=number, parse_constant=refuse)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error


def verify(body: Any, signers: Sequence[str], **checks: Any) -> list[Price]:
    """Returns the prices of a response, in the order of the body. Raises PricesRejected with all reasons. See `check`."""
    verdicts = check(body, signers, **checks)
    prices = [verdict.price for verdict in verdicts if verdict.price is not None and not verdict.reasons]
    if not verdicts or len(prices) < len(verdicts):
        raise PricesRejected(verdicts)
    return prices


def check(
    body: Any,
    signers: Sequence[str],
    *,
    feeds: Sequence[str] | None = None,
    max_age: int | None = None,
    max_future: int | None = None,
    now: int | None = None,
    expo: int | None = None,
    allow_high_s: bool = False,
    allow_not_positive: bool = False,
) -> list[Verdict]:
    """The verdict on each price of a parsed response, and on each feed of `feeds` that it lacks.

    Another body, also one that has the form of two endpoints, has no prices: no verdict does not mean that it is good.
    `signers` are addresses with 0x; times are in seconds. Checks that are None are not made."""
    if isinstance(signers, str) or not all(map(_ADDRESS.fullmatch, signers)):
        raise TypeError(f'signers is a list of addresses, such as ["0xad37…"], with 0x and 40 hex digits, not {signers!r}')
    if isinstance(feeds, str):
        raise TypeError('feeds is a list of ids, such as ["BTCUSD"]')
    if now is None and (max_age is not None or max_future is not None):
        raise TypeError("max_age and max_future need now")
    # With milliseconds no price would be ahead of it.
    if now is not None and now > 1e11:
        raise TypeError(f"now is in seconds since the epoch, not {now!r}")
    trusted = {signer.lower() for signer in signers}
    wanted = None if feeds is None else {feed.upper() for feed in feeds}

    def about(price: Price) -> Iterator[str]:
        if wanted is not None and price.feed_id.upper() not in wanted:
            yield "wrong-feed"
        if price.price <= 0 and not allow_not_positive:
            yield "negative-price" if price.price < 0 else "zero-price"
        if expo is not None and price.expo != expo:
            yield "wrong-expo"
        if max_age is not None and now - price.ts > max_age:
            yield "stale"
        if max_future is not None and price.ts - now > max_future:
            yield "future"

    verdicts = []
    for form, items, signed, key in _blocks(body):
        read = [_read(item) for item in items]
        prices = [price for _, price in read if price is not None]
        reasons, signer = _inspect(form, prices, signed, len(prices) == len(items), allow_high_s)
        if signer is not None and signer not in trusted:
            reasons.append("wrong-signer")
        for feed_id, price in read:
            own = [] if price else ["malformed"]
            # No signature covers the key of a history, so a valid price of another feed could stand under it.
            if key is not None and not _is_feed_id(key):
                own.append("malformed")
            elif key is not None and price and key.upper() != price.feed_id.upper():
                own.append("wrong-feed")
            found = [*own, *reasons, *(about(price) if price else ())]
            verdicts.append(Verdict(feed_id, price, signer, tuple(dict.fromkeys(found))))
    here = {verdict.feed_id.upper() for verdict in verdicts if verdict.feed_id}
    missing = [feed for feed in feeds or () if feed.upper() not in here]
    return verdicts + [Verdict(feed, None, None, ("missing-feed",)) for feed in missing]


def svm_message(price: Price) -> bytes:
    """The 49 signed bytes of a price of batch, history and latest."""
    return (
        price.feed_id.encode("ascii").ljust(32, b"\0")
        + (price.price % 2**64).to_bytes(8, "little")
        + price.expo.to_bytes(1, "little", signed=True)
        + price.ts.to_bytes(8, "little")
    )


def evm_message(price: Price) -> bytes:
    """The 64 signed bytes of a price of evm, an assumption of the mock."""
    return (
        price.feed_id.encode("ascii").rjust(32, b"\0")
        + (price.price % 2**192).to_bytes(24, "big")
        + price.ts.to_bytes(4, "big")
        + price.expo.to_bytes(4, "big", signed=True)
    )


def keccak256(data: bytes) -> bytes:
    """The hash of Ethereum and Solana. SHA3-256 pads differently."""
    return keccak.new(digest_bits=256, data=data).digest()


def recover(digest: bytes, r: int, s: int, recovery_id: int) -> str | None:
    """The address of the key that signed a digest, in lower case; None where no key can have signed."""
    if not (0 < r < ORDER and 0 < s < ORDER):
        return None
    try:
        keys = Signature(r, s).recover_public_keys(int.from_bytes(digest, "big"), SECP256k1.generator)
    except (NumberError, InvalidPointError):
        return None
    # The first key is that of the point with an even y.
    return address(keys[recovery_id].point)


def address(point: Any) -> str:
    """The address of a public key."""
    return "0x" + keccak256(point.x().to_bytes(32, "big") + point.y().to_bytes(32, "big"))[12:].hex()


_Block = tuple[str, list, Any, "str | None"]


def _blocks(body: Any) -> Iterator[_Block]:
    """The signatures of a response: the form, the prices that it covers, the object that has it, and the key of a history."""
    if not isinstance(body, dict):
        return
    prices = body.get("prices")
    is_list, is_latest = isinstance(prices, list) and prices, isinstance(body.get("feedId"), str)
    pairs = [pair for pair in body.values() if isinstance(pair, dict)]
    is_history = any(isinstance(pair.get(name), dict) for pair in pairs for name in ("high", "low"))
    # A body of two forms is none: one of them would be checked, and the caller might read the other.
    if is_history and (is_list or is_latest) or is_list and "price" in body:
        return
    if is_list:
        if "signature" in body:
            yield "svm", prices, body, None
        else:
            for price in prices:
                yield "evm", [price], price, None
    elif is_latest:
        yield "svm", [body], body, None
    elif is_history:
        for key, pair in body.items():
            for name in ("high", "low"):
                price = pair.get(name) if isinstance(pair, dict) else None
                yield "svm", [price], price, key


def _is_feed_id(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[\x21-\x7e]{1,32}", value) is not None


def _read(item: Any) -> tuple[str | None, Price | None]:
    """The feed of a price as far as it can be read, and the price if every field of it can be."""
    item = item if isinstance(item, dict) else {}
    feed_id = item.get("feedId") if _is_feed_id(item.get("feedId")) else None
    price, expo, ts = (item.get(name) for name in ("price", "expo", "ts"))
    # A bool is an int as well, and 5.0 is a Decimal.
    if feed_id is None or not all(type(number) is int for number in (price, expo, ts)):
        return feed_id, None
    # An exponent and a time are exact in every language.
    if not -(2**53) < expo < 2**53 or not 0 <= ts < 2**53:
        return feed_id, None
    return feed_id, Price(feed_id, price, expo, ts)


def _inspect(
    form: str, prices: list[Price], signed: Any, is_whole: bool, allow_high_s: bool
) -> tuple[list[str], str | None]:
    """The defects of a signature, and the address that made it."""
    signed = signed if isinstance(signed, dict) else {}
    signature, recovery_id = signed.get("signature"), signed.get("recoveryId")
    if not isinstance(signature, str):
        return ["malformed"], None
    reasons, rs = [], None
    digits = signature[2:] if signature.startswith("0x") else signature
    if digits != signature:
        reasons.append("0x-prefix")
    if not re.fullmatch("[0-9a-fA-F]*", digits):
        reasons.append("malformed")
    elif len(digits) != (128 if form == "svm" else 130):
        reasons.append("wrong-length")
    else:
        r, s = int(digits[:64], 16), int(digits[64:128], 16)
        if r == 0 or s == 0:
            reasons.append("zero")
        if s > ORDER // 2 and not allow_high_s:
            reasons.append("high-s")
        bit = recovery_id if form == "svm" else int(digits[128:], 16) - 27
        if type(bit) is not int or bit not in (0, 1):
            reasons.append("wrong-recovery-id" if form == "svm" else "wrong-v")
        else:
            rs = r, s, bit
            if "recoveryId" in signed and (type(recovery_id) is not int or recovery_id != bit):
                reasons.append("wrong-recovery-id")
    # One signature covers all prices: without one of them, no key can be recovered.
    if not is_whole:
        reasons.append("malformed")
    try:
        message = b"".join(map(svm_message if form == "svm" else evm_message, prices))
    except OverflowError:
        message = None
    if message is None or not all(-(2**63) <= price.price < 2**63 for price in prices):
        return [*reasons, "out-of-range"], None
    if rs is None or not is_whole:
        return reasons, None
    signer = recover(keccak256(message), *rs)
    if signer is None and "zero" not in reasons:
        reasons.append("unrecoverable")
    return reasons, signer
