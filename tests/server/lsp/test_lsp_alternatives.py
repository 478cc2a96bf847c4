"""What an unsure answer leaves to the person: in the response, by a command of the client, or in a question of the server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from copydesk_server.engine_process.edit_outcome import EditAlternative
from copydesk_server.verification import Judgement
from lsp_client import LspClient
from lsp_desk import APPLIES, RESOLVES, URI, Desk, applied, desk, diagnostic, edit, span

TEXT = "a = 1\nb = 2\nc = 3\n"
INSTRUCTION = "Rename it."
SENTENCE = "did you mean one of these? …"
FIRST = edit((1, 0), (1, 1), "first")
SECOND = edit((1, 4), (1, 5), "second")
ALTERNATIVES = (
    EditAlternative("Write first", 0.41, (FIRST,), "<program>1", None, ("syntax",), "checked"),
    EditAlternative("Change nothing", 0.3, (), "<program>2"),
    EditAlternative("Write second", 0.2, (SECOND,), "<program>3", None, (), "checked"),
)
ASKS = "window/showMessageRequest"
APPLY = "workspace/applyEdit"


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


async def judged(before: str, after: str, _diagnostics: Any, **given: Any) -> Judgement:
    """Refuses what has "second" in it."""
    if "second" in after:
        return Judgement("refused", "ruff now reports: F821", ())
    return Judgement("checked", None, tuple(given["checked"]), "unsafe")


async def checked(_before: str, _after: str, _diagnostics: Any, **given: Any) -> Judgement:
    return Judgement("checked", None, tuple(given["checked"]))


async def unsure(d: Desk, ask: Callable[[], int]) -> int:
    """A request whose answer is that the model is unsure; its id."""
    ident = ask()
    job = await d.engine.job(0)
    job.plan((2, 2))
    job.finished("refused", SENTENCE, unsure=True, alternatives=ALTERNATIVES)
    return ident


def edit_request(d: Desk) -> int:
    where = {"textDocument": {"uri": URI, "version": d.version()}, "range": span((1, 0), (2, 0))}
    return d.ask("copydesk/edit", {**where, "instruction": INSTRUCTION})


def recipes(d: Desk) -> None:
    d.app.settings.set_values({"recipes": [{"title": "Renamed", "instruction": INSTRUCTION}]})


async def question(d: Desk) -> dict[str, Any]:
    asked = await d.until(lambda m: m.get("method") == ASKS)
    several = len(asked["params"]["actions"]) > 1
    said = "did you mean one of these?" if several else "did you mean this?"
    assert asked["params"]["message"] == f"copydesk: {said}"
    return asked


def replied(d: Desk, asked: dict[str, Any], title: str | None) -> None:
    d.send({"id": asked["id"], "result": {"title": title} if title is not None else None})


def test_a_client_with_means_of_its_own_gets_them_verified() -> None:
    async def scenario() -> None:
        async with desk(options={"alternatives": True}, judge=judged) as d:
            d.open(TEXT)
            result = (await d.answer(await unsure(d, lambda: edit_request(d))))["result"]
            assert (result["status"], result["verdict"]) == ("refused", "unsure")
            assert (result["reason"], result["edit"], result["confidence"]) == (SENTENCE, None, None)
            first, nothing, second = result["alternatives"]
            assert applied(TEXT, first.pop("edit"), 1) == TEXT.replace("b", "first")
            assert first == {
                "title": "Write first", "probability": 0.41, "program": "<program>1", "verdict": "checked",
                "applicability": "unsafe", "reason": None, "checks": ["syntax"],
            }  # fmt: skip
            assert (nothing["title"], nothing["edit"], nothing["verdict"]) == (
                "Change nothing", None, "unchanged",
            )  # fmt: skip
            assert (second["edit"], second["verdict"], second["reason"]) == (
                None, "refused", "ruff now reports: F821",
            )  # fmt: skip
            await d.settled()
            assert not d.notified(ASKS)

    run(scenario)


def test_where_all_that_it_thought_of_is_refused_the_reason_is_no_question() -> None:
    async def refused(*_: Any, **__: Any) -> Judgement:
        return Judgement("refused", "ruff now reports: F821", ())

    async def scenario() -> None:
        async with desk(options={"alternatives": True}, judge=refused) as d:
            d.open(TEXT)
            result = (await d.answer(await unsure(d, lambda: edit_request(d))))["result"]
            assert not any(one["edit"] for one in result["alternatives"])
            assert result["reason"] == (
                "the edit it thought of is refused (Write first): ruff now reports: F821"
            )

    run(scenario)


def test_candidates_are_answered_to_any_client_beside_the_edit_and_nobody_is_asked() -> None:
    async def scenario() -> None:
        async with desk(judge=judged) as d:
            d.open(TEXT)
            where = {"textDocument": {"uri": URI, "version": d.version()}, "range": span((1, 0), (2, 0))}
            ident = d.ask("copydesk/edit", {**where, "instruction": INSTRUCTION, "candidates": 3})
            job = await d.engine.job(0)
            assert job.request.candidates == 3
            job.plan((2, 2))
            job.finished(
                "edited", None, edits=(FIRST,), alternatives=ALTERNATIVES, law="local", program="<program>1"
            )
            result = (await d.answer(ident))["result"]
            assert (result["status"], result["verdict"], result["law"]) == ("edited", "checked", "local")
            assert applied(TEXT, result["edit"], 1) == TEXT.replace("b", "first")
            assert [(one["title"], one["probability"], one["verdict"]) for one in result["alternatives"]] == [
                ("Write first", 0.41, "checked"),
                ("Change nothing", 0.3, "unchanged"),
                ("Write second", 0.2, "refused"),
            ]
            assert result["alternatives"][0]["edit"] == result["edit"]
            await d.settled()
            assert not d.notified(ASKS)
            for wrong in (0, 17, "3", True, 1.5):
                refused = await d.answer(
                    d.ask("copydesk/edit", {**where, "instruction": INSTRUCTION, "candidates": wrong})
                )
                assert (refused["error"]["code"], refused["error"]["message"]) == (
                    -32602, "candidates is a number from 1 to 16",
                )  # fmt: skip

    run(scenario)


def test_alternatives_of_an_edit_that_no_one_asked_candidates_for_are_left_out() -> None:
    async def scenario() -> None:
        async with desk(options={"alternatives": True}, judge=judged) as d:
            d.open(TEXT)
            ident = edit_request(d)
            job = await d.engine.job(0)
            job.plan((2, 2))
            job.finished("edited", None, edits=(FIRST,), alternatives=ALTERNATIVES)
            result = (await d.answer(ident))["result"]
            assert (result["status"], result["alternatives"]) == ("edited", [])

    run(scenario)


def test_for_a_finding_what_is_proved_is_taken() -> None:
    """Where the finding is gone with an edit, and the code means the same, nobody is asked; about an instruction a person is."""

    async def proved(_before: str, after: str, diagnostics: Any, **given: Any) -> Judgement:
        assert given["known_fix"] is False
        return Judgement(
            "confirmed" if diagnostics else "checked", None, (), "safe" if "second" in after else "unsafe"
        )

    async def scenario() -> None:
        async with desk(options={"alternatives": True}, judge=proved) as d:
            d.open(TEXT)
            where = {"textDocument": {"uri": URI, "version": d.version()}}
            asking = [
                lambda: d.ask("copydesk/edit", {**where, "diagnostic": diagnostic(1)}),
                lambda: edit_request(d),
            ]
            results = []
            for number, ask in enumerate(asking):
                ident = ask()
                job = await d.engine.job(number)
                job.plan((2, 2))
                job.finished("refused", SENTENCE, unsure=True, alternatives=ALTERNATIVES)
                results.append((await d.answer(ident))["result"])
            finding, instruction = results
            assert (finding["status"], finding["verdict"], finding["alternatives"]) == (
                "edited",
                "confirmed",
                [],
            )
            assert applied(TEXT, finding["edit"], 1) == TEXT.replace("2", "second")
            assert (instruction["status"], len(instruction["alternatives"])) == ("refused", 3)

    run(scenario)


def test_any_other_client_is_asked_and_the_choice_is_applied() -> None:
    async def scenario() -> None:
        async with desk(judge=checked) as d:
            d.open(TEXT)
            result = (await d.answer(await unsure(d, lambda: edit_request(d))))["result"]
            assert (result["verdict"], result["alternatives"]) == ("unsure", [])
            asked = await question(d)
            titles = [action["title"] for action in asked["params"]["actions"]]
            assert titles == ["1. Write first (41%)", "2. Write second (20%)"]
            replied(d, asked, titles[1])
            applying = await d.until(lambda m: m.get("method") == APPLY)
            assert applied(TEXT, applying["params"]["edit"], 1) == TEXT.replace("2", "second")
            d.change((1, 4), (1, 5), "second")
            d.send({"id": applying["id"], "result": {"applied": True}})
            await d.settled()
            assert d.said() == []

    run(scenario)


@pytest.mark.parametrize("answer", [None, "3. Something else", "error"])
def test_where_the_person_chooses_none_nothing_happens(answer: str | None) -> None:
    async def scenario() -> None:
        async with desk(judge=checked) as d:
            d.open(TEXT)
            await d.answer(await unsure(d, lambda: edit_request(d)))
            asked = await question(d)
            if answer == "error":
                d.send({"id": asked["id"], "error": {"code": -32601, "message": "not here"}})
            else:
                replied(d, asked, answer)
            await d.settled()
            assert not d.notified(APPLY)
            told = ["copydesk: did you mean one of these? 1. Write first (41%) 2. Write second (20%)"]
            assert d.said() == (told if answer == "error" else [])

    run(scenario)


@pytest.mark.parametrize("how", ["in its line", "elsewhere", "closed", "opened again"])
def test_nothing_is_applied_where_the_document_has_changed(how: str) -> None:
    async def scenario() -> None:
        async with desk(judge=checked) as d:
            d.open(TEXT)
            await d.answer(await unsure(d, lambda: edit_request(d)))
            asked = await question(d)
            if how == "in its line":
                d.change((1, 0), (1, 1), "x")
            elif how == "elsewhere":
                d.change((0, 0), (0, 0), "\n")
            else:
                d.close()
                if how == "opened again":
                    d.open(TEXT)
            replied(d, asked, "1. Write first (41%)")
            await d.settled()
            assert not d.notified(APPLY)
            assert d.said() == ["copydesk: the code changed; nothing was applied."]

    run(scenario)


def test_a_change_while_they_are_verified_moves_them() -> None:
    async def scenario() -> None:
        going, go = asyncio.Event(), asyncio.Event()

        async def slow(*given: Any, **more: Any) -> Judgement:
            going.set()
            await go.wait()
            return await checked(*given, **more)

        async with desk(options={"alternatives": True}, judge=slow) as d:
            d.open(TEXT)
            ident = await unsure(d, lambda: edit_request(d))
            await going.wait()
            d.change((0, 0), (0, 0), "# above\n")
            go.set()
            result = (await d.answer(ident))["result"]
            assert result["version"] == 2
            assert applied(d.text(), result["alternatives"][0]["edit"], 2) == d.text().replace(
                "b =", "first ="
            )
            ident = edit_request(d)
            job = await d.engine.job(1)
            job.plan((3, 3))
            going.clear()
            go.clear()
            moved = [edit((2, 0), (2, 1), "first")]
            one = EditAlternative("Write first", 0.4, tuple(moved), "<program>", None, (), "checked")
            job.finished("refused", SENTENCE, unsure=True, alternatives=(one,))
            await going.wait()
            d.change((2, 0), (2, 1), "x")
            go.set()
            assert (await d.answer(ident))["error"]["code"] == -32801

    run(scenario)


def test_an_edit_that_does_not_fit_is_not_offered() -> None:
    async def scenario() -> None:
        async with desk(options={"alternatives": True}, judge=checked) as d:
            d.open(TEXT)
            ident = edit_request(d)
            job = await d.engine.job(0)
            job.plan((2, 2))
            outside = EditAlternative("Elsewhere", 0.5, (edit((0, 0), (0, 1), "x"),), "<program>", None)
            job.finished("refused", SENTENCE, unsure=True, alternatives=(*ALTERNATIVES[:1], outside))
            result = (await d.answer(ident))["result"]
            assert (result["verdict"], result["alternatives"]) == ("unsure", [])

    run(scenario)


@pytest.mark.parametrize("own", [False, True])
def test_an_action_that_is_resolved(own: bool) -> None:
    async def scenario() -> None:
        async with desk(RESOLVES, options={"alternatives": own}, judge=checked) as d:
            recipes(d)
            d.open(TEXT)
            action = next(a for a in await d.actions((1, 0), (2, 0)) if a["title"].startswith("Renamed"))
            ident = await unsure(d, lambda: d.ask("codeAction/resolve", action))
            resolved = (await d.answer(ident))["result"]
            assert "edit" not in resolved
            await d.settled()
            assert d.said() == []
            if own:
                command = resolved["command"]
                assert command["command"] == "copydesk.chooseAlternative"
                (argument,) = command["arguments"]
                assert argument["textDocument"] == {"uri": URI, "version": 1}
                assert argument["range"] == span((1, 0), (2, 0))
                edits = [one["edit"] for one in argument["alternatives"]]
                assert applied(TEXT, edits[0], 1) == TEXT.replace("b", "first")
                assert edits[1] is None
                assert not d.notified(ASKS)
            else:
                assert "command" not in resolved
                replied(d, await question(d), "1. Write first (41%)")
                applying = await d.until(lambda m: m.get("method") == APPLY)
                assert applied(TEXT, applying["params"]["edit"], 1) == TEXT.replace("b", "first")
                d.send({"id": applying["id"], "result": {"applied": False}})
                await d.settled()
                (said,) = d.said()
                assert "was not applied" in said

    run(scenario)


def test_a_command_asks_and_answers_at_once() -> None:
    async def scenario() -> None:
        async with desk(APPLIES, judge=checked) as d:
            recipes(d)
            d.open(TEXT)
            action = next(a for a in await d.actions((1, 0), (2, 0)) if a["title"].startswith("Renamed"))
            ident = await unsure(d, lambda: d.ask("workspace/executeCommand", action["command"]))
            assert (await d.answer(ident))["result"] is None
            replied(d, await question(d), "1. Write first (41%)")
            applying = await d.until(lambda m: m.get("method") == APPLY)
            assert applied(TEXT, applying["params"]["edit"], 1) == TEXT.replace("b", "first")
            d.change((1, 0), (1, 1), "first")
            d.send({"id": applying["id"], "result": {"applied": True}})

    run(scenario)


def test_a_resolved_action_has_its_candidates_beside_its_edit() -> None:
    async def scenario() -> None:
        for own in (False, True):
            async with desk(RESOLVES, options={"alternatives": own}, judge=checked) as d:
                d.app.settings.set_values(
                    {"recipes": [{"title": "Renamed", "instruction": INSTRUCTION}], "candidates": 3}
                )
                d.open(TEXT)
                action = next(a for a in await d.actions((1, 0), (2, 0)) if a["title"].startswith("Renamed"))
                ident = d.ask("codeAction/resolve", action)
                job = await d.engine.job(0)
                assert job.request.candidates == 3
                job.plan((2, 2))
                job.finished("edited", None, edits=(FIRST,), alternatives=ALTERNATIVES)
                resolved = (await d.answer(ident))["result"]
                assert applied(TEXT, resolved["edit"], 1) == TEXT.replace("b", "first")
                beside = resolved["data"].get("alternatives", [])
                assert [one["title"] for one in beside] == [one.title for one in ALTERNATIVES if own]
                await d.settled()
                assert not d.notified(ASKS)

    run(scenario)


def test_a_client_that_cannot_apply_edits_is_told_in_words() -> None:
    async def scenario() -> None:
        async with desk({"textDocument": RESOLVES["textDocument"]}, judge=checked) as d:
            recipes(d)
            d.open(TEXT)
            action = next(a for a in await d.actions((1, 0), (2, 0)) if a["title"].startswith("Renamed"))
            await d.answer(await unsure(d, lambda: d.ask("codeAction/resolve", action)))
            await d.settled()
            assert not d.notified(ASKS)
            assert d.said() == [f"copydesk changed nothing: {SENTENCE}."]

    run(scenario)


def test_the_chosen_program_is_the_last_one() -> None:
    program = '<program>\n<copy lines="1-1"/>\n<gen>\nfirst = 2\n</gen>\n<copy lines="3-3"/>\n</program>\n'
    one = EditAlternative("Write first", 0.4, (FIRST,), program, None, (), "checked")

    async def scenario() -> None:
        for own in (False, True):
            async with desk(options={"alternatives": own}, judge=checked) as d:
                d.open(TEXT)
                ident = edit_request(d)
                job = await d.engine.job(0)
                job.plan((2, 2))
                job.finished("refused", SENTENCE, unsure=True, alternatives=(one,))
                await d.answer(ident)
                assert await d.request("copydesk/program", {}) is None
                await d.actions((1, 0), (1, 0))  # as VS Code asks for each move of the cursor
                if not own:
                    replied(d, await question(d), "1. Write first (40%)")
                    applying = await d.until(lambda m: m.get("method") == APPLY)
                    d.send({"id": applying["id"], "result": {"applied": True}})
                d.change((1, 0), (1, 1), "first")
                last = await d.request("copydesk/program", {})
                assert (last["status"], last["verdict"], last["program"]) == ("edited", "checked", program)

    run(scenario)


def test_over_stdio() -> None:
    """With a scripted engine: the question goes out, the request does not wait for it, and the edit is for the very version."""
    with LspClient() as client:
        titles: list[str] = []

        def choose(params: Any) -> Any:
            titles.extend(action["title"] for action in params["actions"])
            return params["actions"][1]

        client.reply(ASKS, choose)
        client.reply(APPLY, lambda params: {"applied": True})
        client.initialize()
        uri = client.open("untitled:a.py", TEXT)
        params = {"textDocument": {"uri": uri, "version": 1}, "range": span((0, 0), (1, 0))}
        result = client.request("copydesk/edit", {**params, "instruction": "unsure # one\n|# two\n"})
        assert (result["verdict"], result["alternatives"]) == ("unsure", [])
        edit = client.asked(APPLY)["edit"]
        assert applied(TEXT, edit, 1, uri) == "# two\n" + TEXT
        assert titles == ["1. Write # one (50%)", "2. Write # two (25%)"]
        head = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
        client.change(uri, {"range": head, "text": "# two\n"})
        client.barrier()

    with LspClient() as client:
        client.initialize(options={"alternatives": True})
        uri = client.open("untitled:a.py", TEXT)
        result = client.request("copydesk/edit", {**params, "instruction": "unsure # one\n|# two\n"})
        edits = [applied(TEXT, one["edit"], 1, uri) for one in result["alternatives"]]
        assert edits == ["# one\n" + TEXT, "# two\n" + TEXT]
        assert [one["probability"] for one in result["alternatives"]] == [0.5, 0.25]
        assert {one["verdict"] for one in result["alternatives"]} == {"checked"}
