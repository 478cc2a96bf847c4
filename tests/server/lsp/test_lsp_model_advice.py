"""How to get a better model: part of the status, and said once, when an instruction is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from fake_engine import INFO
from lsp_desk import URI, Desk, desk, diagnostic, span

ADVICE = "a better model can be had: run `copydesk model get standard`"


def session(
    monkeypatch: pytest.MonkeyPatch, advice: str | None, test: Callable[[Desk], Awaitable[None]]
) -> None:
    """Run the test in a session whose engine has loaded the model `mini` with this advice."""
    monkeypatch.setattr("fake_engine.INFO", replace(INFO, name="mini", advice=advice))

    async def scenario() -> None:
        async with desk(options={"status": True}) as d:
            d.open("x = 1\n")
            await test(d)

    asyncio.run(scenario())


async def ends(d: Desk, status: str, **what: Any) -> None:
    """Ask for something, which comes to nothing."""
    number = len(d.engine.jobs)
    asked = {"textDocument": {"uri": URI, "version": 1}, "range": span((0, 0), (0, 3)), **what}
    ident = d.ask("copydesk/edit", asked)
    job = await d.engine.job(number)
    job.plan((1, 1))
    job.finished(status, "it does not parse")
    assert (await d.answer(ident))["result"]["status"] == status


def test_the_first_refused_instruction_says_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(d: Desk) -> None:
        for _ in range(2):
            await ends(d, "refused", instruction="shorten it")
            (said,) = d.said()
            assert "mini" in said
            assert ADVICE in said

    session(monkeypatch, ADVICE, test)


@pytest.mark.parametrize("status", ["failed", "unchanged"])
def test_other_ends_say_nothing(monkeypatch: pytest.MonkeyPatch, status: str) -> None:
    async def test(d: Desk) -> None:
        await ends(d, status, instruction="shorten it")
        assert d.said() == []

    session(monkeypatch, ADVICE, test)


def test_a_refused_fix_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(d: Desk) -> None:
        await ends(d, "refused", diagnostic=diagnostic(0))
        assert d.said() == []

    session(monkeypatch, ADVICE, test)


def test_without_a_better_model_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(d: Desk) -> None:
        await ends(d, "refused", instruction="shorten it")
        assert d.said() == []

    session(monkeypatch, None, test)


def test_the_status_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(d: Desk) -> None:
        told = d.notified("copydesk/status")[-1]
        assert (told["model"], told["advice"]) == ("mini", ADVICE)

    session(monkeypatch, ADVICE, test)
