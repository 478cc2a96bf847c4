"""Ghost text: what shows at a cursor, when it is asked for, and what is counted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from copydesk.text.document import Encoding, TextEdit, TextLines, apply_edits
from copydesk_server.lsp import prefetch
from copydesk_server.lsp.capabilities import ACCEPTED, COMMANDS, server_capabilities
from copydesk_server.lsp.ghost_text import insertion
from copydesk_server.verification import Judgement
from fake_engine import FakeJob
from lsp_desk import RESOLVES, URI, Desk, desk, diagnostic, edit, span
from lsp_model import faults

METHOD = "textDocument/inlineCompletion"
AGAIN = "copydesk/inlineCompletions"
SHOWS: dict[str, Any] = {
    **RESOLVES,
    "textDocument": {**RESOLVES["textDocument"], "inlineCompletion": {"dynamicRegistration": True}},
}
HEADER = "def f(x):\n    if x\n        return 1\n"
END = (1, 8)
COLON = edit(END, END, ":")


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetch, "CALM", 0.0)


def makes(*edits: TextEdit, **more: Any) -> Callable[[FakeJob], None]:
    """An engine that has these edits for the first finding, and nothing for any other."""

    def script(job: FakeJob) -> None:
        if job.request.diagnostics[0].message != "M":
            job.finished("refused", "nothing")
            return
        job.plan((edits[0].start.line + 1, edits[-1].end.line + 1))
        job.edited(*edits, **more)

    return script


def judged(verdict: Any, applicability: Any = "safe") -> Any:
    async def judge(*_: Any, **__: Any) -> Judgement:
        return Judgement(verdict, None, (), applicability)

    return judge


def finding(line: int, message: str = "M") -> dict[str, Any]:
    return diagnostic(line, message)


def push(d: Desk, *findings: dict[str, Any]) -> None:
    d.notify("copydesk/diagnostics", {"uri": URI, "version": d.version(), "diagnostics": list(findings)})


async def prefetched(d: Desk, count: int = 1) -> None:
    async with asyncio.timeout(60):
        while d.app.prefetch.count != count:
            await asyncio.sleep(0)


def at(place: tuple[int, int], **context: Any) -> dict[str, Any]:
    return {
        "textDocument": {"uri": URI},
        "position": {"line": place[0], "character": place[1]},
        "context": {"triggerKind": 2, **context},
    }


async def shown(d: Desk, place: tuple[int, int], **context: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = await d.request(METHOD, at(place, **context))
    return found


def item(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, Any]:
    command = {"title": "copydesk: count what is accepted", "command": ACCEPTED}
    return {"insertText": text, "range": span(start, end), "command": command}


# -- what an editor can show -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """Edits of a text, and where they show with the cursor at a place: (line, column, text), in code points."""

    text: str
    cursor: tuple[int, int]
    edits: tuple[TextEdit, ...]
    shows: tuple[int, int, str] | None


CASES = {
    "at the cursor": Case(HEADER, END, (COLON,), (1, 8, ":")),
    "behind the cursor": Case(HEADER, (1, 2), (COLON,), (1, 8, ":")),
    "before the cursor": Case(HEADER, END, (edit((1, 4), (1, 4), "el"),), None),
    "on another line": Case(HEADER, (0, 9), (COLON,), None),
    "whole lines": Case(HEADER, END, (edit((1, 0), (2, 0), "    if x:\n"),), (1, 8, ":")),
    "with the lines round it": Case(
        HEADER, END, (edit((0, 0), (3, 0), "def f(x):\n    if x:\n        return 1\n"),), (1, 8, ":")
    ),
    "a longer name": Case("f(num * 2)\n", (0, 5), (edit((0, 2), (0, 5), "num_items"),), (0, 5, "_items")),
    "a longer name, from inside": Case(
        "f(num * 2)\n", (0, 3), (edit((0, 2), (0, 5), "num_items"),), (0, 5, "_items")
    ),
    "another name": Case("f(num)\n", (0, 2), (edit((0, 2), (0, 5), "count"),), None),
    "a shorter name": Case("f(nums)\n", (0, 2), (edit((0, 2), (0, 6), "num"),), None),
    "two places": Case("f(a b c)\n", (0, 0), (edit((0, 3), (0, 3), ","), edit((0, 5), (0, 5), ",")), None),
    "two edits that meet": Case("f(a\n", (0, 3), (edit((0, 3), (0, 3), ")"), edit((0, 3), (0, 3), ";")), (0, 3, ");")),
    "an import above": Case(
        "x = 1\nos.sep\n", (1, 6), (edit((0, 0), (0, 0), "import os\n"), edit((1, 6), (1, 6), "\n")), None
    ),
    "behind what is there already": Case("f(g(1)\n", (0, 5), (edit((0, 5), (0, 5), ")"),), (0, 6, ")")),
    "white space alone": Case("a=1\n", (0, 1), (edit((0, 1), (0, 1), " "),), None),
    "blank lines alone": Case("a = 1\nb = 2\n", (0, 5), (edit((0, 5), (0, 5), "\n\n"),), None),
    "lines below": Case(
        "def f():\n\nx = 1\n", (0, 8), (edit((1, 0), (1, 0), "    pass\n"),), (0, 8, "\n    pass")
    ),
    "lines below, with their own breaks": Case(
        "def f():\r\n\r\nx = 1\r\n", (0, 8), (edit((1, 0), (1, 0), "    pass\r\n"),), (0, 8, "\n    pass")
    ),
    "lines below, from the line above that": Case(
        "a\ndef f():\n\n", (0, 1), (edit((2, 0), (2, 0), "    pass\n"),), None
    ),
    "a line above": Case("x = 1\n", (0, 0), (edit((0, 0), (0, 0), "y = 1\n"),), None),
    "characters of two units": Case("s = '😀\n", (0, 7), (edit((0, 7), (0, 7), "'"),), (0, 6, "'")),
    "the last line, without a break": Case("f(1", (0, 3), (edit((0, 3), (0, 3), ")"),), (0, 3, ")")),
    "below the last line": Case("f(1)\n", (1, 0), (edit((1, 0), (1, 0), "x"),), None),
    "nothing": Case("f(1)\n", (0, 4), (), None),
    "the same again": Case("f(1)\n", (0, 0), (edit((0, 0), (0, 4), "f(1)"),), None),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_only_what_puts_text_in_at_the_cursor_or_behind_it(case: Case) -> None:
    lines = TextLines(case.text)
    line, column = lines.locate(edit(case.cursor, case.cursor, "").start)
    found = insertion(lines, case.edits, Encoding.UTF16, line, column)
    if case.shows is None:
        assert found is None
        return
    assert found is not None
    assert (found.line, found.start, found.text) == case.shows
    assert found.start == found.end >= column
    # What the editor makes of it is what the edits would have made.
    place = lines.position(found.line, found.start)
    put_in = TextEdit(place, place, found.text)
    there, wanted = (apply_edits(case.text, edits) for edits in ([put_in], case.edits))
    assert there == wanted.replace("\r\n    pass", "\n    pass")


# -- what is offered -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cursor", "expected"),
    [
        (END, [item(END, END, ":")]),
        ((1, 4), [item(END, END, ":")]),
        ((0, 9), []),
        ((2, 0), []),
        ((9, 9), []),
    ],
)
def test_a_confirmed_fix_is_offered_on_its_line(cursor: tuple[int, int], expected: list[Any]) -> None:
    async def scenario() -> None:
        async with desk(SHOWS) as d:
            d.app.settings.set_values({"inlineCompletions": True})
            d.engine.script = makes(COLON)
            d.open(HEADER)
            assert await shown(d, cursor) == [], "nothing is computed for it"
            push(d, finding(1))
            await prefetched(d)
            found = await shown(d, cursor)
            assert found == expected
            assert faults({"jsonrpc": "2.0", "id": 1, "result": found}, answers=METHOD) == []
            assert len(d.engine.jobs) == 1

    run(scenario)


@pytest.mark.parametrize(
    ("judge", "offered"),
    [
        (judged("confirmed"), True),
        (judged("confirmed", "unsafe"), False),
        (judged("checked"), False),
        (judged("refused"), False),
    ],
)
def test_only_what_is_confirmed_and_safe(judge: Any, offered: bool) -> None:
    async def scenario() -> None:
        async with desk(SHOWS, judge=judge) as d:
            d.app.settings.set_values({"inlineCompletions": True})
            d.engine.script = makes(COLON)
            d.open(HEADER)
            push(d, finding(1))
            await prefetched(d)
            assert bool(await shown(d, END)) is offered

    run(scenario)


def test_what_was_proven_for_a_menu_is_offered() -> None:
    async def scenario() -> None:
        async with desk(SHOWS, tools=True) as d:
            d.app.settings.set_values({"inlineCompletions": True, "precomputeLimit": 0})
            d.open(HEADER)
            colon = {
                **diagnostic(1, "Expected `:`, found newline", code="invalid-syntax", source="Ruff"),
                "range": span(END, (2, 0)),
            }
            push(d, colon)
            assert await shown(d, END) == []
            (action,) = await d.actions((1, 0), diagnostics=[colon], only=["quickfix"])
            assert "edit" in action
            assert await shown(d, END) == [item(END, END, ":")]
            assert not d.engine.jobs

    run(scenario)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (((1, 8), (1, 8), " "), []),
        (((0, 0), (0, 0), "\n"), [item((2, 8), (2, 8), ":")]),
        (((2, 8), (2, 14), "pass  "), [item(END, END, ":")]),
    ],
    ids=["in its line", "above", "below"],
)
def test_it_is_for_the_text_as_it_is(change: Any, expected: list[Any]) -> None:
    async def scenario() -> None:
        async with desk(SHOWS) as d:
            d.app.settings.set_values({"inlineCompletions": True})
            d.engine.script = makes(COLON)
            d.open(HEADER)
            push(d, finding(1))
            await prefetched(d)
            d.engine.script = None
            d.change(*change)
            line = 2 if change[2] == "\n" else 1
            assert await shown(d, (line, 8)) == expected
            # The tool that found it has nothing to say any more: the fix is of a problem that is gone.
            push(d)
            assert await shown(d, (line, 8)) == []

    run(scenario)


def test_edits_in_the_clients_encoding() -> None:
    async def scenario() -> None:
        capabilities = {**SHOWS, "general": {"positionEncodings": ["utf-8"]}}
        async with desk(capabilities) as d:
            d.app.settings.set_values({"inlineCompletions": True})
            d.engine.script = makes(edit((0, 9), (0, 9), "'"))
            d.open("s = '😀\n")
            push(d, finding(0))
            await prefetched(d)
            assert await shown(d, (0, 9)) == [item((0, 9), (0, 9), "'")]

    run(scenario)


NAME = "def total(num_items):\n    return num\n"
SELECTED: list[tuple[Any, str, list[Any]]] = [
    (span((1, 11), (1, 14)), "num", [item((1, 11), (1, 14), "num_items")]),
    (span((1, 11), (1, 14)), "num_", [item((1, 11), (1, 14), "num_items")]),
    (span((1, 11), (1, 12)), "num_", [item((1, 11), (1, 14), "num_items")]),
    (span((1, 11), (1, 14)), "num_items", []),
    (span((1, 11), (1, 14)), "number", []),
    (span((1, 14), (1, 14)), "_it", [item((1, 14), (1, 14), "_items")]),
    (span((1, 4), (1, 6)), "return n", [item((1, 4), (1, 14), "return num_items")]),
    (span((0, 0), (0, 3)), "num", []),
    (span((0, 0), (1, 3)), "num", []),
]


@pytest.mark.parametrize(("chosen", "text", "expected"), SELECTED)
def test_it_goes_on_from_the_selected_completion(chosen: Any, text: str, expected: list[Any]) -> None:
    async def scenario() -> None:
        async with desk(SHOWS) as d:
            d.app.settings.set_values({"inlineCompletions": True})
            d.engine.script = makes(edit((1, 11), (1, 14), "num_items"))
            d.open(NAME)
            push(d, finding(1))
            await prefetched(d)
            selected = {"range": chosen, "text": text}
            assert await shown(d, (1, 14), selectedCompletionInfo=selected) == expected

    run(scenario)


# -- to whom, and when -----------------------------------------------------------------------------------------------------


def test_it_is_off_unless_it_is_set() -> None:
    async def scenario() -> None:
        async with desk(SHOWS, {"inlineCompletions": True}) as d:
            d.engine.script = makes(COLON)
            d.open(HEADER)
            push(d, finding(1))
            await prefetched(d)
            assert await shown(d, END) == []
            assert (await d.request("copydesk/status", None))["inlineCompletions"]["shown"] == 0
            d.engine.script = makes(COLON)
            d.app.settings.set_values({"inlineCompletions": True})
            await prefetched(d, 0)
            await prefetched(d)
            assert await shown(d, END) == [item(END, END, ":")]
            d.app.settings.set_values({"inlineCompletions": False})
            assert await shown(d, END) == []
            assert d.notified(AGAIN) == []

    run(scenario)


def test_a_client_without_them_is_announced_none() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.app.settings.set_values({"inlineCompletions": True})
            d.open(HEADER)
            answer = await d.answer(d.ask(METHOD, at(END)))
            assert answer["error"]["code"] == -32601

    for client in ({}, RESOLVES, {"textDocument": {"inlineCompletion": None}}, {"textDocument": 5}):
        said = server_capabilities(client)
        assert "inlineCompletionProvider" not in said
        assert said["executeCommandProvider"]["commands"] == list(COMMANDS)
    said = server_capabilities(SHOWS)
    assert said["inlineCompletionProvider"] == {}
    assert said["executeCommandProvider"]["commands"] == [*COMMANDS, ACCEPTED]
    run(scenario)


@pytest.mark.parametrize("refreshes", [True, False])
def test_the_client_hears_when_there_is_more_where_it_asked_last(refreshes: bool) -> None:
    async def scenario() -> None:
        async with desk(SHOWS, {"inlineCompletions": refreshes}) as d:
            d.app.settings.set_values({"inlineCompletions": True})
            d.engine.script = makes(COLON)
            d.open(HEADER)
            assert await shown(d, END) == []
            push(d, finding(1), finding(2, "other"))
            await prefetched(d, 2)
            place = {"line": END[0], "character": END[1]}
            told = [{"uri": URI, "version": 1, "position": place}] if refreshes else []
            assert d.notified(AGAIN) == told
            assert await shown(d, END) == [item(END, END, ":")]
            push(d, finding(1), finding(2, "another"))
            await prefetched(d, 3)
            assert d.notified(AGAIN) == told, "there is nothing new"

    run(scenario)


@pytest.mark.parametrize("meanwhile", ["elsewhere", "changed", "closed"])
def test_it_does_not_hear_of_what_it_did_not_ask_for(meanwhile: str) -> None:
    async def scenario() -> None:
        async with desk(SHOWS, {"inlineCompletions": True}) as d:
            d.app.settings.set_values({"inlineCompletions": True})
            d.engine.script = makes(COLON)
            d.open(HEADER)
            assert await shown(d, (0, 3) if meanwhile == "elsewhere" else END) == []
            if meanwhile == "changed":
                d.change((0, 6), (0, 7), "y")
            elif meanwhile == "closed":
                d.close()
                d.open(HEADER)
            push(d, finding(1))
            await prefetched(d)
            assert d.notified(AGAIN) == []

    run(scenario)


def test_what_is_shown_and_accepted_is_counted() -> None:
    async def counts(d: Desk) -> Any:
        return (await d.request("copydesk/status", None))["inlineCompletions"]

    async def scenario() -> None:
        async with desk(SHOWS) as d:
            d.app.settings.set_values({"inlineCompletions": True})
            d.engine.script = makes(COLON)
            d.open(HEADER)
            assert await counts(d) == {"shown": 0, "accepted": 0}
            push(d, finding(1))
            await prefetched(d)
            for _ in range(3):
                (offered,) = await shown(d, END)
            assert await counts(d) == {"shown": 1, "accepted": 0}
            d.change(END, END, offered["insertText"])
            await d.request("workspace/executeCommand", {"command": offered["command"]["command"]})
            assert await counts(d) == {"shown": 1, "accepted": 1}

    run(scenario)
