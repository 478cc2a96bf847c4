"""What the tests of real editors share. They are run by name (`make test-editors`); the default run does not collect them."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

import pytest

LIMIT = 240
"""Seconds for one step of a test: what it sets up, the test, its end. An editor that waits for a key answers nothing, and would
be waited for forever.
"""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Ends what hangs, where it hangs."""
    with _limited(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Ends what hangs, where it hangs."""
    with _limited(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Ends what hangs, where it hangs."""
    with _limited(item):
        return (yield)


@contextlib.contextmanager
def _limited(item: pytest.Item) -> Iterator[None]:
    def late(*_: object) -> None:
        raise TimeoutError(f"{item.name} hangs")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
