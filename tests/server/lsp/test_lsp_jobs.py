"""A request on its way: cancelled, replaced, overtaken by changes, lost. One response, and never to another text."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.request import Range
from copydesk.text.document import Change, TextLines
from fake_engine import FakeJob
from lsp_desk import APPLIES, RESOLVES, URI, Desk, applied, desk, diagnostic, edit

TEXT = "a = 1\nb = 2\nif x == None:\n    pass\nc = 3\n"
FIX = edit((2, 5), (2, 7), "is")
FIXED = TEXT.replace("==", "is")


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


async def chosen(d: Desk, line: int = 2) -> int:
    """Ask for the fix of a line, as far as the request's id."""
    (action,) = await d.actions((line, 0), diagnostics=[diagnostic(line, "M")])
    return d.ask("codeAction/resolve", action)


async def error(d: Desk, ident: int) -> int:
    answer = await d.answer(ident)
    assert set(answer) == {"jsonrpc", "id", "error"}, answer
    assert "data" not in answer["error"]
    return int(answer["error"]["code"])


def test_an_action_resolves_to_a_versioned_edit() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2)])
            assert "edit" not in action
            assert not d.engine.jobs, "listing runs no model"
            ident = d.ask("codeAction/resolve", action)
            job = await d.engine.job(0)
            assert (job.priority, job.stream, job.request.scope) == ("edit", False, None)
            job.plan((3, 3))
            job.edited(FIX)
            answer = await d.answer(ident)
            assert applied(TEXT, answer["result"]["edit"], 1) == FIXED
            assert answer["result"]["title"] == action["title"]

    run(scenario)


def test_the_seed_of_the_command_line_is_the_requests() -> None:
    async def scenario() -> None:
        async with desk(seed=7) as d:
            d.app.settings.set_values({"temperature": 0.8})
            d.open(TEXT)
            (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2)])
            ident = d.ask("codeAction/resolve", action)
            job = await d.engine.job(0)
            assert (job.request.seed, job.request.temperature) == (7, 0.8)
            job.finished("unchanged")
            await d.answer(ident)

    run(scenario)


def test_a_cancelled_request_stops_the_model_and_is_answered_once() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            ident = await chosen(d)
            job = await d.engine.job(0)
            d.notify("$/cancelRequest", {"id": ident})
            assert await error(d, ident) == -32800
            assert job.cancelled

    run(scenario)


def test_a_cancel_does_not_wait_for_an_engine_that_is_slow_to_stop() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.engine.obeys = False
            d.open(TEXT)
            ident = await chosen(d)
            job = await d.engine.job(0)
            d.notify("$/cancelRequest", {"id": ident})
            assert await error(d, ident) == -32800
            assert not job.done
            job.edited(FIX)  # too late, and for nobody

    run(scenario)


@pytest.mark.parametrize("method", ["workspace/executeCommand", "copydesk/edit"])
def test_a_cancel_that_comes_with_its_request_is_not_lost(method: str) -> None:
    """Both are there before the request's work has begun."""

    async def scenario() -> None:
        async with desk({**APPLIES, "window": {"workDoneProgress": True}}) as d:
            d.open(TEXT)
            if method == "copydesk/edit":
                params = streamed(diagnostic=diagnostic(2))
            else:
                (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2)])
                params = action["command"]
            for _ in range(2):  # the token is free again
                ident = d.ask(method, {**params, "workDoneToken": "bar"})
                d.notify("window/workDoneProgress/cancel", {"token": "bar"})
                assert await error(d, ident) == -32800
            # Nobody's: it must not meet the next.
            d.notify("window/workDoneProgress/cancel", {"token": "bar"})
            ident = d.ask(method, {**params, "workDoneToken": "bar"})
            job = await d.engine.job(0)  # the others never reached it
            assert not job.cancelled
            d.notify("window/workDoneProgress/cancel", {"token": "bar"})
            assert await error(d, ident) == -32800

    run(scenario)


@pytest.mark.parametrize("method", ["codeAction/resolve", "workspace/executeCommand", "copydesk/edit"])
def test_the_progress_bars_cancel_stops_the_model(method: str) -> None:
    async def scenario() -> None:
        capabilities = {
            **(APPLIES if method.startswith("workspace") else RESOLVES),
            "window": {"workDoneProgress": True},
        }
        async with desk(capabilities) as d:
            d.open(TEXT)
            if method == "copydesk/edit":
                ident = d.ask(method, streamed(diagnostic=diagnostic(2)) | {"workDoneToken": "bar"})
            else:
                (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2)])
                params = (
                    action
                    if method == "codeAction/resolve"
                    else {**action["command"], "workDoneToken": "bar"}
                )
                ident = d.ask(method, params)
            token: Any = "bar"
            job = await d.engine.job(0)
            if method == "codeAction/resolve":
                made = await d.until(
                    lambda m: m.get("method") == "window/workDoneProgress/create" and m["id"] != ident
                )
                token = made["params"]["token"]
                d.send({"id": made["id"], "result": None})
            begun = await d.until(lambda m: m.get("method") == "$/progress" and m["params"]["token"] == token)
            assert begun["params"]["value"]["cancellable"] is True
            d.notify("window/workDoneProgress/cancel", {"token": token})
            assert await error(d, ident) == -32800
            assert job.cancelled
            ends = [
                p for p in d.notified("$/progress") if p["token"] == token and p["value"]["kind"] == "end"
            ]
            assert len(ends) == 1

    run(scenario)


def streamed(**more: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": URI, "version": 1}, "token": "t", **more}


def test_a_newer_request_for_the_same_place_replaces_the_older() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            older = await chosen(d)
            elsewhere = await chosen(d, 4)
            newer = await chosen(d)
            assert await error(d, older) == -32800
            first, second, third = [await d.engine.job(n) for n in range(3)]
            assert (first.cancelled, second.cancelled, third.cancelled) == (True, False, False)
            third.plan((3, 3))
            third.edited(FIX)
            second.plan((5, 5))
            second.edited(edit((4, 4), (4, 5), "4"))
            assert applied(TEXT, (await d.answer(newer))["result"]["edit"], 1) == FIXED
            assert "edit" in (await d.answer(elsewhere))["result"]

    run(scenario)


def test_an_older_request_that_waited_does_not_replace_a_newer_one() -> None:
    """An instruction that may rename is looked at in a thread first; the newer one, which may not, is at work before that."""

    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            lines = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
            older = d.ask("copydesk/edit", streamed(range=lines, instruction="rename a to total"))
            newer = d.ask("copydesk/edit", streamed(range=lines, instruction="a is 2"))
            assert await error(d, older) == -32800
            job = await d.engine.job(len(d.engine.jobs) - 1)
            assert not job.cancelled
            assert job.request.instruction == "a is 2"
            job.plan((1, 1))
            job.edited(edit((0, 4), (0, 5), "2"))
            assert (await d.answer(newer))["result"]["status"] == "edited"

    run(scenario)


@pytest.mark.parametrize("planned_first", [True, False])
def test_a_change_outside_of_the_scope_moves_the_edit(planned_first: bool) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            ident = await chosen(d)
            job = await d.engine.job(0)
            if planned_first:
                job.plan((3, 3))
                await d.settled()
            d.change((0, 0), (0, 0), "# new\n# lines\n")
            d.change((6, 4), (6, 5), "33")
            await d.settled()
            job.plan((3, 3))
            job.edited(FIX)
            answer = await d.answer(ident)
            assert applied(d.text(), answer["result"]["edit"], 3) == "# new\n# lines\n" + FIXED.replace(
                "3", "33"
            )

    run(scenario)


@pytest.mark.parametrize("planned_first", [True, False])
def test_a_change_within_the_scope_ends_the_request(planned_first: bool) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            ident = await chosen(d)
            job = await d.engine.job(0)
            if planned_first:
                job.plan((3, 3))
                await d.settled()
            d.change((2, 3), (2, 4), "y")
            if not planned_first:
                await d.settled()
                job.plan((3, 3))
            assert await error(d, ident) == -32801
            assert job.cancelled
            assert d.text() == TEXT.replace("x", "y")

    run(scenario)


def test_a_document_that_is_closed_ends_its_requests() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            ident = await chosen(d)
            await d.engine.job(0)
            d.close()
            assert await error(d, ident) == -32801

    run(scenario)


def test_a_lost_job_is_asked_once_more_of_the_text_as_it_is() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            ident = await chosen(d)
            first = await d.engine.job(0)
            first.plan((3, 3))
            d.change((0, 0), (0, 0), "\n")
            first.finished("failed", "killed", lost=True)
            second = await d.engine.job(1)
            assert second.request.diagnostics[0].start.line == 3
            assert second.text == d.text()
            second.plan((4, 4))
            second.edited(edit((3, 5), (3, 7), "is"))
            answer = await d.answer(ident)
            assert applied(d.text(), answer["result"]["edit"], 2) == "\n" + FIXED

    run(scenario)


def test_a_job_lost_twice_is_told() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            ident = await chosen(d)
            for number in range(2):
                (await d.engine.job(number)).finished("failed", "killed by signal 9", lost=True)
            assert "edit" not in (await d.answer(ident))["result"]
            assert d.said() == ["copydesk: the edit failed: killed by signal 9."]
            assert len(d.engine.jobs) == 2

    run(scenario)


@pytest.mark.parametrize(
    "edits",
    [
        (edit((2, 5), (2, 70), "is"),),  # beyond the line
        (edit((9, 0), (9, 1), "x"),),  # beyond the text
        (edit((0, 0), (0, 1), "z"),),  # outside of the scope
        (edit((2, 5), (2, 7), "is"), edit((2, 6), (2, 7), "")),  # one over the other
    ],
)
def test_an_edit_that_does_not_fit_never_leaves(edits: Any) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            ident = await chosen(d)
            job = await d.engine.job(0)
            job.plan((3, 3))
            job.edited(*edits)
            assert "edit" not in (await d.answer(ident))["result"]
            assert len(d.said()) == 1

    run(scenario)


def test_what_the_judge_refuses_is_not_offered() -> None:
    from copydesk_server.verification import Judgement

    async def refuses(*_: Any, **__: Any) -> Judgement:
        return Judgement("refused", "ruff still reports: E711", ())

    async def scenario() -> None:
        async with desk(judge=refuses) as d:
            d.open(TEXT)
            ident = await chosen(d)
            job = await d.engine.job(0)
            job.plan((3, 3))
            job.edited(FIX)
            assert "edit" not in (await d.answer(ident))["result"]
            assert d.said() == ["copydesk changed nothing: ruff still reports: E711."]

    run(scenario)


def test_changes_while_the_judge_thinks_count_too() -> None:
    from copydesk_server.verification import Judgement

    async def scenario(met: bool) -> None:
        asked, may_go_on = asyncio.Event(), asyncio.Event()

        async def thinks(*_: Any, **__: Any) -> Judgement:
            asked.set()
            await may_go_on.wait()
            return Judgement("confirmed", None, ())

        async with desk(judge=thinks) as d:
            d.open(TEXT)
            ident = await chosen(d)
            job = await d.engine.job(0)
            job.plan((3, 3))
            job.edited(FIX)
            await asyncio.wait_for(asked.wait(), 30)
            if met:
                d.change((2, 3), (2, 4), "y")
                assert await error(d, ident) == -32801
            else:
                d.change((0, 0), (0, 0), "\n")
                may_go_on.set()
                assert applied(d.text(), (await d.answer(ident))["result"]["edit"], 2) == "\n" + FIXED

    run(lambda: scenario(True))
    run(lambda: scenario(False))


# -- random interleavings ----------------------------------------------------------------------------------------------

LINES = 5
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.integers(0, LINES - 1)),
        st.tuples(st.just("ask"), st.integers(0, LINES - 1)),
        st.tuples(st.just("cancel"), st.integers(0, 3)),
        st.tuples(st.just("change"), st.integers(0, LINES), st.integers(0, 2), st.integers(0, 2)),
        st.tuples(st.just("change"), st.integers(0, LINES), st.integers(0, 1), st.integers(0, 2)),
        st.tuples(st.just("plan"), st.integers(0, 3)),
        st.tuples(
            st.just("finish"),
            st.integers(0, 3),
            st.sampled_from(("edited", "edited", "edited", "refused", "lost")),
        ),
        st.tuples(st.just("breathe")),
        st.tuples(st.just("close")),
    ),
    max_size=30,
)


@settings(max_examples=100)
@given(STEPS)
def test_whatever_happens_each_request_has_one_response_and_no_edit_is_stale(
    steps: list[tuple[Any, ...]],
) -> None:
    """Each fix writes its own number into the line it is for. A line that carries another mark than its own, or a fix
    that lands anywhere but in that line, would show."""

    async def scenario() -> None:
        async with desk() as d:
            d.open("".join(f"line {n}\n" for n in range(LINES)))
            texts = {1: d.text()}
            asked: list[tuple[int, str]] = []
            planned: set[FakeJob] = set()
            opened = True

            def place(job: FakeJob) -> Range:
                return job.request.diagnostics[0].lines

            def do_plan(job: FakeJob) -> None:
                planned.add(job)
                job.plan(place(job))

            def do_finish(job: FakeJob, how: str) -> None:
                if job not in planned:
                    do_plan(job)
                line = place(job)[0] - 1
                if how == "lost":
                    job.finished("failed", "killed", lost=True)
                elif how == "refused":
                    job.finished("refused", "no")
                else:
                    length = len(TextLines(job.text).lines[line].rstrip("\n"))
                    job.edited(
                        edit((line, length), (line, length), f" #{job.request.diagnostics[0].message}")
                    )

            async def ask(line: int) -> None:
                text = TextLines(d.text()).lines
                if line >= len(text):
                    return
                content = text[line].rstrip("\n")
                (action,) = await d.actions((line, 0), diagnostics=[diagnostic(line, f"M{len(asked)}")])
                asked.append((d.ask("codeAction/resolve", action), content))

            for step in steps:
                kind, *values = step
                waiting = [job for job in d.engine.jobs if not job.done]
                if kind == "ask" and opened:
                    await ask(values[0])
                elif kind == "cancel" and asked:
                    d.notify("$/cancelRequest", {"id": asked[-1 - values[0] % len(asked)][0]})
                elif kind == "change" and opened:
                    at, removed, added = values
                    new = "".join(f"new {d.version()}.{k}\n" for k in range(added))
                    d.change((at, 0), (at + removed, 0), new)
                    texts[d.version()] = d.text()
                elif kind == "plan" and waiting:
                    do_plan(waiting[values[0] % len(waiting)])
                elif kind == "finish" and waiting:
                    do_finish(waiting[values[0] % len(waiting)], values[1])
                elif kind == "breathe":
                    await d.settled()
                elif kind == "close" and opened:
                    opened = False
                    d.close()
            for _ in range(4):  # a lost job comes back once
                await d.settled()
                for job in [job for job in d.engine.jobs if not job.done]:
                    do_finish(job, "edited")
            for number, (ident, content) in enumerate(asked):
                answer = await d.answer(ident)
                if "error" in answer:
                    assert answer["error"]["code"] in (-32800, -32801)
                    continue
                if "edit" not in answer["result"]:
                    continue
                version = answer["result"]["edit"]["documentChanges"][0]["textDocument"]["version"]
                before = TextLines(texts[version]).lines
                after = TextLines(applied(texts[version], answer["result"]["edit"], version)).lines
                differing = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
                assert differing == [(f"{content}\n", f"{content} #M{number}\n")]
            assert all(job.done for job in d.engine.jobs)

    run(scenario)


def test_the_changes_of_the_scenarios_are_real() -> None:
    """The scenario above is about something: its changes do change lines."""
    assert TextLines(TEXT).splice(edit((0, 0), (1, 0), "").start, edit((0, 0), (1, 0), "").end, "") == Change(
        0, 1, 0
    )
