"""A name that was written over, and what is proposed for its other uses."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from lsprotocol import types

from copydesk.request import Diagnostic, ToolFix
from copydesk.text.document import Encoding
from copydesk_server.lsp import prefetch
from copydesk_server.lsp.documents import Documents
from copydesk_server.lsp.manual_renames import ManualRenames
from fake_engine import FakeJob
from lsp_desk import RESOLVES, URI, Desk, desk, edit, nothing_proposed, span

TEXT = "def f(n, m):\n    k = n + m\n    return n\n"
PARAMETER = (0, 6)
USE = (1, 8)
SHOWS: dict[str, Any] = {
    **RESOLVES,
    "textDocument": {**RESOLVES["textDocument"], "inlineCompletion": {}},
}
Keys = list[list[tuple[tuple[int, int], tuple[int, int], str]]]
"""Notifications, each with its changes: from, to, new text."""


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetch, "CALM", 0.0)


def typed(place: tuple[int, int], text: str) -> Keys:
    """One notification a character."""
    line, column = place
    spots = [(line, column + k) for k in range(len(text))]
    return [[(spot, spot, char)] for spot, char in zip(spots, text, strict=True)]


def undefined(name: str, line: int, column: int) -> dict[str, Any]:
    said = {"message": f"Undefined name `{name}`", "code": "F821", "source": "Ruff", "severity": 1}
    return {"range": span((line, column), (line, column + len(name))), **said}


def push(d: Desk, *findings: dict[str, Any]) -> None:
    d.notify("copydesk/diagnostics", {"uri": URI, "version": d.version(), "diagnostics": list(findings)})


N = PARAMETER
N_END = (0, 7)
CASES: dict[str, tuple[Keys, str | None]] = {
    "nothing was written": ([], None),
    "at once": ([[(N, N_END, "number")]], "number"),
    "letter by letter": ([[(N, N_END, "")], *typed(N, "number")], "number"),
    "behind it": (typed(N_END, "umber"), "number"),
    "before it": ([[(N, N, "r")], [((0, 7), (0, 7), "ow_")]], "row_n"),
    "letters of one notification": ([[(N, N_END, ""), (N, N, "a"), (N_END, N_END, "b")]], "ab"),
    "and again": ([[(N, N_END, "number")], [((0, 6), (0, 12), "count")]], "count"),
    "and back": ([[(N, N_END, "number")], [((0, 6), (0, 12), "n")]], None),
    "to nothing yet": ([[(N, N_END, "")]], None),
    "to no name": ([[(N, N_END, "1n")]], None),
    "to a keyword": ([[(N, N_END, "not")]], None),
    "another name": ([[((0, 9), (0, 10), "number")]], None),
    "two at once": ([[(N, (0, 10), "number, m")]], "number"),
    "all of the line": ([[(N, (0, 10), "a, b")]], None),
    "then elsewhere": ([[(N, N_END, "number")], [((2, 4), (2, 4), "\n    ")]], "number"),
    "then beside it": ([[(N, N_END, "number")], [((1, 9), (1, 9), " ")], [((1, 9), (1, 10), "")]], "number"),
    "over two lines": ([[(N, (1, 4), "number):\n    ")]], None),
    "in two lines at once": ([[(N, N_END, "number"), (USE, (1, 9), "nu")]], None),
}  # fmt: skip


@pytest.mark.parametrize(("keys", "expected"), CASES.values(), ids=CASES)
def test_the_new_name_is_proposed_for_the_old_one(keys: Keys, expected: str | None) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            for changes in keys:
                d.changes(changes)
            push(d, undefined("n", *USE))
            job = await d.engine.job(0)
            (found,) = job.request.diagnostics
            place = edit(USE, (1, 9), expected or "")
            assert found.fixes == ((ToolFix((place,), safe=True),) if expected is not None else ())
            job.finished("refused")

    run(scenario)


@pytest.mark.parametrize(
    ("line", "binds"),
    [
        ("def f(n):", True),
        ("async def f(a, *, n=1):", True),
        ("def f(a=m, n=1):", True),
        ("def f(a=n):", False),
        ("def f(a: n):", False),
        ("def f(a: dict[str, n]):", False),
        ("def f(a: dict[str, int], n: int):", True),
        ("def f(a) -> n:", False),
        ("class A(n):", False),
        ("n = " + 1000 * "1", False),
        ("def n():", True),
        ("class n:", True),
        ("n = 1", True),
        ("a, n = 1, 2", True),
        ("n, a = 1, 2", True),
        ("n: int = 1", True),
        ("    n: int,", True),
        ("for n in rows:", True),
        ("for a, n in rows:", True),
        ("for a in n:", False),
        ("x = [a for n in rows]", True),
        ("x = [n for a in rows]", False),
        ("x = lambda n: 1", True),
        ("x = lambda a: n", False),
        ("with open(a) as n:", True),
        ("import n", True),
        ("from a import b, n", True),
        ("if (n := 1):", True),
        ("if n == 1:", False),
        ("f(n=1)", False),
        ("x = n", False),
        ("return n", False),
        ("f(n)", False),
        ("else_ = {1: n}", False),
        ("n.a = 1", False),
        ("if n: pass", False),
    ],
)
def test_only_a_place_that_binds_the_name_counts(line: str, binds: bool) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(f"{line}\nprint(n)\n")
            (place,) = re.finditer(r"(?<!\w)n(?!\w)", line)
            d.change((0, place.start()), (0, place.end()), "number")
            push(d, undefined("n", 1, 6))
            job = await d.engine.job(0)
            assert bool(job.request.diagnostics[0].fixes) is binds
            job.finished("refused")

    run(scenario)


def test_a_line_of_a_document_that_became_too_large_is_not_read() -> None:
    followed: list[tuple[int, str] | None] = []
    documents = Documents(Encoding.UTF16, most_bytes=lambda _: 20)
    documents.subscribe(
        lambda _: None, lambda document, *_: followed.append(document.rewritten), lambda _: None
    )
    ManualRenames(documents, nothing_proposed)
    documents.open(types.TextDocumentItem(URI, "python", 1, "f(n)\nn = 1\n"))
    for version, text in enumerate(("m", "much_longer_than_that")):
        place = types.Range(types.Position(0, 2), types.Position(0, 3))
        documents.change(URI, 2 + version, [types.TextDocumentContentChangePartial(place, text)])
    assert followed == [(0, "f(n)\n"), None]


@pytest.mark.parametrize(
    "finding",
    [
        {**undefined("n", *USE), "message": "Comparison to `n`", "code": "E711"},
        undefined("m", 1, 12),
        undefined("k", 1, 4),
    ],
)
def test_nothing_is_proposed_for_anything_else(finding: dict[str, Any]) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            d.change(N, N_END, "number")
            push(d, finding)
            job = await d.engine.job(0)
            assert job.request.diagnostics[0].fixes == ()
            job.finished("refused")

    run(scenario)


@pytest.mark.parametrize("pause", ["none", "elsewhere"])
def test_what_was_computed_for_half_a_name_is_forgotten(pause: str) -> None:
    """The use is on a line of its own: that it is about another name by now is not seen there."""

    def replaces(job: FakeJob) -> None:
        (fix,) = job.request.diagnostics[0].fixes
        job.plan((2, 2))
        job.edited(*fix.edits)

    async def shown(d: Desk) -> list[str]:
        place = {"line": USE[0], "character": USE[1]}
        params = {"textDocument": {"uri": URI}, "position": place, "context": {"triggerKind": 2}}
        found = await d.request("textDocument/inlineCompletion", params)
        return [item["insertText"] for item in found]

    async def scenario() -> None:
        async with desk(SHOWS) as d:
            d.app.settings.set_values({"inlineCompletions": True})
            d.engine.script = replaces
            d.open(TEXT)
            for keys, expected in ((typed(N_END, "um"), "um"), (typed((0, 9), "ber"), "umber")):
                for changes in keys:
                    d.changes(changes)
                push(d, undefined("n", *USE))
                async with asyncio.timeout(60):
                    while not d.app.prefetch.count:
                        await d.settled()
                assert await shown(d) == [expected]
                if pause == "elsewhere":
                    d.change((2, 12), (2, 12), " ")
            assert d.app.prefetch.count == 1

    run(scenario)


def test_what_tools_propose_goes_on() -> None:
    seen: list[list[Diagnostic]] = []

    async def more(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
        return diagnostics

    def propose(_: Any, diagnostics: list[Diagnostic]) -> Awaitable[list[Diagnostic]]:
        seen.append(list(diagnostics))
        return more(diagnostics)

    async def scenario() -> None:
        async with desk(propose=propose) as d:
            d.open(TEXT)
            d.change(N, N_END, "number")
            push(d, undefined("n", *USE))
            job = await d.engine.job(0)
            assert [list(job.request.diagnostics)] == seen
            job.finished("refused")

    run(scenario)
