"""The light bulb: what is listed, for whom, and that listing runs no model; then `copydesk/edit` and what clients are told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from copydesk_server.engine_process.jobs import HunkEvent, Retracted
from copydesk_server.lsp.documents import REMEMBERED
from copydesk_server.lsp.handlers.code_action import offered
from lsp_desk import APPLIES, RESOLVES, URI, Desk, applied, desk, diagnostic, edit, span

TEXT = "a = 1\nb = 2\nif x == None:\n    pass\nc = 3\n"
FIX = edit((2, 5), (2, 7), "is")
FIXED = TEXT.replace("==", "is")


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        (None, {"quickfix", "refactor.rewrite.copydesk"}),
        ([], {"quickfix", "refactor.rewrite.copydesk"}),
        ([""], {"quickfix", "refactor.rewrite.copydesk"}),
        (["quickfix"], {"quickfix"}),
        (["quickfix.other"], set()),
        (["quick"], set()),
        (["refactor"], {"refactor.rewrite.copydesk"}),
        (["refactor.rewrite"], {"refactor.rewrite.copydesk"}),
        (["refactor.rewrite.copydesk"], {"refactor.rewrite.copydesk"}),
        (["refactor.rewrite.copydesk.more"], set()),
        (["source"], set()),
        (["source.fixAll"], set()),
        (["source.fixAll.copydesk"], {"source.fixAll.copydesk"}),
        (["source.fixAll.copydesk.x"], set()),
        (["source.fixAll", "source.fixAll.copydesk", "quickfix"], {"source.fixAll.copydesk", "quickfix"}),
    ],
)
def test_only(only: list[str] | None, kinds: set[str]) -> None:
    every = ("quickfix", "refactor.rewrite.copydesk", "source.fixAll.copydesk")
    assert {kind for kind in every if offered(kind, only)} == kinds

    async def scenario() -> None:
        async with desk() as d:
            d.app.settings.set_values({"recipes": [{"title": "Docs", "instruction": "Write docs."}]})
            d.open(TEXT)
            push(d, diagnostic(2))
            context = {"only": only} if only is not None else {}
            found = await d.actions((2, 0), (3, 0), **context)
            assert {action["kind"] for action in found} == kinds
            assert not d.engine.jobs

    run(scenario)


def push(d: Desk, *diagnostics: Any, version: int | None = None) -> None:
    d.notify("copydesk/diagnostics", {"uri": URI, "version": version, "diagnostics": list(diagnostics)})


@pytest.mark.parametrize("trigger", [None, 1, 2])
def test_listing_runs_no_model_whoever_asks(trigger: int | None) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            context = {"triggerKind": trigger} if trigger is not None else {}
            (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2)], **context)
            assert action["title"] == "Look for a fix: Comparison to `None` (copydesk)"
            assert action["diagnostics"] == [diagnostic(2)]
            assert not {"edit", "command", "isPreferred"} & set(action)
            await d.settled()
            assert not d.engine.jobs

    run(scenario)


def test_each_diagnostic_has_its_fix() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            found = await d.actions(
                (0, 0),
                (4, 0),
                [diagnostic(2, "One"), diagnostic(4, "Two\nmore words"), diagnostic(0, "x" * 300)],
            )
            titles = [action["title"] for action in found]
            assert titles[:2] == ["Look for a fix: One (copydesk)", "Look for a fix: Two (copydesk)"]
            assert titles[2].startswith("Look for a fix: xxx")
            assert titles[2].endswith("x… (copydesk)")
            assert len(titles[2]) < 140

    run(scenario)


@pytest.mark.parametrize(
    "left_out",
    [
        diagnostic(2, severity=3),
        diagnostic(2, severity=4),
        diagnostic(2, source="cSpell"),
        diagnostic(2, source="CSPELL"),
    ],
)
def test_hints_and_spell_checkers_are_left_out(left_out: dict[str, Any]) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            assert await d.actions((2, 0), diagnostics=[left_out]) == []
            without = {key: value for key, value in left_out.items() if key not in ("severity", "source")}
            assert len(await d.actions((2, 0), diagnostics=[without])) == 1

    run(scenario)


def test_a_language_the_model_does_not_know_gets_nothing() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT, language="cobol")
            assert await d.actions((2, 0), (3, 0), [diagnostic(2)]) == []

    run(scenario)


def test_recipes_are_for_selections_and_say_where_they_come_from() -> None:
    from copydesk_server.lsp.settings import Project, Recipe

    async def scenario() -> None:
        async with desk(options={"askInstruction": True}) as d:
            d.app.settings.set_roots(("file:///w",))
            d.app.settings.set_values({"recipes": [{"title": "Docs", "instruction": "Write docs."}]})
            d.app.settings.set_project(
                "file:///w", Project((Recipe("Types", "Add types.", ".copydesk.toml"),), None)
            )
            uri = "file:///w/a.py"
            d.open(TEXT, uri)
            assert await d.actions((2, 0), uri=uri) == []
            found = await d.actions((0, 0), (2, 0), uri=uri)
            assert [action["title"] for action in found] == [
                "Docs (copydesk)",
                "Types (copydesk, from .copydesk.toml)",
                "Edit with instruction… (copydesk)",
            ]
            assert {action["kind"] for action in found} == {"refactor.rewrite.copydesk"}
            asking = found[2]["command"]
            assert not asking["command"].startswith("copydesk.server.")
            assert asking["arguments"] == [
                {"textDocument": {"uri": uri, "version": 1}, "range": span((0, 0), (2, 0))}
            ]
            ident = d.ask("codeAction/resolve", found[1])
            job = await d.engine.job(0)
            assert (job.request.scope, job.request.instruction) == (((1, 2),), "Add types.")
            job.edited(edit((0, 0), (0, 1), "z"))
            assert "edit" in (await d.answer(ident))["result"]

    run(scenario)


def test_nobody_is_asked_for_text_by_a_client_that_cannot() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            assert await d.actions((0, 0), (2, 0)) == []

    run(scenario)


@pytest.mark.parametrize(("policy", "scope"), [("statement", None), ("lines", ((3, 3),))])
def test_the_scope_policy_is_the_folders(policy: str, scope: Any) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.app.settings.set_values(
                {"scopePolicy": policy, "temperature": 0.5, "topP": 0.9, "candidates": 2}
            )
            d.open(TEXT)
            (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2)])
            ident = d.ask("codeAction/resolve", action)
            job = await d.engine.job(0)
            request = job.request
            assert (request.scope, request.temperature, request.top_p, request.candidates) == (
                scope,
                0.5,
                0.9,
                2,
            )
            job.finished("unchanged")
            await d.answer(ident)

    run(scenario)


@pytest.mark.parametrize(
    "data",
    [
        {"copydesk": "fix", "uri": URI, "version": 1},
        {"copydesk": "fix", "uri": URI, "version": 1, "diagnostic": {"start": {}}},
        {"copydesk": "nothing", "uri": URI, "version": 1},
        {"copydesk": "rewrite", "uri": URI, "version": 1, "lines": [0, -4], "instruction": "x"},
        {"copydesk": "rewrite", "uri": URI, "version": 1, "lines": [40, 41], "instruction": "x"},
        {"copydesk": "rewrite", "uri": URI, "version": 1, "lines": "no", "instruction": "x"},
    ],
)
def test_data_nobody_sent_is_refused(data: Any) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            answer = await d.answer(d.ask("codeAction/resolve", {"title": "x", "data": data}))
            assert answer["error"]["code"] == -32602
            assert await d.request("codeAction/resolve", {"title": "x", "data": 7}) == {
                "title": "x",
                "data": 7,
            }
            assert not d.engine.jobs

    run(scenario)


# -- what tools found --------------------------------------------------------------------------------------------------


def test_pushed_diagnostics_stand_in_for_an_empty_context_and_follow_the_text() -> None:
    async def titles(d: Desk, line: int) -> list[str]:
        return [action["title"] for action in await d.actions((line, 0))]

    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            push(d, diagnostic(2, "Two"), diagnostic(4, "Four"), version=1)
            assert await titles(d, 2) == ["Look for a fix: Two (copydesk)"]
            assert await titles(d, 3) == []
            d.change((0, 0), (0, 0), "\n\n")
            assert await titles(d, 2) == []
            (action,) = await d.actions((4, 0))
            assert action["diagnostics"][0]["range"]["start"]["line"] == 4
            # A line that has changed is another line, until somebody says something of it.
            d.change((4, 0), (4, 1), "I")
            assert await titles(d, 4) == []
            assert await titles(d, 6) == ["Look for a fix: Four (copydesk)"]
            # Of an older version: moved on the way in. Of one to come: kept for it.
            push(d, diagnostic(2, "Old"), diagnostic(4, "Old, too"), version=1)
            assert await titles(d, 4) == []
            assert await titles(d, 6) == ["Look for a fix: Old, too (copydesk)"]
            push(d, diagnostic(0, "Early"), version=4)
            assert await titles(d, 0) == []
            d.change((6, 0), (6, 1), "d")
            assert await titles(d, 0) == ["Look for a fix: Early (copydesk)"]

    run(scenario)


def test_findings_nobody_looks_at_follow_any_number_of_changes() -> None:
    changes = REMEMBERED + 10

    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            push(d, diagnostic(2, "Two"), version=1)
            for _ in range(changes):
                d.change((0, 0), (0, 0), "\n")
            (action,) = await d.actions((2 + changes, 0))
            assert action["diagnostics"][0]["range"]["start"]["line"] == 2 + changes

    run(scenario)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_the_engine_is_told_code_points(encoding: str) -> None:
    line = "s = '😀é' == None\n"
    head = line[: line.index("==")]
    unit = {"utf-8": len(head.encode()), "utf-16": len(head.encode("utf-16-le")) // 2, "utf-32": len(head)}[
        encoding
    ]

    async def scenario() -> None:
        async with desk({**RESOLVES, "general": {"positionEncodings": [encoding]}}) as d:
            d.open(line)
            shown = {"range": span((0, unit), (0, unit + 2)), "message": "m"}
            (action,) = await d.actions((0, 0), diagnostics=[shown])
            ident = d.ask("codeAction/resolve", action)
            job = await d.engine.job(0)
            (found,) = job.request.diagnostics
            assert (found.start.character, found.end.character) == (len(head), len(head) + 2)
            job.finished("unchanged")
            await d.answer(ident)

    run(scenario)


# -- clients that cannot resolve ---------------------------------------------------------------------------------------


async def executed(d: Desk, line: int = 2) -> tuple[int, dict[str, Any]]:
    """Choose the fix of a line, as far as the client being asked to apply it."""
    (action,) = await d.actions((line, 0), diagnostics=[diagnostic(line)])
    assert "data" not in action
    assert action["command"]["command"].startswith("copydesk.server.")
    ident = d.ask("workspace/executeCommand", action["command"])
    job = await d.engine.job(len(d.engine.jobs))
    job.plan((line + 1, line + 1))
    job.edited(edit((line, 5), (line, 7), "is"))
    asked = await d.until(lambda m: m.get("method") == "workspace/applyEdit")
    return ident, asked


def test_a_command_has_the_client_apply_it() -> None:
    async def scenario() -> None:
        async with desk(APPLIES) as d:
            d.open(TEXT)
            ident, asked = await executed(d)
            assert applied(TEXT, asked["params"]["edit"], 1) == FIXED
            d.change((2, 5), (2, 7), "is")
            d.send({"id": asked["id"], "result": {"applied": True}})
            assert (await d.answer(ident))["result"] is None
            d.change((0, 0), (0, 0), "\n")
            assert d.said() == []

    run(scenario)


@pytest.mark.parametrize(
    ("before_reply", "reply", "after_reply", "told"),
    [
        # VS Code: the change and then the reply.
        ([("fix",)], True, [], False),
        ([("other",), ("fix",)], True, [], False),
        ([], False, [], True),
        ([("same line",)], False, [], True),
        # Neovim: the reply and then the change, later, together with what was typed meanwhile.
        ([], True, [("fix",)], False),
        ([], True, [("fix", "other")], False),
        ([], True, [("other", "fix")], False),
        # Neovim, whose buffer had moved on: it says yes, and has done nothing.
        ([], True, [("other",)], True),
        ([], True, [("same line",)], True),
        ([], True, [("other",), ("other",), ("fix",)], True),
        ([], None, [], True),
    ],
)
def test_the_reply_is_not_believed(before_reply: Any, reply: Any, after_reply: Any, told: bool) -> None:
    changes = {
        "fix": ((2, 5), (2, 7), "is"),
        "other": ((4, 0), (4, 1), "d"),
        "same line": ((2, 0), (2, 2), "IF"),
    }

    async def scenario() -> None:
        async with desk(APPLIES) as d:
            d.open(TEXT)
            ident, asked = await executed(d)
            for names in before_reply:
                d.changes([changes[name] for name in names])
            if reply is None:
                d.send({"id": asked["id"], "error": {"code": -32603, "message": "no"}})
            else:
                d.send({"id": asked["id"], "result": {"applied": reply}})
            await d.answer(ident)
            for names in after_reply:
                d.changes([changes[name] for name in names])
            d.change((0, 0), (0, 0), "\n")
            said = d.said()
            assert len(said) == told
            assert all("not applied" in message for message in said)

    run(scenario)


def test_a_cancelled_command_stops_the_model() -> None:
    async def scenario() -> None:
        async with desk(APPLIES) as d:
            d.open(TEXT)
            (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2)])
            ident = d.ask("workspace/executeCommand", action["command"])
            job = await d.engine.job(0)
            d.notify("$/cancelRequest", {"id": ident})
            assert (await d.answer(ident))["error"]["code"] == -32800
            assert job.cancelled

    run(scenario)


def test_a_client_without_action_literals_gets_commands() -> None:
    async def scenario() -> None:
        async with desk({"workspace": {"applyEdit": True}}) as d:
            d.open(TEXT)
            (command,) = await d.actions((2, 0), diagnostics=[diagnostic(2)])
            assert set(command) == {"title", "command", "arguments"}

    run(scenario)


def test_all_that_can_be_confirmed_is_fixed_together() -> None:
    async def scenario() -> None:
        async with desk() as d:
            text = "x == None\ny == None\nz == None\n"
            d.open(text)
            push(d, *(diagnostic(line, f"M{line}") for line in range(3)))
            (action,) = await d.actions((0, 0), only=["source.fixAll.copydesk"])
            ident = d.ask("codeAction/resolve", action)
            jobs = [await d.engine.job(number) for number in range(3)]
            jobs[0].plan((1, 1))
            jobs[0].edited(edit((0, 2), (0, 4), "is"))
            await d.settled()
            d.change((1, 0), (1, 0), "# a change between them\n")
            jobs[1].plan((2, 2))
            jobs[2].plan((3, 3))
            jobs[1].finished("refused", "no")
            jobs[2].edited(edit((2, 2), (2, 4), "is"))
            answer = await d.answer(ident)
            assert applied(d.text(), answer["result"]["edit"], 2) == (
                "x is None\n# a change between them\ny == None\nz is None\n"
            )

    run(scenario)


# -- copydesk/edit -----------------------------------------------------------------------------------------------------


def streamed(**more: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": URI, "version": 1}, "token": "t", **more}


def test_an_edit_is_shown_as_it_comes_about() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            ident = d.ask("copydesk/edit", streamed(range=span((0, 0), (2, 0)), instruction="Rename."))
            job = await d.engine.job(0)
            assert job.stream
            assert (job.request.scope, job.request.instruction) == (((1, 2),), "Rename.")
            first, second = edit((0, 0), (0, 1), "aa"), edit((1, 0), (1, 1), "bb")
            job.job.show(HunkEvent(0, (first,)))
            await d.until(lambda m: m.get("method") == "copydesk/hunk")
            d.change((4, 0), (4, 1), "d")  # elsewhere
            job.job.show(HunkEvent(1, (second,)))
            job.plan((1, 2))
            job.edited(first, second, counts={"forwards": 3})
            result = (await d.answer(ident))["result"]
            hunks = d.notified("copydesk/hunk")
            assert [(h["token"], h["seq"], h["baseVersion"]) for h in hunks] == [("t", 0, 1), ("t", 1, 1)]
            assert hunks[0]["edit"] == {
                "textDocument": {"uri": URI, "version": 1},
                "edits": [{"range": span((0, 0), (0, 1)), "newText": "aa"}],
            }
            assert applied(d.text(), result["edit"], 2).startswith("aa = 1\nbb = 2\n")
            assert (result["status"], result["verdict"], result["version"], result["baseVersion"]) == (
                "edited", "confirmed", 2, 1,
            )  # fmt: skip
            assert (result["program"], result["counts"]) == ("<program>", {"forwards": 3})
            assert d.notified("copydesk/retract") == []
            order = [m.get("method", m.get("id")) for m in d.wire.sent]
            assert order.index(ident) > max(n for n, what in enumerate(order) if what == "copydesk/hunk")

    run(scenario)


@pytest.mark.parametrize(
    ("status", "unsure", "verdict"),
    [
        ("refused", False, "refused"),
        ("refused", True, "unsure"),
        ("unchanged", False, "unchanged"),
        ("failed", False, "unchanged"),
    ],
)
def test_the_verdict_where_there_is_no_edit(status: str, unsure: bool, verdict: str) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            ident = d.ask("copydesk/edit", streamed(diagnostic=diagnostic(2)))
            job = await d.engine.job(0)
            job.finished(status, "for a reason", unsure=unsure)
            result = (await d.answer(ident))["result"]
            assert (result["status"], result["verdict"]) == (status, verdict)
            assert (result["reason"], result["edit"]) == ("for a reason", None)

    run(scenario)


@pytest.mark.parametrize("how", ["retracted", "refused", "cancelled", "changed", "lost"])
def test_what_was_shown_and_is_not_applied_is_taken_back(how: str) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            ident = d.ask("copydesk/edit", streamed(diagnostic=diagnostic(2)))
            job = await d.engine.job(0)
            job.plan((3, 3))
            job.job.show(HunkEvent(0, (FIX,)))
            await d.until(lambda m: m.get("method") == "copydesk/hunk")
            if how == "retracted":
                job.job.show(Retracted("it does not parse"))
                job.finished("refused", "it does not parse")
            elif how == "refused":
                job.finished("refused", "it silences a tool")
            elif how == "cancelled":
                d.notify("$/cancelRequest", {"id": ident})
            elif how == "changed":
                d.change((2, 0), (2, 1), "I")
            else:
                job.finished("failed", "killed", lost=True)
                again = await d.engine.job(1)
                again.plan((3, 3))
                again.job.show(HunkEvent(0, (FIX,)))
                again.edited(FIX)
            answer = await d.answer(ident)
            assert d.notified("copydesk/retract") == [{"token": "t"}]
            order = [m.get("method", m.get("id")) for m in d.wire.sent]
            assert order.index("copydesk/retract") < order.index(ident)
            if how in ("retracted", "refused"):
                assert (answer["result"]["status"], answer["result"]["edit"]) == ("refused", None)
            elif how == "lost":
                assert [h["seq"] for h in d.notified("copydesk/hunk")] == [0, 1]
                assert answer["result"]["status"] == "edited"
            else:
                assert answer["error"]["code"] == (-32800 if how == "cancelled" else -32801)

    run(scenario)


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, -32602),
        ({"textDocument": {"uri": URI, "version": 1}}, -32602),
        (streamed(instruction="x"), -32602),
        (streamed(instruction=" ", range=span((0, 0), (0, 0))), -32602),
        (streamed(instruction="x", range={"start": 1}), -32602),
        (streamed(instruction="x", range=span((0, 0), (0, 0)), diagnostic=diagnostic(2)), -32602),
        (
            streamed(instruction="x", range=span((0, 0), (0, 0)), textDocument={"uri": URI, "version": 9}),
            -32801,
        ),
        (
            streamed(
                instruction="x", range=span((0, 0), (0, 0)), textDocument={"uri": "untitled:b", "version": 1}
            ),
            -32801,
        ),
    ],
)
def test_edits_that_cannot_be(params: Any, code: int) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            assert (await d.answer(d.ask("copydesk/edit", params)))["error"]["code"] == code

    run(scenario)


def test_an_edit_of_an_older_version_is_one_of_this_or_none() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            d.change((0, 0), (0, 0), "\n")
            ident = d.ask("copydesk/edit", streamed(diagnostic=diagnostic(2)))
            job = await d.engine.job(0)
            assert job.request.diagnostics[0].start.line == 3
            job.finished("unchanged")
            assert (await d.answer(ident))["result"]["status"] == "unchanged"
            d.change((3, 0), (3, 1), "I")
            ident = d.ask("copydesk/edit", streamed(instruction="x", range=span((2, 0), (3, 0))))
            assert (await d.answer(ident))["error"]["code"] == -32801

    run(scenario)
