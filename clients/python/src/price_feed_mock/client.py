"""A client of the five endpoints. Every price that it returns is verified."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from decimal import Decimal
from http.client import HTTPException, IncompleteRead
from numbers import Number
from operator import index
from typing import Any, Mapping, Sequence
from urllib.parse import quote, urlsplit

from .verify import Price, parse, verify

# A failed test shows its own line, not those of this file.
__tracebackhide__ = True


@dataclass(frozen=True)
class Candle:
    """A candle. `time` is in milliseconds since the epoch."""

    time: int
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    avg: Decimal
    volume: Decimal


class ServiceError(Exception):
    """A reply with another status than 200."""

    def __init__(self, method: str, url: str, status: int, body: str):
        # The end of a problem of the mock names the closest valid value.
        shown = body if len(body) <= 500 else f"{body[:300]} … {body[-150:]}"
        super().__init__(f"{method} {urlsplit(url).path}: {status} {shown}")
        self.status = status
        self.body = body


class _EveryStatus(urllib.request.HTTPErrorProcessor):
    """Returns replies of every status. urllib would send the API key to the address of a redirect."""

    def http_response(self, request: Any, response: Any) -> Any:
        return response

    https_response = http_response


def _as_json(value: Any) -> float:
    """A Decimal, such as the value of a price, as JSON has it. Bytes would be taken for the digits in them."""
    if isinstance(value, Number):
        return float(value)
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def send(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: Any = None,
    timeout: float = 10,
    statuses: range = range(200, 300),
) -> str:
    """Sends a request, with a body as JSON. Raises ServiceError for other statuses, or OSError without a whole reply."""
    data = None if body is None else json.dumps(body, default=_as_json, allow_nan=False).encode()
    named = {**headers, **({} if data is None else {"content-type": "application/json"})}
    request = urllib.request.Request(url, data, named, method=method)
    # A proxy of the environment cannot reach this machine.
    local = urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")
    late = time.monotonic() + timeout
    handlers = [_EveryStatus, *([urllib.request.ProxyHandler({})] if local else [])]
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=timeout) as reply:
            content, size = bytearray(), reply.length
            # The timeout of urllib is that of each piece.
            while len(content) != size and (piece := reply.read1(65536)):
                content += piece
                if time.monotonic() > late:
                    raise TimeoutError(f"{method} {urlsplit(url).path}: timed out")
            if size is not None and len(content) < size:
                raise IncompleteRead(bytes(content), size - len(content))
    except urllib.error.URLError as error:
        # It does not name the address.
        raise OSError(f"{method} {url.partition('?')[0]}: {error.reason}") from error
    except HTTPException as error:
        raise OSError(f"{method} {urlsplit(url).path}: the reply broke off ({error!r})") from error
    if reply.status not in statuses:
        raise ServiceError(method, url, reply.status, content.decode(errors="replace"))
    return content.decode()


# Another success, such as a 204 without a body, is no answer of the service.
_OK = range(200, 201)


class Client:
    """The service at `base_url`. `checks` are those of `check`, such as `expo=-8`; the requested feeds are always checked.

    A request without a whole reply raises OSError after `timeout` seconds."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        signers: Sequence[str],
        history_url: str | None = None,
        timeout: float = 10,
        **checks: Any,
    ):
        self.base_url = base_url.rstrip("/")
        self.history_url = (history_url or base_url).rstrip("/")
        self.api_key = api_key
        self.signers = signers
        self.timeout = timeout
        self.checks = checks

    def latest(self, feed_id: str, **checks: Any) -> Price:
        return self._prices(f"/prices/{quote(feed_id, safe='')}/latest", [feed_id], checks)[0]

    def batch(self, feed_ids: Sequence[str], **checks: Any) -> list[Price]:
        return self._prices(f"/prices/batch?feedIds={_join(feed_ids)}", feed_ids, checks)

    def evm(self, feed_ids: Sequence[str], **checks: Any) -> list[Price]:
        return self._prices(f"/prices/evm/crypto?feedIds={_join(feed_ids)}", feed_ids, checks)

    def history(self, feed_ids: Sequence[str], minutes: int, **checks: Any) -> dict[str, tuple[Price, Price]]:
        """The highest and the lowest price of each feed, by its id as it was requested."""
        path = f"/prices/queryHistory?feedIds={_join(feed_ids)}&minutes={minutes}"
        prices = self._prices(path, feed_ids, checks)
        pairs = {high.feed_id.upper(): (high, low) for high, low in zip(prices[::2], prices[1::2])}
        return {feed_id: pairs[feed_id.upper()] for feed_id in feed_ids}

    def candles(self, feed_id: str, interval: str) -> list[Candle]:
        """Candles, oldest first. They are not signed. Raises ValueError for a body that lacks some."""
        feed = quote(feed_id.lower(), safe="")
        url = f"{self.history_url}/charting/feeds-data?feedids={feed}&feed={feed}&type=1&interval={quote(interval)}"
        names = ("open", "high", "low", "close", "avg", "volume")
        body = parse(send("GET", url, {}, timeout=self.timeout, statuses=_OK))
        try:
            rows = body["data"]["result"]
            return [Candle(index(row["time"]), *(_number(row[name]) for name in names)) for row in rows]
        except (ArithmeticError, LookupError, TypeError) as error:
            raise ValueError(f"the body has no complete candles: {error!r}") from error

    def _prices(self, path: str, feeds: Sequence[str], checks: Mapping[str, Any]) -> list[Price]:
        headers = {"authorization": self.api_key}
        body = parse(send("GET", self.base_url + path, headers, timeout=self.timeout, statuses=_OK))
        return verify(body, self.signers, feeds=feeds, **{**self.checks, **checks})


def _number(value: Any) -> Decimal:
    # A text is none, as in a price: Decimal would read "NaN" as well.
    if isinstance(value, str):
        raise TypeError(f"{value!r} is a text")
    return Decimal(value)


def _join(feed_ids: Sequence[str]) -> str:
    if isinstance(feed_ids, str):
        raise TypeError('feed_ids is a list of ids, such as ["BTCUSD"]')
    return quote(",".join(feed_ids), safe=",")
