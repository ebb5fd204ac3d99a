"""Polls a signed price feed, decodes its prices exactly and recovers their signers, with the standard library alone."""

import json
import urllib.request
from decimal import Decimal
from urllib.parse import quote

# secp256k1: the field, the order of the group and its generator (SEC 2, 2.4.1).
P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


class PriceRejected(Exception):
    """A price that must not be used, with the reason."""


class Feed:
    """One service, and the checks of a consumer."""

    def __init__(self, base_url, api_key, signer, max_age=60, max_future=5):
        self.base_url = base_url
        self.api_key = api_key
        self.signer = signer.lower()
        self.max_age = max_age
        self.max_future = max_future
        self.last = {}

    def batch(self, feed_ids, now):
        """The prices of feeds by id, as decimals, after all checks. `now` is in seconds since the epoch."""
        path = "/prices/batch?feedIds=" + quote(",".join(feed_ids))
        request = urllib.request.Request(self.base_url + path, headers={"Authorization": self.api_key})
        with urllib.request.urlopen(request, timeout=10) as reply:
            # Integers of Python have any size, so that no price is rounded.
            return self.check(json.loads(reply.read()), feed_ids, now)

    def check(self, reply, feed_ids, now):
        """Verifies the reply of a batch. Raises PriceRejected."""
        for price in reply["prices"]:
            if not isinstance(price["price"], int):
                raise PriceRejected(f"the price of {price['feedId']} is not an integer")
            # The 64 signed bits cannot tell such a price from another one.
            if not -(2**63) <= price["price"] < 2**63:
                raise PriceRejected(f"the price of {price['feedId']} is out of range")
        message = b"".join(svm_message(price) for price in reply["prices"])
        if recover(keccak256(message), reply["signature"], reply["recoveryId"]) != self.signer:
            raise PriceRejected("wrong signer")
        prices = {price["feedId"]: price for price in reply["prices"]}
        for feed_id in feed_ids:
            price = prices.get(feed_id)
            if price is None:
                raise PriceRejected(f"{feed_id} is missing")
            if price["price"] <= 0:
                raise PriceRejected(f"the price of {feed_id} is not positive")
            if price["ts"] > now + self.max_future:
                raise PriceRejected(f"{feed_id} is from the future")
            if price["ts"] < now - self.max_age:
                raise PriceRejected(f"{feed_id} is stale")
            if price["ts"] < self.last.get(feed_id, 0):
                raise PriceRejected(f"{feed_id} is older than the last price")
        for feed_id in feed_ids:
            self.last[feed_id] = prices[feed_id]["ts"]
        return {feed_id: to_decimal(prices[feed_id]) for feed_id in feed_ids}


def to_decimal(price):
    """The exact value of a price: price * 10^expo."""
    return Decimal(price["price"]).scaleb(price["expo"])


def svm_message(price):
    """The 49 signed bytes of the SVM form."""
    return (
        price["feedId"].encode("ascii").ljust(32, b"\0")
        + (price["price"] % 2**64).to_bytes(8, "little")
        + price["expo"].to_bytes(1, "little", signed=True)
        + price["ts"].to_bytes(8, "little")
    )


def evm_message(price):
    """The 64 signed bytes of the EVM form, an assumption of the mock."""
    return (
        price["feedId"].encode("ascii").rjust(32, b"\0")
        + (price["price"] % 2**192).to_bytes(24, "big")
        + price["ts"].to_bytes(4, "big")
        + price["expo"].to_bytes(4, "big", signed=True)
    )


def recover(digest, signature, recovery_id):
    """The address that signed a digest. Raises PriceRejected for a signature that is malformed or has a high s."""
    if len(signature) != 128 or not all(digit in "0123456789abcdef" for digit in signature):
        raise PriceRejected("the signature is not 64 bytes in hex")
    if recovery_id not in (0, 1):
        raise PriceRejected("the recovery id is neither 0 nor 1")
    r, s = int(signature[:64], 16), int(signature[64:], 16)
    if not 0 < r < N or not 0 < s < N:
        raise PriceRejected("no key made the signature")
    if s > N // 2:
        raise PriceRejected("high s")
    y = pow((pow(r, 3, P) + 7) % P, (P + 1) // 4, P)
    if (y * y - r**3 - 7) % P != 0:
        raise PriceRejected("no key made the signature")
    if y % 2 != recovery_id:
        y = P - y
    inverse = pow(r, -1, N)
    z = int.from_bytes(digest, "big")
    key = add(multiply((r, y), s * inverse % N), multiply(G, -z * inverse % N))
    if key is None:
        raise PriceRejected("no key made the signature")
    return "0x" + keccak256(key[0].to_bytes(32, "big") + key[1].to_bytes(32, "big"))[12:].hex()


def add(a, b):
    """The sum of two points; None is the point at infinity."""
    if a is None or b is None:
        return b if a is None else a
    if a[0] == b[0] and (a[1] + b[1]) % P == 0:
        return None
    if a == b:
        slope = 3 * a[0] * a[0] * pow(2 * a[1], -1, P) % P
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P) % P
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def multiply(point, factor):
    """A multiple of a point."""
    result = None
    while factor > 0:
        if factor & 1:
            result = add(result, point)
        point = add(point, point)
        factor >>= 1
    return result


MASK = 2**64 - 1


def keccak256(message):
    """Keccak-256 as Ethereum and Solana have it. hashlib's sha3_256 pads differently."""
    rate = 136
    padded = bytearray(message + b"\x01" + bytes(-(len(message) + 1) % rate))
    padded[-1] |= 0x80
    lanes = [0] * 25
    for start in range(0, len(padded), rate):
        for i in range(rate // 8):
            lanes[i] ^= int.from_bytes(padded[start + 8 * i : start + 8 * i + 8], "little")
        permute(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])


def rotate(lane, bits):
    return (lane << bits | lane >> (64 - bits)) & MASK if bits else lane


def permute(a):
    """Keccak-f[1600] of FIPS 202; lane x, y is a[x + 5 * y]."""
    lfsr = 1
    for _ in range(24):
        columns = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        for i in range(25):
            a[i] ^= columns[(i + 4) % 5] ^ rotate(columns[(i + 1) % 5], 1)
        x, y, moved = 1, 0, a[1]
        for t in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            a[x + 5 * y], moved = rotate(moved, (t + 1) * (t + 2) // 2 % 64), a[x + 5 * y]
        for y in range(5):
            row = a[5 * y : 5 * y + 5]
            for x in range(5):
                a[5 * y + x] = row[x] ^ (~row[(x + 1) % 5] & MASK & row[(x + 2) % 5])
        for j in range(7):
            if lfsr & 1:
                a[0] ^= 1 << ((1 << j) - 1)
            lfsr = lfsr << 1 ^ (0x171 if lfsr & 0x80 else 0)
