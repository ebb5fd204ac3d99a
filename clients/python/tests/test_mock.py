"""The fixture `price_feed`, against a mock that npx or PRICE_FEED_BASE_URL gives."""

import sys
import threading
from decimal import Decimal

import pytest
from price_feed_mock import Client, PricesRejected, ServiceError, pytest_plugin, start

AT = 1753354105
frozen = pytest.mark.price_feed(clock={"at": AT, "frozen": True})
pytestmark = frozen


def test_five_endpoints(price_feed):
    latest = price_feed.latest("BTCUSD", expo=-8, now=AT, max_age=60, max_future=0)
    assert latest in price_feed.batch(["btcusd", "ETHUSD"])
    assert latest in price_feed.evm(["ETHUSD", "BTCUSD"])
    high, low = price_feed.history(["BTCUSD", "ethusd"], 5)["BTCUSD"]
    assert low.value <= latest.value <= high.value and isinstance(latest.value, Decimal)
    candle = price_feed.candles("BTCUSD", "1m")[-1]
    assert candle.low <= candle.open <= candle.high and candle.time == AT // 60 * 60_000
    assert [request["endpoint"] for request in price_feed.requests()] == ["latest", "batch", "evm", "history", "candles"]
    slashes = Client(f"{price_feed.base_url}/", price_feed.api_key, [price_feed.signer], f"{price_feed.history_url}//")
    assert slashes.latest("BTCUSD") == latest and slashes.candles("BTCUSD", "1m")[-1] == candle


def test_requests_of_several_pages(price_feed):
    ids = ["BTCUSD", *(f"{'x' * 900}{i}" for i in range(8))]
    for _ in range(420):
        with pytest.raises(ServiceError):
            price_feed.batch(ids)
    assert price_feed.requests()[-1]["n"] == 420


def test_requests_of_one_kind(price_feed):
    price_feed.batch(["BTCUSD"])
    with pytest.raises(ServiceError):
        price_feed.latest("NOPE")
    late = threading.Timer(0.05, price_feed.latest, ["BTCUSD"])
    late.start()
    assert [one["n"] for one in price_feed.wait_for_requests(2, endpoint="latest")] == [2, 3]
    late.join()
    assert [one["n"] for one in price_feed.requests(endpoint="latest", status=404)] == [2]
    with pytest.raises(AssertionError, match="^1 request in 0 s, want at least 2, endpoint latest, status 200"):
        price_feed.wait_for_requests(2, "latest", 200, timeout=0)
    with pytest.raises(ServiceError, match="want.*batch"):
        price_feed.requests(endpoint="nope")


def test_requests_that_went_elsewhere(price_feed, price_feed_server):
    stray = Client(price_feed_server.url, "wrong", [])
    with pytest.raises(ServiceError, match="401"):
        stray.latest("BTCUSD")
    price_feed.set_scenario("stale-btc")
    assert isinstance(price_feed._opened_ms, int)
    note = r"\n1 request went to the session default meanwhile, the newest GET /prices/BTCUSD/latest with status 401\nuse base_url"
    with pytest.raises(AssertionError, match=f"want at least 1, status 0{note}"):
        price_feed.wait_for_requests(1, status=0, timeout=0)
    with pytest.raises(AssertionError, match=f"endpoint that it acts on was asked\\){note}"):
        price_feed.expect_faults_fired()


def test_clock_prices_and_scenarios(price_feed):
    price_feed.advance("2m")
    assert price_feed.now() == AT + 120
    price_feed.set_prices(BTCUSD=50_000)
    assert price_feed.latest("BTCUSD").value == 50_000
    price_feed.set_prices(BTCUSD=price_feed.latest("BTCUSD").value * 2)
    assert price_feed.latest("BTCUSD").value == 100_000
    price_feed.set_scenario("stale-btc")
    with pytest.raises(AssertionError, match=r"never fired: market/stale, BTCUSD \(no endpoint that it acts on was asked\)$"):
        price_feed.expect_faults_fired()
    price_feed.latest("ETHUSD")
    with pytest.raises(AssertionError, match=r"market/stale, BTCUSD \(1 missed, last: another feed\)$"):
        price_feed.expect_faults_fired()
    with pytest.raises(PricesRejected, match="BTCUSD: stale"):
        price_feed.latest("BTCUSD", now=price_feed.now(), max_age=60)
    price_feed.expect_faults_fired()
    assert "stale" in price_feed.timeline()


@pytest.mark.price_feed(scenario="wrong-signer")
def test_mark(price_feed):
    assert price_feed.now() == AT
    with pytest.raises(PricesRejected, match="wrong-signer"):
        price_feed.latest("BTCUSD")


def test_errors(price_feed, price_feed_server):
    with pytest.raises(ServiceError, match="404") as error:
        price_feed.latest("NOPE")
    assert error.value.status == 404 and "unknown" in error.value.body
    with pytest.raises(ServiceError, match="401"):
        Client(price_feed.base_url, "wrong", []).latest("BTCUSD")
    # The key does not follow a redirect.
    price_feed.set_scenario({"title": "T", "why": "W", "faults": [{"fault": "reply/redirect"}]})
    with pytest.raises(ServiceError, match=": 30"):
        price_feed.latest("BTCUSD")
    for status in 204, 206:
        fault = {"fault": "reply/status", "options": {"status": status}}
        price_feed.set_scenario({"title": "T", "why": "W", "faults": [fault]})
        for ask in lambda: price_feed.latest("BTCUSD"), lambda: price_feed.candles("BTCUSD", "1m"):
            with pytest.raises(ServiceError, match=f": {status}"):
                ask()
    for faults in [{"fault": "wire/truncate"}], [{"fault": "reply/status"}, {"fault": "wire/truncate"}]:
        price_feed.set_scenario({"title": "T", "why": "W", "faults": faults})
        with pytest.raises(OSError, match="broke off"):
            price_feed.latest("BTCUSD")
    missing = {"fault": "reply/missing-field", "options": {"field": "data"}}
    for fault in {"fault": "series/null-values"}, missing, {"fault": "reply/numbers-as-strings"}:
        price_feed.set_scenario({"title": "T", "why": "W", "faults": [fault]})
        with pytest.raises(ValueError, match="no complete candles"):
            price_feed.candles("BTCUSD", "1m")
    with pytest.raises(ServiceError, match="SCENARIO_UNKNOWN"):
        price_feed_server.session(scenario="nope")
    # Behind the names of all scenarios.
    with pytest.raises(ServiceError, match='"closest":"stale-btc"'):
        price_feed_server.session(scenario="stale-bct")
    # Without a name it would be ignored, and the test would run in calm.
    with pytest.raises(TypeError, match="options by name.*not 'stale-btc'"):
        pytest_plugin._options([pytest.mark.price_feed("stale-btc").mark])
    with pytest.raises(TypeError, match="type bytes is not JSON"):
        price_feed.set_prices(BTCUSD=b"12")
    with pytest.raises(ValueError, match="not JSON compliant"):
        price_feed.set_prices(BTCUSD=Decimal("NaN"))
    with pytest.raises(TypeError, match="list of ids"):
        price_feed.batch("BTCUSD")
    with pytest.raises(OSError, match="^GET http://127.0.0.1:1/prices/BTCUSD/latest: .*refused"):
        Client("http://127.0.0.1:1", "key", []).latest("BTCUSD")
    silent = price_feed_server.session(scenario="silence")
    with pytest.raises(OSError, match="timed out"):
        Client(silent.base_url, silent.api_key, [silent.signer], timeout=0.2).latest("BTCUSD")
    silent.close()
    slow = {"fault": "wire/dribble", "options": {"pieces": 100, "everyMs": 50}}
    price_feed.set_scenario({"title": "T", "why": "W", "faults": [slow]})
    with pytest.raises(OSError, match="timed out"):
        Client(price_feed.base_url, price_feed.api_key, [price_feed.signer], timeout=0.2).latest("BTCUSD")


def test_start():
    with pytest.raises(RuntimeError, match="ended and gave no URL.*\n.*broken"):
        start(command=[sys.executable, "-c", "import sys; sys.exit('broken')"])
    with pytest.raises(RuntimeError, match="gave no URL in 0.1 s"):
        start(command=[sys.executable, "-c", "import signal; signal.pause()"], timeout=0.1)
    with pytest.raises(FileNotFoundError, match="no-such-program was not found"):
        start(command=["no-such-program"])
    # As of a container, whose own address is another one.
    script = "print('http://0.0.0.0:4700', flush=True); input()"
    with start("http://127.0.0.1:5000/session/x", [sys.executable, "-c", script]) as server:
        assert server.url == "http://127.0.0.1:5000"
    # As behind a proxy.
    assert start("https://proxy.example/mock/session/x").url == start("https://proxy.example/mock/").url
    assert start("https://proxy.example/mock").url == "https://proxy.example/mock"
    # A host can have such a name, as a service of Docker Compose has.
    assert start("http://session/session/x").url == "http://session"
