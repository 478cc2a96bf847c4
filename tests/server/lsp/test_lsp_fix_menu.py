"""What a menu knows of a finding without the model: titles that name the edit, alternatives, what is preferred, what is not
offered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from copydesk.program import Program
from copydesk.request import ToolFix
from copydesk_server.lsp import fix_menu, prefetch
from copydesk_server.verification import Judgement
from fake_engine import FakeJob
from lsp_desk import URI, applied, desk, diagnostic, edit, span, with_actions

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
        (TWO, "caz", ["Replace `caz` with `car` (copydesk)", "Replace `caz` with `cat` (copydesk)"]),
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
            assert first["title"] == f"Look for a fix: Undefined name `{name}` (copydesk)"
            assert [action["title"] for action in rest] == titles
            for action in rest:
                word = action["title"].split("`")[3]
                assert applied(text, action["edit"], 1) == text.replace(name, word)
                assert "isPreferred" not in action
            assert not d.engine.jobs

    run(scenario)


@pytest.mark.parametrize("stale", [False, True])
def test_before_the_first_change_an_edit_is_asked_for(stale: bool) -> None:
    """Neovim opens at version 0, and applies an edit for it to whatever is there."""

    async def scenario() -> None:
        async with desk() as d:
            d.app.settings.set_values({"precompute": False})
            d.open(TWO, version=0)
            _, *rest = await d.actions((1, 11), diagnostics=[undefined("caz")], only=["quickfix"])
            assert [action["title"].split("`")[3] for action in rest] == ["car", "cat"]
            assert not any("edit" in action for action in rest)
            if stale:
                d.change((1, 4), (1, 4), "  ")
                answer = await d.answer(d.ask("codeAction/resolve", rest[0]))
                assert answer["error"]["code"] == -32801
                return
            resolved = await d.request("codeAction/resolve", rest[0])
            assert applied(TWO, resolved["edit"], 0) == TWO.replace("caz", "car")
            for harm in ({"edits": [[0, 0, 0, 0]]}, {"edits": None}, {"version": "0"}, {"uri": 1}):
                bad = {**rest[0], "data": {**rest[0]["data"], **harm}}
                answer = await d.answer(d.ask("codeAction/resolve", bad))
                assert answer["error"]["code"] == -32602

    run(scenario)


@pytest.mark.parametrize(
    ("text", "name", "good", "preferred", "others"),
    [(TWO, "caz", "cat", None, ["Replace `caz` with `car` (copydesk)"]), (ONE, "totl", "total", True, [])],
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
            assert first["title"] == f"Replace `{name}` with `{good}` (copydesk)"
            assert applied(text, first["edit"], 1) == text.replace(name, good)
            assert first.get("isPreferred") is preferred
            assert [action["title"] for action in rest] == others

    run(scenario)


# -- with the tools ----------------------------------------------------------------------------------------------------

NONE = "a = 1\nif a == None:\n    pass\n"


def judged(verdict: Any, applicability: Any = "safe") -> Any:
    async def judge(*_: Any, **__: Any) -> Judgement:
        return Judgement(verdict, "for a reason", (), applicability)

    return judge


@pytest.mark.parametrize(
    ("verdict", "applicability", "preferred"),
    [("confirmed", "safe", True), ("confirmed", "unsafe", None), ("checked", "safe", None)],
)
def test_a_single_candidate_is_there_with_its_edit_and_without_the_model(
    verdict: str, applicability: str, preferred: bool | None
) -> None:
    async def scenario() -> None:
        async with desk(judge=judged(verdict, applicability), tools=True) as d:
            d.open(NONE)
            for _ in range(2):  # known from then on
                (action,) = await d.actions((1, 0), diagnostics=[diagnostic(1)], only=["quickfix"])
                assert action["title"] == "Replace `==` with `is` (copydesk)"
                assert applied(NONE, action["edit"], 1) == NONE.replace("==", "is")
                assert action.get("isPreferred") is preferred
                assert {"verdict": verdict, "applicability": applicability}.items() <= action["data"].items()
            assert not d.engine.jobs
            bare = {key: value for key, value in action.items() if key != "edit"}
            ident = d.ask("codeAction/resolve", bare)
            job = await d.engine.job(0)
            job.plan((2, 2))
            job.edited(edit((1, 5), (1, 7), "is"))
            assert applied(NONE, (await d.answer(ident))["result"]["edit"], 1) == NONE.replace("==", "is")

    run(scenario)


def test_what_tools_propose_is_listed_whatever_the_finding_is_about() -> None:
    async def propose(_document: Any, diagnostics: Any) -> Any:
        fix = ToolFix((edit((1, 3), (1, 12), "not a"),), safe=True)
        return [replace(each, fixes=(fix,)) for each in diagnostics]

    async def scenario() -> None:
        async with desk(propose=propose, tools=True) as d:
            assert d.engine.info is not None
            d.engine.info = replace(d.engine.info, kind="lines")
            d.open(NONE)
            found = [diagnostic(1, "Whatever", source="Ruff", code="XYZ1")]
            (action,) = await d.actions((1, 0), diagnostics=found, only=["quickfix"])
            assert action["title"] == "Replace `a == None` with `not a` (copydesk)"
            assert applied(NONE, action["edit"], 1) == NONE.replace("a == None", "not a")
            assert action["isPreferred"] is True

    run(scenario)


@pytest.mark.parametrize(
    ("found", "kind", "offered"),
    [
        (diagnostic(1, "Whatever"), "lines", False),
        (diagnostic(1, "Whatever"), "rewrite", True),  # a model that reads messages
        (diagnostic(1, "Whatever"), "lines, chooses", True),
        (diagnostic(1, "Whatever", source="Ruff", code="XYZ1"), "lines", False),
        (diagnostic(1, "Whatever", source="Ruff", code="XYZ1"), "rewrite", True),
        (diagnostic(0, "Use `open` in a `with` statement", code="SIM115"), "lines", True),
        (diagnostic(1, "`f` is too complex (11 > 10)", code="C901"), "rewrite", False),
        (
            diagnostic(1, "Too many branches (13 > 12)", source="Ruff", code="PLR0912"),
            "lines, chooses",
            False,
        ),
        (diagnostic(0), "rewrite", False),  # out of date: nothing is compared there
    ],
)
def test_nothing_is_offered_for_what_nobody_understands(found: Any, kind: str, offered: bool) -> None:
    text = NONE.replace("a = 1", "a = open('b').read()")

    async def scenario() -> None:
        async with desk(tools=True) as d:
            assert d.engine.info is not None
            name, _, chooses = kind.partition(", ")
            d.engine.info = replace(d.engine.info, kind=name, chooses=bool(chooses))
            d.open(text)
            actions = await d.actions((1, 0), diagnostics=[found], only=["quickfix"])
            assert bool(actions) is offered
            assert not any("isPreferred" in action for action in actions)

    run(scenario)


@pytest.mark.parametrize("disabled", [False, True])
def test_a_fix_that_is_refused_is_not_offered(disabled: bool) -> None:
    async def scenario() -> None:
        async with desk(with_actions(disabledSupport=disabled), judge=judged("refused"), tools=True) as d:
            d.open(NONE)
            actions = await d.actions((1, 0), diagnostics=[diagnostic(1)], only=["quickfix"])
            assert [action.get("disabled") for action in actions] == [{"reason": "for a reason"}] * disabled
            assert not any({"edit", "data", "command"} & set(action) for action in actions)
            assert (
                await d.actions((1, 0), diagnostics=[diagnostic(1)], triggerKind=2, only=["quickfix"]) == []
            )

    run(scenario)


def test_a_name_nothing_is_like_is_not_offered_and_says_why() -> None:
    text = "def f(total):\n    return frobnicate\n"

    async def scenario() -> None:
        async with desk(with_actions(disabledSupport=True), tools=True) as d:
            d.open(text)
            (action,) = await d.actions((1, 11), diagnostics=[undefined("frobnicate")], only=["quickfix"])
            assert action["title"] == "No fix: Undefined name `frobnicate` (copydesk)"
            assert "frobnicate" in action["disabled"]["reason"]

    run(scenario)


def test_nothing_is_computed_for_who_wants_nothing_computed_ahead() -> None:
    async def scenario() -> None:
        async with desk(tools=True) as d:
            d.app.settings.set_values({"precompute": False})
            d.open(NONE)
            (action,) = await d.actions((1, 0), diagnostics=[diagnostic(1)], only=["quickfix"])
            assert action["title"] == "Look for a fix: Comparison to `None` (copydesk)"
            assert "edit" not in action

    run(scenario)


def test_a_menu_does_not_wait_for_tools_that_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = asyncio.Event()

    async def propose(_document: Any, diagnostics: Any) -> Any:
        await go_on.wait()
        return diagnostics

    async def scenario() -> None:
        async with desk(propose=propose, tools=True) as d:
            monkeypatch.setattr(fix_menu, "PATIENCE", 0.001)
            d.open(NONE)
            (action,) = await d.actions((1, 0), diagnostics=[diagnostic(1)], only=["quickfix"])
            assert action["title"] == "Look for a fix: Comparison to `None` (copydesk)"
            assert not {"edit", "isPreferred"} & set(action)
            go_on.set()
            monkeypatch.setattr(fix_menu, "PATIENCE", 60.0)
            (action,) = await d.actions((1, 0), diagnostics=[diagnostic(1)], only=["quickfix"])
            assert action["title"] == "Replace `==` with `is` (copydesk)"
            # Another text is another question.
            d.change((0, 0), (0, 0), "\n")
            (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2)], only=["quickfix"])
            assert applied(d.text(), action["edit"], 2) == "\n" + NONE.replace("==", "is")

    run(scenario)


def test_a_change_meanwhile_ends_the_work() -> None:
    running, stopped = asyncio.Event(), asyncio.Event()

    async def propose(_document: Any, diagnostics: Any) -> Any:
        running.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    async def scenario() -> None:
        async with desk(propose=propose, tools=True) as d:
            d.open(NONE)
            params = {"textDocument": {"uri": URI}, "range": span((1, 0), (1, 0))}
            asked = {**params, "context": {"diagnostics": [diagnostic(1)], "only": ["quickfix"]}}
            ident = d.ask("textDocument/codeAction", asked)
            await asyncio.wait_for(running.wait(), 60)
            d.change((0, 0), (0, 0), "\n")
            assert (await d.answer(ident))["result"] == []
            await asyncio.wait_for(stopped.wait(), 60)

    run(scenario)


@pytest.mark.parametrize(
    ("text", "found", "edited", "gone"),
    [
        (NONE, diagnostic(1), ((1, 5), (1, 7), "is"), NONE.replace("==", "is")),
        (TWO, undefined("caz"), ((1, 11), (1, 14), "car"), TWO.replace("caz", "car")),
    ],
)
def test_what_is_taken_from_the_menu_has_its_program(text: str, found: Any, edited: Any, gone: str) -> None:
    async def scenario() -> None:
        async with desk(tools=True) as d:
            d.open(text)
            await d.actions((1, 0), diagnostics=[found], only=["quickfix"])
            assert await d.request("copydesk/program", {}) is None
            d.change(*edited)
            assert d.text() == gone
            shown = await d.request("copydesk/program", {})
            assert Program.parse(shown["program"]).resolve(text) == gone

    run(scenario)


# -- all of a kind -----------------------------------------------------------------------------------------------------


def test_all_of_a_kind_in_the_file() -> None:
    text = "a == None\nb == None\nc = 1\n"
    found = [
        diagnostic(0, "Comparison to `None` should be `cond is None`"),
        diagnostic(1, "Comparison to None (other words)", code="E711"),
        diagnostic(2, "Whatever"),
    ]

    def fixes(job: FakeJob) -> None:
        line = job.request.diagnostics[0].start.line
        job.plan((line + 1, line + 1))
        job.edited(edit((line, 2), (line, 4), "is"))

    async def scenario() -> None:
        async with desk() as d:
            d.engine.script = fixes
            d.open(text)
            d.notify("copydesk/diagnostics", {"uri": URI, "version": 1, "diagnostics": found})
            *_, last = await d.actions((0, 0), only=["quickfix"])
            assert last["title"] == "Fix all in the file: none comparison (2) (copydesk)"
            assert "isPreferred" not in last
            resolved = await d.request("codeAction/resolve", last)
            assert applied(text, resolved["edit"], 1) == text.replace("==", "is")
            assert sorted(job.request.diagnostics[0].start.line for job in d.engine.jobs) == [0, 1]
            titles = [action["title"] for action in await d.actions((2, 0), only=["quickfix"])]
            assert titles == ["Look for a fix: Whatever (copydesk)"]

    run(scenario)


def test_a_fix_that_came_to_nothing_is_not_offered_again_until_its_lines_change() -> None:
    async def scenario() -> None:
        async with desk(with_actions(disabledSupport=True)) as d:
            d.engine.script = lambda job: job.finished("refused", "nobody knows")
            d.app.settings.set_values({"precompute": False})
            d.open("def f(total):\n    return frobnicate\n")
            found = {**diagnostic(1, "nobody knows this rule"), "code": "X1"}
            (offered,) = await d.actions((1, 11), diagnostics=[found], only=["quickfix"], triggerKind=2)
            assert "edit" not in await d.request("codeAction/resolve", offered)
            assert await d.actions((1, 11), diagnostics=[found], only=["quickfix"], triggerKind=2) == []
            (refused,) = await d.actions((1, 11), diagnostics=[found], only=["quickfix"], triggerKind=1)
            assert refused["disabled"] == {"reason": "nobody knows"}
            d.change((0, 0), (0, 0), "# above\n")
            found = {**diagnostic(2, "nobody knows this rule"), "code": "X1"}
            assert await d.actions((2, 11), diagnostics=[found], only=["quickfix"], triggerKind=2) == []
            d.change((2, 4), (2, 10), "yield")
            (again,) = await d.actions((2, 11), diagnostics=[found], only=["quickfix"], triggerKind=2)
            assert "disabled" not in again
            assert len(d.engine.jobs) == 1

    run(scenario)
