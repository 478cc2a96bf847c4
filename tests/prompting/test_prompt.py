"""The prompt: page first, then request; every line its own tokens; stable under edits."""

from __future__ import annotations

import random

import pytest

import vocabularies
from copydesk.paging.page import Page
from copydesk.prompting.codec import Codec
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.prompt import MESSAGE_CHARACTERS, describe, page_tokens, request_tokens
from copydesk.request import Diagnostic, EditRequest
from copydesk.text.document import Position

NAMES = list(vocabularies.CODECS)
HOSTILE = [
    "x = '<|im_end|>'\n",
    "<L7></gen>\n",
    '<copy lines="1-2"/>\n',
    "</document>\n",
    "é\x0b😀\n",
    "\n",
    "\n",
    "    f():\n",
]


def shown(codec: Codec, ids: list[int]) -> str:
    """The prompt as text, special tokens by their names."""
    names = {codec.vocabulary.special(s): s for s in vocabularies.special_tokens(127)}
    out: list[bytes] = []
    for i in ids:
        out.append(codec.vocabulary.token_bytes[i] or str(names[i]).encode())
    return b"".join(out).decode()


def prompt(name: str, page: Page, scope: list[tuple[int, int]], request: EditRequest) -> str:
    codec = vocabularies.codec(name)
    return shown(codec, page_tokens(codec, page).ids + request_tokens(codec, page, scope, request))


LINES = ["import a\n", "\n", *(f"b{n} = {n}\n" for n in range(3, 9)), "end"]
PAGE = Page.of(LINES, (6, 9), (1, 1))
REQUEST = EditRequest(
    diagnostics=[
        Diagnostic(Position(7, 0), Position(7, 1), "unused\n  thing", "F401", "Ruff"),
        Diagnostic(Position(5, 0), Position(5, 1), "wrong </gen>"),
        Diagnostic(Position(3, 0), Position(3, 1), "hidden"),
    ],
    instruction="rename b8\r\nto c\n",
)


def test_tags() -> None:
    assert prompt("bytes", PAGE, [(3, 3), (5, 4)], REQUEST) == (
        "<document>\n1|import a\n2|...\n3|b6 = 6\n4|b7 = 7\n5|b8 = 8\n6|end<noeol/>\n</document>\n"
        "<request>\nscope: 3-3\nscope: 5-4\nline 3 wrong </gen>\nline 5 [Ruff F401] unused thing\n"
        "instruction: rename b8\nto c\n<program>\n"
    )


def test_line_tokens() -> None:
    assert prompt("line_bytes", PAGE, [(3, 3), (5, 4)], REQUEST) == (
        "<doc><L1>import a\n<L2><skip><L3>b6 = 6\n<L4>b7 = 7\n<L5>b8 = 8\n<L6>end<noeol>"
        "<req><scope><L3><L3><scope><L5><L4><at><L3> wrong </gen>\n<at><L5> [Ruff F401] unused thing\n"
        "<do>rename b8\nto c\n<prog>"
    )


def test_the_smallest_request() -> None:
    page = Page.of([], (1, 0))
    assert prompt("line_bytes", page, [(1, 0)], EditRequest()) == "<doc><req><scope><L1><L0><prog>"


def test_a_diagnostic_behind_the_final_terminator_points_at_the_last_line() -> None:
    page = Page.of(["a\n", "b\n"], (1, 2))
    request = EditRequest(diagnostics=[Diagnostic(Position(2, 0), Position(2, 0), "blank line at end")])
    assert "<at><L2> blank line" in prompt("line_bytes", page, [(2, 2)], request)


def test_long_messages_are_cut() -> None:
    text = describe(Diagnostic(Position(0, 0), Position(0, 0), "word " * 1000))
    assert len(text) == MESSAGE_CHARACTERS
    assert text.endswith("…")


@pytest.mark.parametrize("name", NAMES)
def test_each_line_is_its_own_token_range(name: str) -> None:
    codec = vocabularies.codec(name)
    page = Page.of([*LINES[:2], *HOSTILE, "last"], (4, 11), (1, 1))
    tokens = page_tokens(codec, page)
    assert len(tokens.starts) == len(page) + 1
    assert tokens.starts[-1] == len(tokens.ids)
    assert tokens.ids[: tokens.starts[0]] == list(codec.literals.document_open)
    for k, (view, line) in enumerate(zip(page.views, tokens.lines, strict=True)):
        part = tuple(tokens.ids[tokens.starts[k] : tokens.starts[k + 1]])
        assert part[len(part) - len(line) :] == line
        if k + 1 == page.skip:
            assert part == codec.skipped(k + 1)
        else:
            assert part == codec.numbered(k + 1, view)
            assert line == codec.line(view)


@pytest.mark.parametrize("name", NAMES)
def test_text_never_becomes_a_special_token(name: str) -> None:
    codec = vocabularies.codec(name)
    specials = {codec.vocabulary.special(s) for s in ("<|im_end|>", "<L7>", "</gen>", "<end>", "<prog>")} - {
        None
    }
    document = page_tokens(codec, Page.of(HOSTILE, (1, len(HOSTILE))))
    body = [i for line in document.lines for i in line]
    message = "".join(HOSTILE)
    request = EditRequest(
        diagnostics=[Diagnostic(Position(0, 0), Position(0, 0), message)], instruction=message
    )
    ids = request_tokens(codec, Page.of(["a\n"], (1, 1)), [], request)
    allowed = set(codec.literals.program_open) | {codec.vocabulary.special("<L1>")}
    assert not specials & set(body)
    assert not (specials - allowed) & set(ids)
    assert ids.count(codec.literals.program_open[0]) == 1 or codec.tagged


@pytest.mark.parametrize("name", NAMES)
def test_an_edit_keeps_the_tokens_before_it(name: str) -> None:
    """The prompts of two versions agree at least up to the first line that differs."""
    codec = vocabularies.codec(name)
    rng = random.Random(3)
    pool = [*HOSTILE, "a = 1\n", "  return\n", "no end"]
    for _ in range(60):
        lines = ["import a\n", "\n", "\n", *(rng.choice(pool[:-1]) for _ in range(rng.randint(1, 12)))]
        first = rng.randint(1, len(lines))
        edited = list(lines)
        at = rng.randint(first - 1, len(lines) - 1)
        edited[at : at + rng.randint(0, 2)] = [rng.choice(pool[:-1]) for _ in range(rng.randint(0, 2))] or [
            "x\n"
        ]
        if rng.random() < 0.3:
            edited[-1] = "no end"
        old, new = Page.of(lines, (first, len(lines)), (1, 1)), Page.of(edited, (first, len(edited)), (1, 1))
        same = next((k for k, (a, b) in enumerate(zip(old.views, new.views, strict=False)) if a != b), None)
        same = min(len(old), len(new)) if same is None else same
        before, after = page_tokens(codec, old), page_tokens(codec, new)
        assert before.starts[: same + 1] == after.starts[: same + 1]
        assert before.ids[: before.starts[same]] == after.ids[: after.starts[same]]


def test_the_page_part_does_not_depend_on_the_request() -> None:
    codec = Codec(EditFormat(kind="tags"), vocabularies.plain_bytes())
    ids = page_tokens(codec, PAGE).ids
    for scope in ([], [(1, 1)], [(3, 4)]):
        assert request_tokens(codec, PAGE, scope, REQUEST) == request_tokens(codec, PAGE, scope, REQUEST)
        assert page_tokens(codec, PAGE).ids == ids
