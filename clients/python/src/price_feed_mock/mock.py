"""The simulator in tests: a server, and sessions of it with their own prices, clock and faults."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from decimal import Decimal
from typing import Any, Sequence
from urllib.parse import urlencode

from .client import Client, send
from .verify import parse

# A failed test shows its own line, not those of this file.
__tracebackhide__ = True

# Never downloads: without an installation, the name could be that of another package.
COMMAND = ("npx", "--no", "--", "price-feed-mock", "--port", "0", "--log", "off")


class Server:
    """A running mock. `stop` ends the process, if it was started here."""

    def __init__(self, url: str, token: str | None, process: subprocess.Popen | None = None):
        self.url = url
        self._headers = {"x-admin-token": token} if token else {}
        self._process = process

    def session(self, **options: Any) -> Session:
        """Creates a session. `options` are those of `POST /_mock/sessions`: seed, clock, scenario, prices, policy, …"""
        return Session(self, options)

    def admin(self, method: str, path: str, body: Any = None) -> Any:
        """Calls a route of docs/admin-api.md. Raises ServiceError."""
        text = send(method, f"{self.url}/_mock{path}", self._headers, body)
        return parse(text) if text else None

    def _requests(self, session: str, query: dict[str, Any] = {}) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        more: dict[str, Any] = {}
        # A page has a limit of bytes as well.
        while True:
            page = self.admin("GET", f"/sessions/{session}/requests?{urlencode({**query, **more})}")
            found += page["requests"]
            if "next" not in page:
                return found
            more = {"after": page["next"]}

    def stop(self) -> None:
        if self._process is not None:
            _end(self._process)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()


def start(
    url: str | None = None, command: Sequence[str] | None = None, token: str | None = None, timeout: float = 60
) -> Server:
    """Uses the mock at `url`, by default PRICE_FEED_BASE_URL, which `price-feed-mock exec` sets. Without one it runs a command,
    by default the installed package by npx, and takes the URL from its first line of output.

    A container needs both: `start("http://127.0.0.1:4700", ["docker", "run", "--rm", "-p", "127.0.0.1:4700:4700", …])`."""
    token = token or os.environ.get("PRICE_FEED_MOCK_ADMIN_TOKEN")
    given = url or (None if command else os.environ.get("PRICE_FEED_BASE_URL"))
    if given and not command:
        return Server(_root(given), token)
    words = list(command or COMMAND)
    program = shutil.which(words[0])
    if program is None:
        raise FileNotFoundError(f"{words[0]} was not found: install it, or set PRICE_FEED_BASE_URL to a running mock.")
    with tempfile.TemporaryFile("w+") as errors:
        # A session of its own, so that the signal reaches the mock behind npx, which forwards none.
        process = subprocess.Popen(
            [program, *words[1:]], stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
        )
        is_late = threading.Event()
        late = threading.Timer(timeout, lambda: (is_late.set(), _end(process)))
        late.start()
        line = process.stdout.readline().strip()
        late.cancel()
        if not line:
            _end(process)
            errors.seek(0)
            problem = f"gave no URL in {timeout} s" if is_late.is_set() else "ended and gave no URL"
            fix = "Install the package, or set PRICE_FEED_BASE_URL to a running mock"
            raise RuntimeError(f"{' '.join(words)} {problem}. {fix}:\n{errors.read()[-2000:]}")
    return Server(_root(given or line), token, process)


def _root(url: str) -> str:
    """The address of the mock, which a proxy may have below a path, by that of the mock or of a session."""
    return re.sub(r"([^/])/(session|scenario)/.*|/+$", r"\1", url)


def _end(process: subprocess.Popen) -> None:
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGTERM) if hasattr(os, "killpg") else process.terminate()
        except ProcessLookupError:
            pass
        process.wait(10)
    process.stdout.close()


def _count(requests: Sequence[Any]) -> str:
    return f"{len(requests)} request{'' if len(requests) == 1 else 's'}"


def _reason(fault: dict[str, Any]) -> str:
    """Why a fault has not fired."""
    if fault["misses"] == 0:
        return "no endpoint that it acts on was asked"
    return f"{fault['misses']} missed, last: {fault.get('lastMiss')}"


class Session(Client):
    """A session of the mock: prices, clock, faults and requests that no other test sees."""

    def __init__(self, server: Server, options: dict[str, Any]):
        made = server.admin("POST", "/sessions", options)
        super().__init__(made["baseUrl"], made["apiKey"], [made["signer"]["address"]], made["historyUrl"])
        self.id = made["id"]
        self.signer = made["signer"]["address"]
        self._server = server
        # The server counts whole milliseconds: a request of the same one would be earlier than a fraction of it.
        self._opened_ms = int(time.time() * 1000)
        self._closed = False

    def change(self, **body: Any) -> Any:
        """Changes clock, scenario, prices, seed, policy or signing: `PATCH /_mock/sessions/{id}`."""
        return self._admin("PATCH", "", body)

    def now(self) -> int:
        """The virtual time in seconds since the epoch."""
        return self._admin("GET")["clock"]["now"]

    def advance(self, by: str | int) -> None:
        """Moves the clock on by a duration such as "2m", or by seconds."""
        self.change(clock={"advance": by})

    def set_scenario(self, scenario: str | dict | None) -> None:
        """Applies a scenario from now on, by name or as an object; None ends it."""
        self.change(scenario=scenario)

    def set_prices(self, **prices: float | Decimal | None) -> None:
        """Rebases feeds to prices in quote units; None removes the override."""
        self.change(prices=prices)

    def requests(self, endpoint: str | None = None, status: int | None = None) -> list[dict[str, Any]]:
        """The requests of the session, oldest first: the newest 1000, as docs/admin-api.md describes them (JournalEntry). Those to
        one endpoint ("latest") and with one status, which is 0 where no reply was sent, if they are given."""
        given = {"endpoint": endpoint, "status": status}
        return self._server._requests(self.id, {name: value for name, value in given.items() if value is not None})

    def wait_for_requests(
        self, count: int, endpoint: str | None = None, status: int | None = None, timeout: float = 15
    ) -> list[dict[str, Any]]:
        """Waits until there are so many requests, and returns them. Raises AssertionError after `timeout` real seconds."""
        late = time.monotonic() + timeout
        while len(found := self.requests(endpoint, status)) < count:
            if time.monotonic() >= late:
                which = [f"{name} {value}" for name, value in (("endpoint", endpoint), ("status", status)) if value is not None]
                want = ", ".join([f"at least {count}", *which])
                raise AssertionError(f"{_count(found)} in {timeout} s, want {want}{self._elsewhere()}")
            time.sleep(0.01)
        return found

    def timeline(self) -> str:
        """What was asked and answered, beside market and faults, as text."""
        return self._admin("GET", "/timeline")["text"]

    def expect_faults_fired(self) -> None:
        """Raises AssertionError unless every fault of the scenario has changed a reply, with the reason of each that has not."""
        faults = self._admin("GET", "/requests/summary")["faults"]
        silent = [f"{fault['fault']}, {fault['planned']} ({_reason(fault)})" for fault in faults if fault["hits"] == 0]
        if silent or not faults:
            problem = f"never fired: {'; '.join(silent)}{self._elsewhere()}" if faults else "the scenario has no faults"
            raise AssertionError(problem)

    def close(self) -> None:
        """Deletes the session, once: another call does nothing."""
        if not self._closed:
            self._admin("DELETE")
            self._closed = True

    def _elsewhere(self) -> str:
        """The requests since this session began to sessions that no test created: the code under test may use another address."""
        notes = []
        for other in self._server.admin("GET", "/sessions")["sessions"]:
            if other["requests"] == 0 or (other["created"] and other["id"] != "default"):
                continue
            seen = [one for one in self._server._requests(other["id"]) if one["receivedAt"] >= self._opened_ms]
            if seen:
                last = f"{seen[-1]['method']} {seen[-1]['target']} with status {seen[-1]['status']}"
                notes.append(f"\n{_count(seen)} went to the session {other['id']} meanwhile, the newest {last}")
        return "".join([*notes, "\nuse base_url and api_key of the session in the code under test"] if notes else [])

    def _admin(self, method: str, path: str = "", body: Any = None) -> Any:
        return self._server.admin(method, f"/sessions/{self.id}{path}", body)
