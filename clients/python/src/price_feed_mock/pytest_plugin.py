"""Fixtures of pytest: `price_feed`, a session for each test, on one server for all of them, `price_feed_server`."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

import pytest

from .mock import Server, Session, start


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "price_feed(**options): options of the session, such as scenario='stale-btc'")


@pytest.fixture(scope="session")
def price_feed_server() -> Iterator[Server]:
    """The mock at PRICE_FEED_BASE_URL, or one that npx starts. Override it for another command."""
    with start() as server:
        yield server


@pytest.fixture
def price_feed(price_feed_server: Server, request: pytest.FixtureRequest) -> Iterator[Session]:
    """A session of this test. `@pytest.mark.price_feed(scenario="stale-btc")` sets its options; the nearest mark wins."""
    session = price_feed_server.session(**_options(list(request.node.iter_markers("price_feed"))))
    yield session
    session.close()


def _options(marks: Sequence[pytest.Mark]) -> dict[str, Any]:
    """The options of marks, the nearest first."""
    options: dict[str, Any] = {}
    for mark in reversed(marks):
        if mark.args:
            raise TypeError(f"the mark price_feed takes options by name, such as scenario='stale-btc', not {mark.args[0]!r}")
        options.update(mark.kwargs)
    return options


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Adds the timeline of the session to the report of a failed test."""
    outcome = yield
    report = outcome.get_result()
    session = getattr(item, "funcargs", {}).get("price_feed")
    if report.when == "call" and report.failed and isinstance(session, Session):
        try:
            report.sections.append(("price feed", session.timeline()))
        except Exception as error:  # The report of the failure counts more.
            report.sections.append(("price feed", f"no timeline: {error}"))
