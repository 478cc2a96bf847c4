"""What the tests of real editors share. They are run by name (`make test-editors`); the default run does not collect them."""

from __future__ import annotations

import signal
from typing import Any

import pytest

LIMIT = 240
"""Seconds for one test with what it sets up. An editor that waits for a key answers nothing, and would be waited for forever."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    """Ends a test that hangs, where it hangs."""

    def late(*_: object) -> None:
        raise TimeoutError(f"{item.name} hangs")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LIMIT)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
