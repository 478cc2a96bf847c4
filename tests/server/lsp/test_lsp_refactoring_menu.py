"""Refactorings in the light bulb: for whom, of which kinds, and an edit for the text as it is when one is chosen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from lsp_desk import APPLIES, Desk, applied, desk, diagnostic

TEXT = "import os\n\n\ndef f(x):\n    if x:\n        a = go()\n    else:\n        a = 2\n    return a\n"
INVERTED = TEXT.replace("if x", "if not x").replace("go()", "@").replace("2", "go()").replace("@", "2")
INVERT = 'Invert "if" (copydesk)'


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


async def chosen(d: Desk, title: str = INVERT) -> dict[str, object]:
    (found,) = [action for action in await d.actions((4, 6)) if action["title"] == title]
    return found


@pytest.mark.parametrize(
    ("only", "offered"),
    [
        (None, True),
        ([], True),
        (["refactor"], True),
        (["refactor.rewrite"], True),
        (["refactor.rewrite.invertIf"], True),
        (["refactor.inline"], False),
        (["refactor.rewrite.copydesk"], False),
        (["quickfix"], False),
        (["source.fixAll.copydesk"], False),
    ],
)
def test_kinds(only: list[str] | None, offered: bool) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            context = {"only": only} if only is not None else {}
            found = [action for action in await d.actions((4, 6), **context) if action["title"] == INVERT]
            assert bool(found) == offered
            for action in found:
                assert action["kind"] == "refactor.rewrite.invertIf"
                assert "edit" not in action
            assert not d.engine.jobs

    run(scenario)


def test_the_edit_is_for_the_text_as_it_is_when_it_is_chosen() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            action = await chosen(d)
            edit = (await d.request("codeAction/resolve", action))["edit"]
            assert applied(TEXT, edit, d.version()) == INVERTED
            d.change((0, 0), (0, 0), "# above\n\n")
            edit = (await d.request("codeAction/resolve", action))["edit"]
            assert applied(d.text(), edit, d.version()) == "# above\n\n" + INVERTED
            d.change((7, 12), (7, 16), "no()")
            edit = (await d.request("codeAction/resolve", action))["edit"]
            assert applied(d.text(), edit, d.version()) == "# above\n\n" + INVERTED.replace("go()", "no()")
            d.change((6, 7), (6, 8), "y")
            answer = await d.answer(d.ask("codeAction/resolve", action))
            assert answer["error"]["code"] == -32801
            assert not d.engine.jobs

    run(scenario)


def test_the_selected_expression_gets_a_name() -> None:
    text = "def f(x):\n    return 'é𐐀', go(x), 1\n"

    async def scenario() -> None:
        async with desk() as d:
            d.open(text)
            found = await d.actions((1, 18), (1, 23), only=["refactor.extract"])
            assert [action["title"] for action in found] == ['Extract variable "result" (copydesk)']
            d.change((0, 0), (0, 0), "# above\n")
            edit = (await d.request("codeAction/resolve", found[0]))["edit"]
            wanted = "# above\n" + text.replace("    return", "    result = go(x)\n    return").replace(
                "go(x),", "result,"
            )
            assert applied(d.text(), edit, d.version()) == wanted
            assert not await d.actions((1, 18), (1, 18), only=["refactor.extract"])

    run(scenario)


def test_a_client_that_cannot_resolve_gets_the_edit_at_once() -> None:
    async def scenario() -> None:
        async with desk(APPLIES) as d:
            d.open(TEXT.replace("\n", "\r\n"))
            action = await chosen(d)
            assert applied(d.text(), action["edit"], 1) == INVERTED.replace("\n", "\r\n")  # type: ignore[arg-type]
            assert "data" not in action

    run(scenario)


@pytest.mark.parametrize(
    "change",
    [
        {"uri": "untitled:other.py"},
        {"uri": 1},
        {"version": "1"},
        {"lines": [0, 0]},
        {"lines": [5]},
        {"lines": [1, 10**9]},
        {"title": "Delete everything"},
        {"offset": 7},
        {"columns": [6]},
        {"columns": ["a", "b"]},
        {"digest": ""},
        {"digest": None},
    ],
)
def test_forged_data_makes_no_edit(change: dict[str, object]) -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            action = await chosen(d)
            answer = await d.answer(
                d.ask("codeAction/resolve", {**action, "data": {**action["data"], **change}})
            )  # type: ignore[dict-item]
            assert answer["error"]["code"] in (-32801, -32602)

    run(scenario)


def test_titles_in_one_menu_differ_and_fixes_come_first() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT + TEXT)
            found = await d.actions((0, 0), (18, 0), diagnostics=[diagnostic(4, "M")])
            titles = [action["title"] for action in found]
            assert len(set(titles)) == len(titles) <= 25
            assert titles[0].startswith("Look for a fix: ")
            assert [title for title in titles if title.startswith("Invert")] == [
                'Invert "if", line 5 (copydesk)',
                'Invert "if", line 14 (copydesk)',
            ]

    run(scenario)


def test_a_tree_follows_the_text() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            await chosen(d)
            d.change((4, 7), (4, 8), "x.y")
            action = await chosen(d)
            edit = (await d.request("codeAction/resolve", action))["edit"]
            assert "if not x.y:" in applied(d.text(), edit, d.version())
            d.change((4, 4), (4, 6), "(")
            assert INVERT not in [action["title"] for action in await d.actions((4, 6))]

    run(scenario)


def test_it_does_without_the_engine_and_only_for_python() -> None:
    async def scenario() -> None:
        async with desk() as d:
            d.open(TEXT)
            d.open(TEXT, "untitled:a.js", "javascript")
            d.engine.state = "failed"
            assert INVERT in [action["title"] for action in await d.actions((4, 6))]
            assert await d.actions((4, 6), uri="untitled:a.js") == []

    run(scenario)
