"""What LSP 3.18 has words for, and annotated edits: each only for clients that announce it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from copydesk_server.verification import Judgement
from lsp_desk import APPLIES, RESOLVES, Desk, applied, desk, diagnostic, edit, with_actions

TEXT = "a = 1\nif a == None:\n    pass\n"
FIXED = TEXT.replace("==", "is")


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


async def unsafe(*_: Any, **__: Any) -> Judgement:
    return Judgement("confirmed", None, (), "unsafe")


def with_edits(capabilities: dict[str, Any], **more: Any) -> dict[str, Any]:
    workspace = capabilities["workspace"]
    edits = {**workspace["workspaceEdit"], **more}
    return {**capabilities, "workspace": {**workspace, "workspaceEdit": edits}}


def annotated(found: dict[str, Any]) -> bool:
    """Whether every edit of it asks the person first."""
    edits = [one for change in found["documentChanges"] for one in change["edits"]]
    asked = [found.get("changeAnnotations", {}).get(one.get("annotationId"), {}) for one in edits]
    assert all("annotationId" in one for one in edits) == ("changeAnnotations" in found)
    return bool(edits) and all(one.get("needsConfirmation") is True for one in asked)


def plain(found: dict[str, Any]) -> dict[str, Any]:
    """The edit as one applies it who has been asked."""
    return {key: value for key, value in found.items() if key != "changeAnnotations"}


async def executed(d: Desk, action: dict[str, Any], counts: dict[str, int] | None = None) -> dict[str, Any]:
    """The edit that a command has the client apply."""
    ident = d.ask("workspace/executeCommand", action["command"])
    job = await d.engine.job(0)
    job.plan((2, 2))
    job.edited(edit((1, 5), (1, 7), "is"), counts=counts or {})
    asked = await d.until(lambda m: m.get("method") == "workspace/applyEdit")
    d.change((1, 5), (1, 7), "is")
    d.send({"id": asked["id"], "result": {"applied": True}})
    await d.answer(ident)
    found: dict[str, Any] = asked["params"]
    return found


@pytest.mark.parametrize("metadata", [False, True])
def test_an_edit_to_apply_is_labelled_by_what_it_does(metadata: bool) -> None:
    async def scenario() -> None:
        async with desk(with_edits(APPLIES, metadataSupport=metadata)) as d:
            d.app.settings.set_values({"recipes": [{"title": "Docs", "instruction": "Write docs."}]})
            d.open(TEXT)
            (action,) = await d.actions((1, 0), diagnostics=[diagnostic(1)], only=["quickfix"])
            asked = await executed(d, action)
            assert asked["label"] == "copydesk: Replace `==` with `is`"
            assert asked.get("metadata") == ({"isRefactoring": False} if metadata else None)

    async def recipe() -> None:
        async with desk(with_edits(APPLIES, metadataSupport=metadata)) as d:
            d.app.settings.set_values({"recipes": [{"title": "Docs", "instruction": "Write docs."}]})
            d.open(TEXT)
            (action,) = await d.actions((1, 0), (2, 0), only=["refactor.rewrite.copydesk"])
            asked = await executed(d, action)
            assert asked.get("metadata") == ({"isRefactoring": True} if metadata else None)

    run(scenario)
    run(recipe)


@pytest.mark.parametrize(
    ("judge", "known", "asks"),
    [(unsafe, {"groupsOnLabel": True}, True), (unsafe, None, False), (None, {"groupsOnLabel": True}, False)],
)
def test_an_unsafe_edit_to_apply_asks_first(judge: Any, known: Any, asks: bool) -> None:
    async def scenario() -> None:
        capabilities = with_edits(APPLIES, changeAnnotationSupport=known) if known is not None else APPLIES
        async with desk(capabilities, **({"judge": judge} if judge is not None else {})) as d:
            d.open(TEXT)
            (action,) = await d.actions((1, 0), diagnostics=[diagnostic(1)])
            asked = await executed(d, action)
            assert annotated(asked["edit"]) is asks
            assert d.text() == FIXED

    run(scenario)


@pytest.mark.parametrize("tools", [False, True])
@pytest.mark.parametrize("honours", [False, True])
def test_an_unsafe_edit_of_an_action_asks_first(honours: bool, tools: bool) -> None:
    """In the list and resolved; for a client that says it heeds annotations there."""

    async def scenario() -> None:
        client = with_edits(with_actions(honorsChangeAnnotations=honours), changeAnnotationSupport={})
        async with desk(client, judge=unsafe, tools=tools) as d:
            d.open(TEXT)
            (action,) = await d.actions((1, 0), diagnostics=[diagnostic(1)], only=["quickfix"])
            if not tools:
                ident = d.ask("codeAction/resolve", action)
                job = await d.engine.job(0)
                job.plan((2, 2))
                job.edited(edit((1, 5), (1, 7), "is"))
                action = (await d.answer(ident))["result"]
            assert annotated(action["edit"]) is honours
            assert applied(TEXT, plain(action["edit"]), 1) == FIXED

    run(scenario)


@pytest.mark.parametrize(("counts", "left"), [({"generated": 2}, [1]), ({"forced": 9}, None)])
@pytest.mark.parametrize("resolves", [False, True])
def test_what_a_model_may_write_is_tagged(counts: dict[str, int], left: Any, resolves: bool) -> None:
    tags = {"tagSupport": {"valueSet": [1]}}
    properties = {"resolveSupport": {"properties": ["edit", "tags"] if resolves else ["edit"]}}

    async def scenario() -> None:
        async with desk(with_actions(**tags, **properties), {"askInstruction": True}) as d:
            d.app.settings.set_values({"recipes": [{"title": "Docs", "instruction": "Write docs."}]})
            d.open(TEXT)
            found = await d.actions((1, 0), (2, 0), diagnostics=[diagnostic(1)])
            tagged = {action["title"]: action.get("tags") for action in found}
            for title, said in tagged.items():
                model = title.startswith(("Look for a fix", "Docs", "Edit with instruction"))
                assert said == ([1] if model else None), title
            ident = d.ask("codeAction/resolve", found[0])
            job = await d.engine.job(0)
            job.plan((2, 2))
            job.edited(edit((1, 5), (1, 7), "is"), counts=counts)
            resolved = (await d.answer(ident))["result"]
            assert resolved.get("tags") == (left if resolves else [1])

    run(scenario)


def test_a_client_that_knows_no_tags_gets_none() -> None:
    async def scenario() -> None:
        async with desk(RESOLVES, {"askInstruction": True}) as d:
            d.open(TEXT)
            found = await d.actions((1, 0), (2, 0), diagnostics=[diagnostic(1)])
            assert found
            assert not any("tags" in action for action in found)

    run(scenario)
