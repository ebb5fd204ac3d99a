"""Checks the vectors of fixtures/ with Python's standard library alone: python3 check.py FORMAT SIGNING PUBLISHED.

It has its own keccak256, its own secp256k1 and RFC 6979 from hmac, and exits with 1 at the first difference."""
import hashlib
import hmac
import json
import re
import sys

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def rotate(value, by):
    by %= 64
    return ((value << by) | (value >> (64 - by))) & (2**64 - 1)


def keccak_f(lanes):
    lfsr = 1
    for _ in range(24):
        parity = [lanes[x][0] ^ lanes[x][1] ^ lanes[x][2] ^ lanes[x][3] ^ lanes[x][4] for x in range(5)]
        for x in range(5):
            mixed = parity[(x + 4) % 5] ^ rotate(parity[(x + 1) % 5], 1)
            for y in range(5):
                lanes[x][y] ^= mixed
        x, y, current = 1, 0, lanes[1][0]
        for step in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            current, lanes[x][y] = lanes[x][y], rotate(current, (step + 1) * (step + 2) // 2)
        for y in range(5):
            row = [lanes[x][y] for x in range(5)]
            for x in range(5):
                lanes[x][y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5])
        for j in range(7):
            lfsr = ((lfsr << 1) ^ ((lfsr >> 7) * 0x71)) % 256
            if lfsr & 2:
                lanes[0][0] ^= 1 << ((1 << j) - 1)


def keccak256(data):
    """Keccak with the padding 0x01 of Ethereum, not 0x06 of SHA-3."""
    rate = 136
    padded = bytearray(data) + b"\x01" + b"\x00" * (-(len(data) + 1) % rate)
    padded[-1] |= 0x80
    lanes = [[0] * 5 for _ in range(5)]
    for start in range(0, len(padded), rate):
        for i in range(rate // 8):
            lanes[i % 5][i // 5] ^= int.from_bytes(padded[start + 8 * i : start + 8 * i + 8], "little")
        keccak_f(lanes)
    return b"".join(lanes[i % 5][i // 5].to_bytes(8, "little") for i in range(4))


def add(a, b):
    if a is None:
        return b
    if b is None:
        return a
    if a[0] == b[0]:
        if (a[1] + b[1]) % P == 0:
            return None
        slope = 3 * a[0] * a[0] * pow(2 * a[1], -1, P) % P
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P) % P
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def multiply(point, factor):
    result = None
    while factor:
        if factor & 1:
            result = add(result, point)
        point = add(point, point)
        factor >>= 1
    return result


def address_of(point):
    return "0x" + keccak256(point[0].to_bytes(32, "big") + point[1].to_bytes(32, "big"))[12:].hex()


def compressed(point):
    return bytes([2 + (point[1] & 1)]).hex() + point[0].to_bytes(32, "big").hex()


def recover(digest, r, s, recovery_id):
    """The public key, or None when no key can have made the signature."""
    if not (0 < r < N and 0 < s < N):
        return None
    square = (pow(r, 3, P) + 7) % P
    y = pow(square, (P + 1) // 4, P)
    if y * y % P != square:
        return None
    if y & 1 != recovery_id:
        y = P - y
    inverse = pow(r, -1, N)
    e = int.from_bytes(digest, "big")
    return add(multiply((r, y), s * inverse % N), multiply(G, -e * inverse % N))


def sign(digest, key):
    """RFC 6979 with SHA-256, and a low s: r, s and the recovery id."""
    secret = key.to_bytes(32, "big")
    reduced = (int.from_bytes(digest, "big") % N).to_bytes(32, "big")
    v, k = b"\x01" * 32, b"\x00" * 32
    for tag in (b"\x00", b"\x01"):
        k = hmac.new(k, v + tag + secret + reduced, hashlib.sha256).digest()
        v = hmac.new(k, v, hashlib.sha256).digest()
    while True:
        v = hmac.new(k, v, hashlib.sha256).digest()
        nonce = int.from_bytes(v, "big")
        if 0 < nonce < N:
            point = multiply(G, nonce)
            r = point[0] % N
            s = pow(nonce, -1, N) * (int.from_bytes(digest, "big") + r * key) % N
            if r and s:
                bit = point[1] & 1
                return (r, N - s, 1 - bit) if s > N // 2 else (r, s, bit)
        k = hmac.new(k, v + b"\x00", hashlib.sha256).digest()
        v = hmac.new(k, v, hashlib.sha256).digest()


def test_key(number):
    return int.from_bytes(keccak256(b"price-feed-mock test key %d" % number), "big")


def svm_message(price):
    return (
        price["feedId"].encode("ascii").ljust(32, b"\0")
        + (price["price"] % 2**64).to_bytes(8, "little")
        + price["expo"].to_bytes(1, "little", signed=True)
        + price["ts"].to_bytes(8, "little")
    )


def evm_message(price):
    return (
        price["feedId"].encode("ascii").rjust(32, b"\0")
        + (price["price"] % 2**192).to_bytes(24, "big")
        + price["ts"].to_bytes(4, "big")
        + price["expo"].to_bytes(4, "big", signed=True)
    )


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def price_reason(price):
    if not all(is_integer(price.get(name)) for name in ("price", "expo", "ts")):
        return "malformed"
    return None


def signature_reason(prices, form, signature, recovery_id, signer):
    if not isinstance(signature, str):
        return "malformed"
    if signature.startswith("0x"):
        return "0x-prefix"
    if not re.fullmatch("[0-9a-fA-F]*", signature):
        return "malformed"
    if len(signature) != (128 if form == "svm" else 130):
        return "wrong-length"
    r, s = int(signature[:64], 16), int(signature[64:128], 16)
    if r == 0 or s == 0:
        return "zero"
    if s > N // 2:
        return "high-s"
    if form == "evm":
        recovery_id = int(signature[128:], 16) - 27
    if recovery_id not in (0, 1):
        return "wrong-v" if form == "evm" else "wrong-recovery-id"
    encode = svm_message if form == "svm" else evm_message
    point = recover(keccak256(b"".join(map(encode, prices))), r, s, recovery_id)
    if point is None:
        return "unrecoverable"
    return None if address_of(point) == signer else "wrong-signer"


def value_reasons(price):
    if price["price"] == 0:
        return ["zero-price"]
    return ["negative-price"] if price["price"] < 0 else []


def verdict(prices, form, signature, recovery_id, signer):
    malformed = [price_reason(price) for price in prices]
    if any(malformed):
        return [[reason or "malformed"] for reason in malformed]
    reason = signature_reason(prices, form, signature, recovery_id, signer)
    return [([reason] if reason else []) + value_reasons(price) for price in prices]


def verdicts(body, signer):
    """The reasons to reject each price of a reply."""
    prices = body.get("prices")
    if prices is None and "feedId" in body:
        return verdict([body], "svm", body.get("signature"), body.get("recoveryId"), signer)
    if prices is None:
        found = []
        for name, pair in body.items():
            for price in (pair["high"], pair["low"]):
                [reasons] = verdict([price], "svm", price["signature"], price["recoveryId"], signer)
                found.append((["wrong-feed"] if price["feedId"].upper() != name.upper() else []) + reasons)
        return found
    if "signature" in body:
        return verdict(prices, "svm", body["signature"], body["recoveryId"], signer)
    return [verdict([price], "evm", price.get("signature"), None, signer)[0] for price in prices]


def expect(got, want, what):
    if got != want:
        sys.exit(f"{what}\n  got   {got}\n  want  {want}")


def exact(prices):
    return [{**price, "price": int(price["price"])} for price in prices]


def word(value):
    return (value % 2**256).to_bytes(32, "big")


def check_format(vectors):
    signer = vectors["signer"]
    expect(address_of(multiply(G, test_key(0))), signer, "test key 0")
    for case in vectors["replies"]:
        expect(verdicts(json.loads(case["body"]), signer), case["reasons"], case["title"])
    for case in vectors["svm"]:
        message = b"".join(map(svm_message, exact(case["prices"])))
        r, s, recovery_id = sign(keccak256(message), test_key(0))
        signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
        header = bytes([1, 32, 0, 0, 12, 0, 0, 97, 0]) + len(message).to_bytes(2, "little") + b"\0"
        data = header + bytes.fromhex(signer[2:]) + signature + bytes([recovery_id]) + message
        expect(message.hex(), case["message"], case["title"])
        expect(keccak256(message).hex(), case["digest"], case["title"])
        expect((signature.hex(), recovery_id), (case["signature"], case["recoveryId"]), case["title"])
        expect(data.hex(), case["instructionData"], case["title"])
    for case in vectors["evm"]:
        [price] = exact(case["prices"])
        message = evm_message(price)
        r, s, recovery_id = sign(keccak256(message), test_key(0))
        signature = r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([27 + recovery_id])
        selector = keccak256(vectors["calldataFunction"].encode())[:4]
        words = [price["price"] % 2**192, price["ts"], price["expo"], 160, 65]
        data = selector + message[:32] + b"".join(map(word, words)) + signature.ljust(96, b"\0")
        expect(keccak256(message).hex(), case["digest"], case["title"])
        expect(signature.hex(), case["signature"], case["title"])
        expect(data.hex(), case["calldata"], case["title"])
    return sum(len(vectors[name]) for name in ("replies", "svm", "evm"))


def check_signing(vectors):
    for case in vectors["vectors"]:
        encode = svm_message if case["layout"] == "svm" else evm_message
        message = b"".join(map(encode, case["prices"]))
        key = test_key(case["key"])
        point = multiply(G, key)
        r, s, recovery_id = sign(keccak256(message), key)
        suffix = "" if case["layout"] == "svm" else f"{27 + recovery_id:02x}"
        expect(message.hex(), case["message"], case["title"])
        expect(f"{r:064x}{s:064x}{suffix}", case["signature"], case["title"])
        expect((compressed(point), address_of(point)), (case["publicKey"], case["address"]), case["title"])
    return len(vectors["vectors"])


def check_published(responses):
    for sample in responses["samples"]:
        reasons = verdict([sample], "svm", sample["signature"], sample["recoveryId"], responses["signer"]["address"])
        expect(reasons, [[]], sample["endpoint"])
    return len(responses["samples"])


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    format_path, signing_path, published_path = sys.argv[1:]
    count = check_format(load(format_path)) + check_signing(load(signing_path)) + check_published(load(published_path))
    print(f"{count} vectors, all as expected")


main()
