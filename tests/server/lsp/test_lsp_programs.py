"""`copydesk/program`: whose program it is, by whatever way it came about, and where each of its lines comes from."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from copydesk import oracle_program
from copydesk.text.document import split_lines, terminator
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.lsp import prefetch
from copydesk_server.lsp.programs import rows
from fake_engine import FakeJob
from lsp_desk import URI, Desk, desk, diagnostic, edit, span

TEXT = "a = 1\nb = 2\nif x == None:\n    pass\nc = 3\n"
FIX = edit((2, 5), (2, 7), "is")
FIXED = TEXT.replace("==", "is")


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


def fixes(made: FakeJob, status: Any = "edited") -> None:
    """An engine that knows, and says by which program."""
    made.plan((3, 3))
    program = str(oracle_program(made.text, made.text.replace("==", "is")))
    edits = (FIX,) if status == "edited" else ()
    made.job.finish(EditOutcome(status, None, made.job.version, edits=edits, program=program))


async def asked(d: Desk) -> Any:
    return await d.request("copydesk/program", {})


def texts(lines: list[dict[str, Any]]) -> list[str]:
    return ["".join(text for _, text in row["parts"]) for row in lines]


@pytest.mark.parametrize("status", ["edited", "refused"])
def test_after_a_streamed_edit(status: str) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            assert await asked(d) is None
            d.engine.script = lambda made: fixes(made, status)
            params = {"textDocument": {"uri": URI, "version": 1}, "range": span((2, 0), (3, 0))}
            await d.request("copydesk/edit", {**params, "instruction": "Use is."})
            d.change((0, 0), (5, 0), "gone\n")  # it is still known what the program was for
            last = await asked(d)
            assert (last["uri"], last["baseVersion"], last["status"]) == (URI, 1, status)
            assert last["program"] == str(oracle_program(TEXT, FIXED))
            assert texts(last["lines"]) == FIXED.split("\n")[:-1]
            assert [row["origin"] for row in last["lines"]].count("copied") == 4

    run(scenario)


def test_after_an_action_that_was_resolved() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.engine.script = fixes
            d.open(TEXT)
            (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2)])
            assert await asked(d) is None
            await d.request("codeAction/resolve", action)
            assert (await asked(d))["program"] == str(oracle_program(TEXT, FIXED))

    run(scenario)


def test_after_an_action_that_came_with_its_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody says that it was chosen: the text does."""
    monkeypatch.setattr(prefetch, "CALM", 0.0)

    async def scenario() -> None:
        async with desk() as d:
            d.engine.script = fixes
            d.open(TEXT)
            d.notify("copydesk/diagnostics", {"uri": URI, "version": 1, "diagnostics": [diagnostic(2)]})
            async with asyncio.timeout(60):
                while d.app.prefetch.count != 1:
                    await asyncio.sleep(0)
            (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2)])
            assert "edit" in action
            assert await asked(d) is None
            d.change((2, 5), (2, 7), "is not")  # something else: the offer is of a version that is gone
            d.change((2, 5), (2, 11), "is")
            assert await asked(d) is None
            d.change((2, 5), (2, 7), "==")
            d.notify("copydesk/diagnostics", {"uri": URI, "version": 4, "diagnostics": [diagnostic(2)]})
            async with asyncio.timeout(60):
                while d.app.prefetch.count != 1:
                    await asyncio.sleep(0)
            (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2)])
            assert "edit" in action
            d.change((2, 5), (2, 7), "is")
            assert (await asked(d))["program"] == str(oracle_program(TEXT, FIXED))

    run(scenario)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_rows_are_the_result(end: str) -> None:
    before = end.join([*(f"line {n}" for n in range(1, 30)), "if x == None: # 😀"])
    after = before.replace(f"line 12{end}", f"line 12{end}new{end}").replace(f"line 20{end}", "")
    after = after.replace("line 25", "line 25 or so")
    found = rows(str(oracle_program(before, after)), before)
    lines = [line.removesuffix(terminator(line)) for line in split_lines(after)]
    number = 1
    for row in found:
        assert row["line"] == number
        if row["parts"] is None:
            assert row["origin"] == "copied"
        else:
            assert (row["count"], texts([row])) == (1, [lines[number - 1]])
        number += row["count"]
    assert number == len(lines) + 1
    by_line = {row["line"]: row for row in found}
    assert by_line[13]["origin"] == "generated"
    assert by_line[25]["origin"] == "substituted"
    assert [origin for origin, _ in by_line[25]["parts"]] == ["copied", "generated"]
    assert [row["count"] for row in found if row["parts"] is None] == [6, 1]
    assert {20, 21} <= set(by_line), "both sides of what is gone"
