"""Fixes before anybody asks, and the server's own linter: when they run, what they keep, and when they let go."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from copydesk.request import ToolFix
from copydesk_server.lsp import lint, prefetch
from copydesk_server.lsp.verification import BackgroundVerifier
from copydesk_server.verification import Judgement
from fake_engine import FakeJob
from lsp_desk import RESOLVES, URI, Desk, applied, desk, diagnostic, edit, span, with_actions

TEXT = "a == None\nb == None\nc == None\nd == None\n"


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetch, "CALM", 0.0)
    monkeypatch.setattr(lint, "PAUSE", 0.0)
    monkeypatch.setattr(lint, "FIRST_PAUSE", 0.0)


def fixes(made: FakeJob) -> None:
    """An engine that knows."""
    line = made.request.diagnostics[0].start.line
    made.plan((line + 1, line + 1))
    made.edited(edit((line, 2), (line, 4), "is"))


def push(d: Desk, *lines: int) -> None:
    say(d, *(diagnostic(line, f"M{line}") for line in lines))


def say(d: Desk, *diagnostics: dict[str, Any]) -> None:
    """What all tools find in the document, from a client of ours."""
    told = {"uri": URI, "version": d.version(), "diagnostics": list(diagnostics)}
    d.notify("copydesk/diagnostics", told)


async def kept(d: Desk, count: int) -> None:
    async with asyncio.timeout(60):
        while d.app.prefetch.count != count:
            await asyncio.sleep(0)


def test_a_fix_is_there_before_it_is_asked_for() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.engine.script = fixes
            d.open(TEXT)
            push(d, 1)
            await kept(d, 1)
            (job,) = d.engine.jobs
            assert (job.priority, job.stream) == ("prefetch", False)
            (action,) = await d.actions((1, 0), diagnostics=[diagnostic(1, "M1")], triggerKind=2)
            assert action["isPreferred"] is True
            assert applied(TEXT, action["edit"], 1) == TEXT.replace("b ==", "b is")
            bare = {key: value for key, value in action.items() if key != "edit"}
            resolved = await d.request("codeAction/resolve", bare)
            assert resolved["edit"] == action["edit"]
            assert len(d.engine.jobs) == 1

    run(scenario)


def test_it_moves_with_its_lines_and_goes_when_they_change() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.engine.script = fixes
            d.open(TEXT)
            push(d, 1, 3)
            await kept(d, 2)
            d.change((0, 0), (0, 0), "\n")
            (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2, "M1")])
            assert applied(d.text(), action["edit"], 2) == "\n" + TEXT.replace("b ==", "b is")
            d.engine.script = None
            d.change((2, 0), (2, 1), "z")
            (action,) = await d.actions((2, 0), diagnostics=[diagnostic(2, "M1")])
            assert "edit" not in action
            (action,) = await d.actions((4, 0), diagnostics=[diagnostic(4, "M3")])
            assert "edit" in action

    run(scenario)


def test_another_finding_of_the_same_place_is_another() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.engine.script = fixes
            d.open(TEXT)
            push(d, 1)
            await kept(d, 1)
            d.engine.script = None
            found = await d.actions(
                (1, 0), diagnostics=[diagnostic(1, "Other"), diagnostic(1, "M1", code="X")]
            )
            assert ["edit" in action for action in found] == [False, False]

    run(scenario)


def test_only_what_is_in_sight_and_no_more_than_the_limit() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.app.settings.set_values({"precomputeLimit": 2})
            d.engine.script = fixes
            d.open(TEXT)
            d.notify(
                "copydesk/visibleRanges", {"uri": URI, "ranges": [span((2, 0), (3, 0)), span((3, 0), (4, 0))]}
            )
            push(d, 0, 1, 2, 3)
            await kept(d, 2)
            await d.settled()
            assert [job.request.diagnostics[0].message for job in d.engine.jobs] == ["M2", "M3"]
            document = d.app.documents.get(URI)
            assert document is not None
            assert d.engine.seen == {document.id: [(3, 3), (4, 4)]}
            # Elsewhere: what is out of sight makes room.
            d.notify("copydesk/visibleRanges", {"uri": URI, "ranges": [span((0, 0), (1, 0))]})
            await d.engine.job(2)
            await d.settled()
            assert d.app.prefetch.count == 2
            assert d.engine.jobs[2].request.diagnostics[0].message == "M0"

    run(scenario)


def test_an_edit_somebody_waits_for_goes_first() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            push(d, 1, 2)
            first = await d.engine.job(0)
            assert first.priority == "prefetch"
            (action,) = await d.actions((1, 0), diagnostics=[diagnostic(1, "M1")])
            ident = d.ask("codeAction/resolve", action)
            second = await d.engine.job(1)
            assert (second.priority, first.cancelled) == ("edit", True), "nobody needs the same twice"
            await d.settled()
            assert len(d.engine.jobs) == 2, "nothing is begun meanwhile"
            fixes(second)
            assert "edit" in (await d.answer(ident))["result"]
            third = await d.engine.job(2)
            assert third.priority == "prefetch"
            third.finished("unchanged")

    run(scenario)


def judged(verdict: Any) -> Any:
    async def judge(*_: Any, **__: Any) -> Judgement:
        return Judgement(verdict, "for a reason", ())

    return judge


def test_only_what_is_confirmed_is_preferred() -> None:
    async def scenario() -> None:
        async with desk(judge=judged("checked")) as d:
            d.engine.script = fixes
            d.open(TEXT)
            push(d, 1)
            await kept(d, 1)
            await d.settled()
            assert len(d.engine.jobs) == 1, "once is enough"
            (action,) = await d.actions((1, 0), diagnostics=[diagnostic(1, "M1")])
            assert "edit" in action
            assert "isPreferred" not in action
            resolved = await d.request("codeAction/resolve", {k: v for k, v in action.items() if k != "edit"})
            assert "edit" in resolved
            assert len(d.engine.jobs) == 1

    run(scenario)


@pytest.mark.parametrize("counts", [{"generated": 3}, {"drafted": 1}, {"choices": 1}])
def test_what_a_model_made_is_not_preferred_and_says_so(counts: dict[str, int]) -> None:
    def writes(made: FakeJob) -> None:
        made.plan((2, 2))
        made.edited(edit((1, 2), (1, 4), "is"), counts={"forced": 4, "forwards": 2, **counts})

    async def scenario(capabilities: dict[str, Any], tags: list[int] | None) -> None:
        async with desk(capabilities) as d:
            d.engine.script = writes
            d.open(TEXT)
            push(d, 1)
            await kept(d, 1)
            (action,) = await d.actions((1, 0), diagnostics=[diagnostic(1, "M1")])
            assert applied(TEXT, action["edit"], 1) == TEXT.replace("b ==", "b is")
            assert "isPreferred" not in action
            assert action.get("tags") == tags
            (action,) = await d.actions((0, 0), only=["source.fixAll.copydesk"])
            assert "tags" not in action
            resolved = await d.request("codeAction/resolve", action)
            assert "edit" not in resolved, "nobody looks at each of them"

    run(lambda: scenario(RESOLVES, None))
    run(lambda: scenario(with_actions(tagSupport={"valueSet": [1]}), [1]))


@pytest.mark.parametrize("temperature", [0.0, 0.5])
@pytest.mark.parametrize("disabled", [False, True])
def test_what_nobody_can_fix_is_not_offered(temperature: float, disabled: bool) -> None:
    async def scenario() -> None:
        async with desk(with_actions(disabledSupport=disabled), judge=judged("refused")) as d:
            d.app.settings.set_values({"temperature": temperature})
            d.engine.script = fixes
            d.open(TEXT)
            push(d, 1)
            await kept(d, 1)
            found = await d.actions((1, 0), diagnostics=[diagnostic(1, "M1")])
            if temperature:  # the next try may be another
                assert [action["title"] for action in found] == ["Look for a fix: M1 (copydesk)"]
                return
            assert [action["title"] for action in found] == ["No fix: M1 (copydesk)"] * disabled
            assert [action["disabled"] for action in found] == [{"reason": "for a reason"}] * disabled
            assert await d.actions((1, 0), diagnostics=[diagnostic(1, "M1")], triggerKind=2) == []

    run(scenario)


def test_it_can_be_turned_off() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.engine.script = fixes
            d.open(TEXT)
            push(d, 1)
            await kept(d, 1)
            d.app.settings.set_values({"precompute": False})
            assert d.app.prefetch.count == 0
            push(d, 1, 2)
            await d.settled()
            assert len(d.engine.jobs) == 1

    run(scenario)


def test_another_model_begins_anew() -> None:
    from dataclasses import replace

    async def scenario() -> None:
        async with desk() as d:
            d.engine.script = fixes
            d.open(TEXT)
            push(d, 1)
            await kept(d, 1)
            assert d.engine.info is not None
            d.engine.info = replace(d.engine.info, name="another")
            (action,) = await d.actions((1, 0), diagnostics=[diagnostic(1, "M1")])
            assert "edit" not in action
            await d.engine.job(1)

    run(scenario)


def test_closing_lets_go() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            push(d, 1)
            job = await d.engine.job(0)
            d.close()
            await d.settled()
            assert job.cancelled
            assert d.app.prefetch.count == 0

    run(scenario)


# -- lint --------------------------------------------------------------------------------------------------------------


def published(message: dict[str, Any]) -> bool:
    return message.get("method") == "textDocument/publishDiagnostics"


def test_ruff_on_the_buffer() -> None:
    async def scenario() -> None:
        async with desk({**RESOLVES, "general": {"positionEncodings": ["utf-16"]}}, judge=None) as d:
            d.app.settings.set_values({"lint": "on", "precompute": False})
            d.open("import os\n")
            first = await d.until(published)
            assert first["params"]["version"] == 1
            (found,) = first["params"]["diagnostics"]
            assert (found["source"], found["code"], found["severity"]) == ("copydesk-ruff", "F401", 2)
            (action,) = await d.actions((0, 0), diagnostics=[found])
            assert action["diagnostics"] == [found]
            d.change((0, 0), (1, 0), "'😀', oops\n")
            second = await d.until(lambda m: published(m) and m["params"].get("version") == 2)
            named = [f for f in second["params"]["diagnostics"] if f["code"] == "F821"]
            assert named[0]["range"] == span((0, 6), (0, 10))
            d.app.settings.set_values({"lint": "off"})
            await d.until(lambda m: published(m) and m["params"]["diagnostics"] == [])
            assert await d.actions((0, 0)) == []
            count = len([m for m in d.wire.sent if published(m)])
            d.change((0, 0), (1, 0), "import sys\n")
            d.close()
            await d.settled()
            assert len([m for m in d.wire.sent if published(m)]) == count

    run(scenario)


REMOVED = (ToolFix((edit((1, 0), (2, 0), ""),), safe=True),)


@pytest.mark.parametrize(("allowed", "fixes"), [(None, REMOVED), ("safe", REMOVED), ("none", ())])
def test_ruffs_own_fix_goes_to_the_engine(allowed: str | None, fixes: tuple[Any, ...]) -> None:
    """Through an action, its data and `copydesk/edit`, moved with its lines: the client knows nothing of it."""

    async def scenario() -> None:
        async with desk(judge=None) as d:
            chosen = {"linterFixes": allowed} if allowed is not None else {}
            d.app.settings.set_values({"lint": "on", "precompute": False, **chosen})
            d.open("import os\n")
            (found,) = (await d.until(published))["params"]["diagnostics"]
            assert set(found) == {"range", "message", "severity", "code", "source"}
            d.change((0, 0), (0, 0), "\n")
            found["range"] = span((1, 7), (1, 9))
            (action,) = await d.actions((1, 0), diagnostics=[found])
            asked = {"textDocument": {"uri": URI, "version": 2}, "diagnostic": found}
            ways = [("codeAction/resolve", action), ("copydesk/edit", asked)]
            for number, (method, params) in enumerate(ways):
                ident = d.ask(method, params)
                job = await d.engine.job(number)
                assert job.request.diagnostics[0].fixes == fixes
                job.plan((2, 2))
                job.edited(edit((1, 0), (2, 0), ""))
                assert "result" in await d.answer(ident)

    run(scenario)


def test_a_fix_of_lines_that_have_changed_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the linter has run again, which it does not do here."""

    async def scenario() -> None:
        async with desk(judge=None) as d:
            d.app.settings.set_values({"lint": "on", "precompute": False})
            d.open("import os\nx = f'a'\n")
            await d.until(published)
            monkeypatch.setattr(lint, "PAUSE", 3600.0)
            d.change((0, 7), (0, 9), "re")
            found = await d.actions((0, 0), (1, 5))
            (named,) = [action["data"]["diagnostic"] for action in found]
            assert named["code"] == "F541", "the other one may not be true any more"
            assert "fixes" not in named, "they do not travel"
            (kept,) = d.app.diagnostics.known(d.app.documents.get(URI))
            assert kept.diagnostic.fixes

    run(scenario)


def test_who_has_no_linter_gets_one_until_another_reports() -> None:
    async def scenario() -> None:
        async with desk(judge=None) as d:
            d.app.settings.set_values({"precompute": False})
            d.open("import os\n")
            say(d)
            first = await d.until(published)
            (found,) = first["params"]["diagnostics"]
            assert found["code"] == "F401"
            say(d, found)  # the client tells what it was told
            say(d, found, diagnostic(0, "a hint", severity=4))
            d.change((0, 0), (1, 0), "import sys\n")
            await d.until(lambda m: published(m) and m["params"].get("version") == 2)
            say(d, found, diagnostic(0, "`sys` imported but unused"))
            last = await d.until(lambda m: published(m) and m["params"]["diagnostics"] == [])
            assert "version" not in last["params"]
            count = len(d.notified("textDocument/publishDiagnostics"))
            say(d)  # all mended: that linter is still there
            d.change((0, 0), (1, 0), "import os\n")
            d.close()
            await d.settled()
            assert len(d.notified("textDocument/publishDiagnostics")) == count

    run(scenario)


def test_the_status_says_who_lints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also without being asked, once that changes."""

    async def scenario(found: str) -> None:
        async with desk(options={"status": True}, judge=None) as d:
            d.app.settings.set_values({"precompute": False})
            d.open("import os\n")
            assert (await d.request("copydesk/status", {}))["linter"] == "other"
            say(d)
            await d.until(lambda _: last(d) == found)
            assert (await d.request("copydesk/status", {}))["linter"] == found
            say(d, diagnostic(0, "`os` imported but unused"))
            await d.until(lambda _: last(d) == "other")

    def last(d: Desk) -> str | None:
        told = d.notified("copydesk/status")
        return told[-1]["linter"] if told else None

    asyncio.run(scenario("ruff"))
    monkeypatch.setattr(BackgroundVerifier, "ruff", lambda self: None)
    asyncio.run(scenario("none"))


@pytest.mark.parametrize("setting", ["off", "auto"])
def test_without_being_told_of_other_tools_nothing_is_published(setting: str) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.app.settings.set_values({"lint": setting})
            d.open("import os\n")
            if setting == "off":
                say(d)
            d.change((0, 0), (0, 0), "import sys\n")
            await d.settled()
            d.close()
            await d.settled()
            assert not any(map(published, d.wire.sent))

    run(scenario)


def test_only_python_is_linted_and_closing_takes_it_back() -> None:
    async def scenario() -> None:
        async with desk(judge=None) as d:
            d.app.settings.set_values({"lint": "on", "precompute": False})
            d.open("import os\n", "untitled:b", "markdown")
            d.open("import os\n")
            await d.until(published)
            d.close()
            last = await d.until(lambda m: published(m) and m["params"]["diagnostics"] == [])
            assert last["params"] == {"uri": URI, "diagnostics": []}
            assert {p["uri"] for p in d.notified("textDocument/publishDiagnostics")} == {URI}

    run(scenario)


def test_without_ruff_the_person_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with desk(judge=None) as d:
            monkeypatch.setattr(d.app.verifier, "ruff", lambda: None)
            d.app.settings.set_values({"lint": "on", "precompute": False})
            d.open("import os\n")
            d.open("import os\n", "untitled:b")
            await d.until(lambda m: m.get("method") == "window/showMessage")
            await d.settled()
            assert len(d.said()) == 1

    run(scenario)
