"""ruff's own fixes for what a client's tools have found: they go to the engine, and unsafe ones are told apart."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from copydesk.request import ToolFix
from copydesk_server.lsp import prefetch
from fake_engine import FakeJob
from lsp_desk import URI, Desk, applied, desk, edit, span

TEXT = "import os\n\n\ndef f(a):\n    b = 1\n"
REMOVED = ToolFix((edit((0, 0), (1, 0), ""),), safe=True)
PASSED = ToolFix((edit((4, 4), (4, 9), "pass"),))


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


def unused_import(line: int = 0, **more: Any) -> dict[str, Any]:
    said = {"message": "Unused import os", "code": "W0611", "source": "Pylint", "severity": 2}
    return {"range": span((line, 0), (line, 9)), **said, **more}


def unused_variable() -> dict[str, Any]:
    said = {"message": "Unused variable 'b'", "code": "W0612", "source": "Pylint", "severity": 2}
    return {"range": span((4, 4), (4, 5)), **said}


def take_proposed(job: FakeJob) -> None:
    """An engine that makes the first fix proposed to it."""
    (diagnostic,) = job.request.diagnostics
    job.plan((diagnostic.start.line + 1, diagnostic.start.line + 1))
    job.edited(*diagnostic.fixes[0].edits)


async def resolve(d: Desk, found: dict[str, Any]) -> dict[str, Any]:
    where = found["range"]["start"]["line"], found["range"]["start"]["character"]
    (action,) = await d.actions(where, diagnostics=[found], only=["quickfix"])
    resolved: dict[str, Any] = await d.request("codeAction/resolve", action)
    return resolved


@pytest.mark.parametrize(
    ("allowed", "found", "fixes"),
    [
        (None, unused_import(), (REMOVED,)),
        (None, unused_import(source="Ruff", code="F401", message="`os` imported but unused"), (REMOVED,)),
        ("none", unused_import(), ()),
        ("safe", unused_variable(), ()),
        ("unsafe", unused_variable(), (PASSED,)),
    ],
)
def test_they_go_to_the_engine_whoever_reported_the_finding(
    allowed: str | None, found: dict[str, Any], fixes: tuple[ToolFix, ...]
) -> None:
    async def scenario() -> None:
        async with desk(judge=None) as d:
            chosen = {"linterFixes": allowed} if allowed is not None else {}
            d.app.settings.set_values({"precompute": False, **chosen})
            d.open(TEXT)
            asking = asyncio.create_task(resolve(d, found))
            job = await d.engine.job(0)
            assert job.request.diagnostics[0].fixes == fixes
            job.finished("unchanged")
            await asking

    run(scenario)


def test_a_change_while_ruff_runs_moves_them() -> None:
    running, go_on = asyncio.Event(), asyncio.Event()

    async def propose(_document: Any, diagnostics: Any) -> Any:
        running.set()
        await go_on.wait()
        return [replace(each, fixes=(REMOVED,)) for each in diagnostics]

    async def scenario() -> None:
        async with desk(propose=propose) as d:
            d.open(TEXT)
            asking = asyncio.create_task(resolve(d, unused_import()))
            await running.wait()
            d.change((0, 0), (0, 0), "# a comment\n")
            go_on.set()
            job = await d.engine.job(0)
            (asked,) = job.request.diagnostics
            assert asked.start.line == 1
            assert asked.fixes == (ToolFix((edit((1, 0), (2, 0), ""),), safe=True),)
            take_proposed(job)
            changed = await asking
            assert applied(d.text(), changed["edit"], 2) == "# a comment\n" + TEXT.removeprefix("import os\n")

    run(scenario)


def test_a_document_closed_while_ruff_runs_ends_the_request() -> None:
    running = asyncio.Event()

    async def propose(_document: Any, diagnostics: Any) -> Any:
        running.set()
        await asyncio.Event().wait()

    async def scenario() -> None:
        async with desk(propose=propose) as d:
            d.open(TEXT)
            (action,) = await d.actions((0, 0), diagnostics=[unused_import()], only=["quickfix"])
            ident = d.ask("codeAction/resolve", action)
            await running.wait()
            d.close()
            assert (await d.answer(ident))["error"]["code"] == -32801
            assert not d.engine.jobs

    run(scenario)


@pytest.mark.parametrize(("safe", "preferred"), [(True, True), (False, None)])
def test_only_safe_fixes_are_preferred_and_fix_all(
    safe: bool, preferred: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefetch, "CALM", 0.0)
    text = TEXT.replace("b = 1", "b = a")  # which may fail, so that an unsafe fix is one

    async def propose(_document: Any, diagnostics: Any) -> Any:
        return [replace(each, fixes=(ToolFix(PASSED.edits, safe),)) for each in diagnostics]

    async def scenario() -> None:
        async with desk(propose=propose) as d:
            d.engine.script = take_proposed
            d.open(text)
            found = [unused_variable()]
            d.notify("copydesk/diagnostics", {"uri": URI, "version": 1, "diagnostics": found})
            while not d.app.prefetch.count:
                await d.settled()
            (action,) = await d.actions((4, 4), only=["quickfix"])
            assert applied(text, action["edit"], 1) == text.replace("b = a", "pass")
            assert action.get("isPreferred") is preferred
            known = {"verdict": "confirmed", "applicability": "safe" if safe else "unsafe"}
            assert known.items() <= action["data"].items()
            asked = {"textDocument": {"uri": URI, "version": 1}, "diagnostic": found[0]}
            answer = await d.request("copydesk/edit", asked)
            assert answer["applicability"] == ("safe" if safe else "unsafe")
            (action,) = await d.actions((0, 0), only=["source.fixAll.copydesk"])
            ident = d.ask("codeAction/resolve", action)
            answer = await d.answer(ident)
            assert ("edit" in answer["result"]) == safe
            assert answer["result"]["data"].get("verdict") == ("confirmed" if safe else None)

    run(scenario)
