"""A back end in Python: it values a portfolio every second, from a batch that it asks for every five seconds."""

import json
import sys
from decimal import Decimal
from email.utils import parsedate_to_datetime

UNITS = {"BTCUSD": Decimal("0.75"), "ETHUSD": Decimal("12"), "SOLUSD": Decimal("340.5")}
MAX_AGE = 60
MAX_AHEAD = 5
POLL_SECONDS = 5
LONGEST_WAIT = 300


class Refused(Exception):
    """A reply that must not be used."""


class Portfolio:
    """Each request, signature and wait is yielded, and its result sent back with the time."""

    def __init__(self, signer, key):
        self.signer = signer
        self.key = key
        self.prices = {}
        self.now = 0
        self.asks_at = 0
        self.alarm = ""
        self.failures = 0

    def run(self):
        self.now = int((yield {"sleep": 0})["now"])
        while True:
            if self.now >= self.asks_at:
                self.asks_at = self.now + POLL_SECONDS
                try:
                    yield from self.poll()
                    self.alarm = ""
                    self.failures = 0
                except (Refused, KeyError, TypeError, ValueError) as error:
                    self.failures += 1
                    self.alarm = self.alarm or repr(error)
                    self.asks_at = max(self.asks_at, self.now + min(20, POLL_SECONDS * self.failures))
            answer = yield {"sleep": 1, "shows": self.shown()}
            self.now = int(answer["now"])

    def poll(self):
        path = "/prices/batch?feedIds=" + ",".join(UNITS)
        answer = yield {"get": path, "key": self.key, "timeout": 4}
        self.now = int(answer["now"])
        if "error" in answer:
            raise Refused(answer["error"])
        if answer["status"] == 429:
            self.asks_at = self.now + wait_of(answer["headers"].get("retry-after"), self.now)
        if answer["status"] == 401:
            self.alarm = "key rejected"
            self.asks_at = self.now + 30
        if answer["status"] != 200:
            raise Refused(f"status {answer['status']}")
        reply = json.loads(answer["body"])
        yield from self.verify(reply)
        fresh = {}
        for price in reply["prices"]:
            if price["feedId"] not in UNITS or price["price"] <= 0:
                continue
            if price["ts"] > self.now + MAX_AHEAD:
                continue
            known = self.prices.get(price["feedId"])
            if known is None or price["ts"] >= known["ts"]:
                fresh[price["feedId"]] = price
        self.prices.update(fresh)
        for feed_id in UNITS:
            if not any(price["feedId"] == feed_id for price in reply["prices"]):
                self.prices.pop(feed_id, None)

    def verify(self, reply):
        message = b""
        for price in reply["prices"]:
            if any(type(price[name]) is not int for name in ("price", "expo", "ts")):
                raise Refused("no integer")
            if not -(2**63) <= price["price"] < 2**63:
                raise Refused("no int64")
            if not isinstance(price["feedId"], str):
                raise Refused("no feed")
            message += price["feedId"].encode("ascii").ljust(32, b"\0")
            message += price["price"].to_bytes(8, "little", signed=True)
            message += price["expo"].to_bytes(1, "little", signed=True)
            message += price["ts"].to_bytes(8, "little")
        signature = reply["signature"]
        if len(bytes.fromhex(signature)) != 64:
            raise Refused("no signature")
        answer = yield {"recover": message.hex(), "signature": signature, "recoveryId": reply["recoveryId"]}
        if answer.get("address") != self.signer:
            raise Refused("wrong signer")

    def value_of(self, feed_id):
        """The exact value of a holding, or None without a price that may be used."""
        price = self.prices.get(feed_id)
        if price is None or self.now - price["ts"] > MAX_AGE:
            return None
        return Decimal(price["price"]).scaleb(price["expo"]) * UNITS[feed_id]

    def shown(self):
        values = {feed_id: self.value_of(feed_id) for feed_id in UNITS}
        return {
            "values": {feed_id: None if value is None else format(value, "f") for feed_id, value in values.items()},
            "alarm": self.alarm,
        }


def wait_of(header, now):
    """The seconds that Retry-After asks for (RFC 9110, 10.2.3), if that is a sensible time."""
    try:
        seconds = int(header)
    except (TypeError, ValueError):
        try:
            seconds = parsedate_to_datetime(header).timestamp() - now
        except (TypeError, ValueError):
            seconds = 0
    return seconds if 0 < seconds <= LONGEST_WAIT else 20


def main():
    steps = Portfolio(*sys.argv[1:3]).run()
    command = next(steps)
    while True:
        print(json.dumps(command), flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        command = steps.send(json.loads(line))


main()
