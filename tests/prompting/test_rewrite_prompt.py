"""What a model off the hub is asked, and how its answer is read."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from copydesk.errors import ScopeError
from copydesk.paging.page import Page
from copydesk.prompting.rewrite_prompt import (
    RewritePrompt,
    common_indent,
    fence_for,
    rewrite_prompt,
    shared_prefix,
)
from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.text.document import Position

PAGE = Page.of(["import a\n", "\n", "def f():\n", "    return nul\n", "end"], (1, 5))


def render(messages: list[Mapping[str, str]]) -> str:
    """ChatML, as Qwen's template writes it."""
    turns = "".join(f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in messages)
    return turns + "<|im_start|>assistant\n"


def ask(scope: list[Range], page: Page = PAGE, request: EditRequest | None = None) -> RewritePrompt:
    return rewrite_prompt(page, scope, request or EditRequest(instruction="Return None."), "python", render)


def test_prompt() -> None:
    place = Diagnostic(Position(3, 11), Position(3, 14), "Undefined name `nul`", "F821", "Ruff")
    asked = ask([(3, 4)], request=EditRequest(diagnostics=[place], instruction="Return None.\n"))
    assert asked.prompt.endswith(
        "<|im_start|>user\nThe file:\n```python\nimport a\n\ndef f():\n    return nul\nend\n```\n\n"
        "Line 4 (`return nul`): [Ruff F821] Undefined name `nul`\nReturn None.\n\n"
        "Rewrite lines 3-4:\n```python\ndef f():\n    return nul\n```\n"
        "Answer with their new text in a code block that opens and closes with ```.<|im_end|>\n<|im_start|>assistant\n"
    )
    assert asked.draft == "def f():\n    return nul\n```"
    assert (asked.fence, asked.opening, asked.lines) == ("```", "```python\n", (3, 4))


def test_the_document_part_is_shared_by_all_requests() -> None:
    shared = shared_prefix(PAGE, "python", render)
    assert shared.endswith("end\n```\n\n")
    for scope in ([(1, 1)], [(4, 3)], [(3, 5)]):
        asked = ask(scope)
        assert asked.prompt[: asked.shared] == shared
    changed = Page.of(["import a\n", "\n", "def g():\n"], (1, 3))
    both = shared_prefix(changed, "python", render)
    assert both.split("def")[0] == shared.split("def")[0]


@pytest.mark.parametrize(
    ("text", "fence"),
    [("", "```"), ("a `b` c\n", "```"), ("```py\n```\n", "````"), ("x = '`````'\n", "``````")],
)
def test_the_fence_is_longer_than_any_inside(text: str, fence: str) -> None:
    assert fence_for(text) == fence


@pytest.mark.parametrize("scope", [(1, 1), (2, 2), (3, 4), (3, 5), (4, 4), (5, 5), (4, 3), (1, 0), (6, 5)])
def test_the_draft_is_the_lines_themselves(scope: Range) -> None:
    asked = ask([scope])
    lines = [asked.indent * (line != "\n") + line for line in asked.shown]
    assert "".join(lines).removesuffix("\n") == "".join(PAGE.views[scope[0] - 1 : scope[1]]).removesuffix(
        "\n"
    )
    assert asked.draft == "".join(asked.shown) + "```"
    assert all(line.endswith("\n") for line in asked.shown)


@pytest.mark.parametrize("text", ["doc = '''```py\n```'''\n", "`````\n", "````\n```\n"])
def test_a_scope_full_of_fences(text: str) -> None:
    page = Page.of(["a\n", *(line + "\n" for line in text.splitlines())], (1, 1 + text.count("\n")))
    asked = ask([(2, len(page))], page)
    assert asked.draft == text + asked.fence
    assert asked.fence not in text
    assert asked.opening == f"{asked.fence}python\n"
    assert asked.fence in asked.prompt


@pytest.mark.parametrize(
    ("lines", "indent"),
    [
        ([], ""),
        (["\n"], ""),
        (["a\n"], ""),
        (["    a\n", "      b\n"], "    "),
        (["    a\n", "\n", "    b\n"], "    "),
        (["\t\ta\n", "\tb\n"], "\t"),
        (["\ta\n", "    b\n"], ""),
        # A line of white space alone could not be told from an empty one, so its own is not taken off.
        (["    a\n", "  \n"], "  "),
        (["    a\n", "    \n"], "    "),
        (["\x0ca\n", "\x0cb\n"], ""),
    ],
)
def test_common_indentation(lines: list[str], indent: str) -> None:
    assert common_indent(lines) == indent
    shown = [line.removeprefix(indent) for line in lines]
    assert [line if line == "\n" else indent + line for line in shown] == [
        "\n" if line == indent + "\n" else line for line in lines
    ]


def test_several_ranges_ask_for_all_lines_between() -> None:
    assert ask([(1, 1), (4, 4)]).lines == (1, 4)
    page = Page.of([f"{n}\n" for n in range(9)], (7, 9), (1, 2))
    with pytest.raises(ScopeError, match="hidden"):
        ask([(1, 1), (4, 5)], page)
    with pytest.raises(ScopeError, match="empty"):
        ask([])


def test_the_lines_asked_for_are_quoted_without_their_indentation() -> None:
    page = Page.of(["def f():\n", "    if x:\n", "        y()\n", "\n", "    z()\n"], (1, 5))
    asked = ask([(2, 5)], page)
    assert asked.indent == "    "
    assert asked.shown == ("if x:\n", "    y()\n", "\n", "z()\n")
    assert "Rewrite lines 2-5:\n```python\nif x:\n    y()\n\nz()\n```\n" in asked.prompt


def test_a_template_that_rewrites_the_text_shares_nothing() -> None:
    asked = rewrite_prompt(
        PAGE, [(1, 1)], EditRequest(), "python", lambda messages: messages[1]["content"].upper()
    )
    assert asked.shared == 0
