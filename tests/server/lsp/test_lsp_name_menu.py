"""The candidates for a name that nothing defines: all are listed, and only one that is alone is preferred."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from copydesk_server.lsp import prefetch
from fake_engine import FakeJob
from lsp_desk import URI, applied, desk, edit, span

TWO = "def f(cat, car):\r\n    return caz + cat + car\r\n"
ONE = "def f(total):\n    return totl\n"


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


def undefined(name: str) -> dict[str, Any]:
    said = {"message": f"Undefined name `{name}`", "code": "F821", "source": "Ruff", "severity": 1}
    return {"range": span((1, 11), (1, 11 + len(name))), **said}


@pytest.mark.parametrize(
    ("text", "name", "titles"),
    [
        (TWO, "caz", ["Change to car (copydesk)", "Change to cat (copydesk)"]),
        (ONE, "totl", []),
        ("def f(total):\n    return frobnicate\n", "frobnicate", []),
    ],
)
def test_they_are_listed_where_there_are_several(text: str, name: str, titles: list[str]) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.app.settings.set_values({"precompute": False})
            d.open(text)
            first, *rest = await d.actions((1, 11), diagnostics=[undefined(name)], only=["quickfix"])
            assert first["title"] == f"Fix: Undefined name `{name}` (copydesk)"
            assert [action["title"] for action in rest] == titles
            for action in rest:
                word = action["title"].split()[2]
                assert applied(text, action["edit"], 1) == text.replace(name, word)
                assert "isPreferred" not in action
            assert not d.engine.jobs

    run(scenario)


@pytest.mark.parametrize(
    ("text", "name", "good", "preferred", "others"),
    [(TWO, "caz", "cat", None, ["Change to car (copydesk)"]), (ONE, "totl", "total", True, [])],
)
def test_only_one_that_is_alone_is_preferred(
    text: str,
    name: str,
    good: str,
    preferred: bool | None,
    others: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(prefetch, "CALM", 0.0)

    def take(job: FakeJob) -> None:
        job.plan((2, 2))
        job.edited(edit((1, 11), (1, 11 + len(name)), good))

    async def scenario() -> None:
        async with desk() as d:
            d.engine.script = take
            d.open(text)
            found = [undefined(name)]
            d.notify("copydesk/diagnostics", {"uri": URI, "version": 1, "diagnostics": found})
            while not d.app.prefetch.count:
                await d.settled()
            first, *rest = await d.actions((1, 11), diagnostics=found, only=["quickfix"])
            assert applied(text, first["edit"], 1) == text.replace(name, good)
            assert first.get("isPreferred") is preferred
            assert [action["title"] for action in rest] == others

    run(scenario)
