"""The vectors of price-feed-mock, and a poll of a running mock."""

import json
import os
import unittest
from decimal import Decimal

from price_feed import Feed, PriceRejected, evm_message, keccak256, recover, svm_message

VECTORS = os.environ.get("VECTORS", "node_modules/price-feed-mock/fixtures")
MESSAGES = {"svm": svm_message, "evm": evm_message}


def load(name):
    with open(os.path.join(VECTORS, name), encoding="utf-8") as file:
        return json.load(file)


class Vectors(unittest.TestCase):
    def test_every_message_digest_and_signer(self):
        vectors = load("signing-vectors.json")["vectors"]
        self.assertGreater(len(vectors), 50)
        for vector in vectors:
            with self.subTest(vector["title"], layout=vector["layout"], key=vector["key"]):
                message = b"".join(map(MESSAGES[vector["layout"]], vector["prices"]))
                self.assertEqual(message.hex(), vector["message"])
                self.assertEqual(keccak256(message).hex(), vector["digest"])
                signature = vector["signature"][:128]
                self.assertEqual(recover(keccak256(message), signature, vector["recoveryId"]), vector["address"])


class Checks(unittest.TestCase):
    """Each bad twin of a good reply is rejected by its own check."""

    def setUp(self):
        vectors = load("signing-vectors.json")["vectors"]
        vector = next(each for each in vectors if each["layout"] == "svm" and len(each["prices"]) == 3)
        self.feed = Feed("", "", vector["address"])
        self.reply = {name: vector[name] for name in ("prices", "signature", "recoveryId")}
        self.ids = [price["feedId"] for price in vector["prices"]]
        self.now = vector["prices"][0]["ts"]

    def rejects(self, reason, **change):
        with self.assertRaisesRegex(PriceRejected, reason):
            self.feed.check({**self.reply, **change}, self.ids, self.now)

    def test_good(self):
        prices = self.feed.check(self.reply, self.ids, self.now)
        first = self.reply["prices"][0]
        self.assertEqual(prices[first["feedId"]], Decimal(first["price"]) / 10**8)

    def test_bad(self):
        signature = self.reply["signature"]
        high = format(0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141 - int(signature[64:], 16), "064x")
        self.rejects("high s", signature=signature[:64] + high, recoveryId=1 - self.reply["recoveryId"])
        self.rejects("64 bytes", signature="0x" + signature)
        self.rejects("64 bytes", signature=signature[:64])
        self.rejects("no key", signature="0" * 128)
        self.rejects("recovery id", recoveryId=27)
        self.rejects("wrong signer|no key", recoveryId=1 - self.reply["recoveryId"])
        self.rejects("wrong signer", prices=self.reply["prices"][::-1])

    def test_limits_of_int64(self):
        vectors = load("format-vectors.json")
        self.assertGreaterEqual(len(vectors["limits"]), 7)
        for limit in vectors["limits"]:
            with self.subTest(limit["title"]):
                reply = json.loads(limit["batch"])
                feed = Feed("", "", vectors["signer"])
                check = lambda: feed.check(reply, ["ETHUSD"], reply["prices"][0]["ts"])
                if limit["consumers"] == "accepted":
                    self.assertEqual(check()["ETHUSD"].scaleb(8), int(limit["price"]))
                else:
                    self.assertRaisesRegex(PriceRejected, limit["consumers"], check)

    def test_plain_digits(self):
        for text in ("1.5", "11008588000000.0", "1.1e13"):
            self.rejects("not an integer", prices=[{**self.reply["prices"][0], "price": json.loads(text)}])

    def test_time(self):
        self.now += 300
        self.rejects("stale")
        self.now -= 600
        self.rejects("future")

    def test_missing(self):
        self.ids = ["NOPE"]
        self.rejects("missing")


@unittest.skipUnless("PRICE_FEED_BASE_URL" in os.environ, "no mock is running: price-feed-mock exec sets PRICE_FEED_BASE_URL")
class Poll(unittest.TestCase):
    def test_poll(self):
        feed = Feed(
            os.environ["PRICE_FEED_BASE_URL"], os.environ["PRICE_FEED_API_KEY"], os.environ["PRICE_FEED_SIGNER"]
        )
        now = int(os.environ["NOW"])
        for _ in range(3):
            prices = feed.batch(["BTCUSD", "ETHUSD"], now)
            self.assertEqual(list(prices), ["BTCUSD", "ETHUSD"])
            self.assertGreater(prices["BTCUSD"], prices["ETHUSD"])


if __name__ == "__main__":
    unittest.main()
