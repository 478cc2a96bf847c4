"""Every kind of defect, drawn from the standard library: positions, messages, scopes, and the way back."""

from __future__ import annotations

import ast
import itertools
import random
import re
import warnings
from functools import cache

import pytest

from copydesk.errors import ProgramError
from copydesk.oracle import oracle_program
from copydesk.quickfixes.kinds import NAME_KINDS, classify, is_syntax_error
from copydesk.quickfixes.scope import resolve_scope
from copydesk.text.document import split_lines
from copydesk_training.defects import KINDS, Kind, examples, for_kind
from copydesk_training.defects.registry import draw, windows_lines
from copydesk_training.defects.ruff_teacher import ruff_fixes
from copydesk_training.defects.typos import typo
from copydesk_training.defects.wordings import WORDINGS, choose
from copydesk_training.example import Example
from defect_files import files

DRAWN = {name: kind for name, kind in KINDS.items() if kind.inject is not None}
RARE = {
    "missing_await": 10, "constant": 12, "lambda_assignment": 12, "bare_except": 12, "full_type_hints": 20,
    "dataclass_field": 12, "any_all": 12, "make_async": 12, "enumerate": 20, "chained_comparison": 12,
}  # fmt: skip
"""Kinds the standard library has few places for."""
SYNTAX = {name for name, kind in KINDS.items() if 20 <= kind.id < 40}
UNPARSABLE_BEFORE = SYNTAX


@cache
def drawn(name: str, count: int = 30) -> list[Example]:
    """`count` different examples of a kind, few per file: of the shorter files, where they have as many."""
    found: dict[str, Example] = {}
    shortest_first = sorted(files(typed=True), key=lambda file: len(file.text))
    for number, (k, file) in itertools.product(range(12), enumerate(shortest_first)):
        example = draw(DRAWN[name], file, random.Random(f"{number}/{k}"))
        if example is not None:
            found.setdefault(repr((example.before, example.request)), example)
        if len(found) == count:
            break
    return list(found.values())


@cache
def clean_texts() -> frozenset[str]:
    """Texts that were parsed already: one side of most examples is one of them."""
    return frozenset(file.text for file in files(typed=True))


def parses(text: str) -> bool:
    if text in clean_texts():
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except SyntaxError:
            return False
    return True


def changed_lines(example: Example) -> set[int]:
    """0-based lines of `before` that are not in `after`, from the first to the last; the two round an insertion."""
    before, after = split_lines(example.before), split_lines(example.after)
    most = min(len(before), len(after))
    head = next((k for k in range(most) if before[k] != after[k]), most)
    tail = next((k for k in range(most - head) if before[-1 - k] != after[-1 - k]), most - head)
    return set(range(head, len(before) - tail)) or {max(0, head - 1), head}


@pytest.fixture(scope="module", params=sorted(DRAWN))
def kind(request: pytest.FixtureRequest) -> Kind:
    return DRAWN[request.param]


@pytest.fixture(scope="module")
def batch(kind: Kind) -> list[Example]:
    return drawn(kind.name)


def test_there_are_enough(kind: Kind, batch: list[Example]) -> None:
    assert len(batch) >= RARE.get(kind.name, 30)


def test_texts(kind: Kind, batch: list[Example]) -> None:
    for example in batch:
        assert example.kind == kind.name
        assert (example.before == example.after) == kind.name.startswith("clean")
        assert parses(example.after), example.request
        if kind.name in UNPARSABLE_BEFORE:
            assert not parses(example.before), example.request
        elif not kind.name.startswith("clean"):
            assert parses(example.before), example.request


def test_the_change_is_inside_the_default_scope_and_the_oracle_finds_it(
    kind: Kind, batch: list[Example]
) -> None:
    outside = 0
    for example in batch:
        scope = resolve_scope(split_lines(example.before), example.request, "python")
        try:
            program = oracle_program(example.before, example.after, scope=scope)
        except ProgramError:
            outside += 1
            continue
        assert program.resolve(example.before) == example.after
    assert outside <= len(batch) * 0.05


def test_diagnostics_lie_in_the_document(batch: list[Example]) -> None:
    for example in batch:
        lines = split_lines(example.before)
        for diagnostic in example.request.diagnostics:
            for position in (diagnostic.start, diagnostic.end):
                assert position.line <= len(lines)
                content = lines[position.line].rstrip("\r\n") if position.line < len(lines) else ""
                assert position.character <= len(content)
            assert diagnostic.message
            assert not re.search(r"\{\w*\}", diagnostic.message) or "{" in example.before


def test_located_means_pointed_at(kind: Kind, batch: list[Example]) -> None:
    for example in batch:
        pointed = bool(example.request.diagnostics) or example.request.scope is not None
        if example.located:
            assert pointed
        else:
            assert not example.request.diagnostics
            assert example.request.instruction
        if example.request.diagnostics:
            assert example.request.scope is None  # the engine's policy decides


# -- particular kinds ----------------------------------------------------------------------------------------------------

AT_THE_LINE = [
    "undefined_name", "attribute_typo", "missing_self", "self_parameter", "variable_misuse",
    "rename_leftover", "unused_import", "missing_colon", "none_comparison", "true_comparison",
    "mutable_default", "bare_except", "unused_variable", "fstring_placeholder", "not_in", "not_is",
    "type_comparison", "wrong_operator", "off_by_one", "condition_negated", "missing_return",
    "trailing_whitespace", "blank_whitespace",
]  # fmt: skip


@pytest.mark.parametrize("name", AT_THE_LINE)
def test_the_diagnostic_is_on_a_line_that_changes(name: str) -> None:
    for example in drawn(name):
        for diagnostic in example.request.diagnostics:
            covered = range(diagnostic.start.line, diagnostic.end.line + 1)
            assert changed_lines(example) & set(covered), (name, diagnostic)


@pytest.mark.parametrize("name", ["missing_comma", "missing_bracket", "missing_quote", "keyword_typo"])
def test_parsers_speak_near_the_change(name: str) -> None:
    near = [
        min(abs(line - d.start.line) for line in changed_lines(example)) <= 6
        for example in drawn(name)
        for d in example.request.diagnostics
    ]
    assert sum(near) >= 0.95 * len(near)


NAMED = (
    "undefined_name",
    "missing_self",
    "rename_leftover",
    "missing_import",
    "unused_import",
    "unused_variable",
)


@pytest.mark.parametrize("name", NAMED)
def test_the_message_names_what_is_marked(name: str) -> None:
    """Where a tool marks an exact place, the text there is the name its message speaks of."""
    exact = 0
    for example in drawn(name):
        for d in example.request.diagnostics:
            text = split_lines(example.before)[d.start.line]
            marked = text[d.start.character : d.end.character]
            if d.source in ("Ruff", "Pyright", "mypy", "pylint") and d.start.line == d.end.line:
                exact += 1
                assert marked.split(" as ")[0].split(".")[0] in d.message, (marked, d)
            words = re.findall(r"\w+", d.message)
            assert any(re.search(rf"\b{word}\b", text) for word in words)
    assert exact >= 8


def test_the_engine_knows_the_wordings_about_names_and_syntax() -> None:
    for name in ("undefined_name", "missing_self", "missing_import", "rename_leftover"):
        for example in drawn(name):
            assert all(classify(d) in NAME_KINDS for d in example.request.diagnostics), example.request
    for name in SYNTAX - {"keyword_typo"}:
        for example in drawn(name):
            assert all(is_syntax_error(d) for d in example.request.diagnostics), example.request


def test_a_missing_import_may_be_far_from_its_use() -> None:
    found = drawn("missing_import", 60)
    distances = [example.request.diagnostics[0].start.line - min(changed_lines(example)) for example in found]
    assert max(distances) > 100
    for example in found:
        scope = resolve_scope(split_lines(example.before), example.request, "python")
        assert len(scope) <= 2


def test_cpython_words_syntax_errors_as_it_would_itself() -> None:
    """Over whole files: message and line are those of `ast.parse`, but for errors CPython reports elsewhere first."""
    same = total = 0
    for name in sorted(SYNTAX):
        for example in drawn(name, 50):
            d = example.request.diagnostics[0]
            if d.source is not None or "\r" in example.before:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with pytest.raises(SyntaxError) as caught:
                    ast.parse(example.before)
            total += 1
            kind, _, message = d.message.partition(": ")
            expected = (type(caught.value).__name__, caught.value.msg, caught.value.lineno)
            same += expected == (kind, message, d.start.line + 1)
    assert total >= 20
    assert same >= 0.93 * total, f"{same} of {total}"


def test_unlocated_bugs_say_no_line() -> None:
    for example in drawn("unlocated_bug"):
        assert not example.located
        scope = example.request.scope
        assert scope is None or all(last - first < 60 for first, last in scope)


def test_the_same_questions_are_asked_where_there_is_nothing_to_fix() -> None:
    asked = {e.request.instruction for e in drawn("unlocated_bug", 60)}
    assert asked & {e.request.instruction for e in drawn("clean_bug", 60)}


# -- drawing -------------------------------------------------------------------------------------------------------------


def test_kinds_have_ids_of_their_own_that_fit_a_byte() -> None:
    ids = [kind.id for kind in KINDS.values()]
    assert len(set(ids)) == len(ids)
    assert 0 < min(ids) <= max(ids) < 256
    assert (KINDS["undefined_name"].id, KINDS["missing_colon"].id, KINDS["rename"].id) == (1, 20, 100)


def test_examples_are_mixed_different_and_the_same_for_the_same_seed() -> None:
    text = files()[0].text
    one = list(examples(text, random.Random(3), 80))
    assert one == list(examples(text, random.Random(3), 80))
    assert one != list(examples(text, random.Random(4), 80))
    assert len(one) == 80
    assert len({e.kind for e in one}) > 20
    changed = [e for e in one if e.before != e.after]
    assert len({(e.before, e.request.instruction) for e in changed}) == len(changed)
    # What has nothing to fix is the same text every time, with other requests.
    assert len({e.request for e in one if e.before == e.after}) == 80 - len(changed) > 1


def test_what_cannot_be_used_gives_nothing() -> None:
    assert list(examples("def f(:\n", random.Random(0), 5)) == []
    assert list(examples("x = 1\r\n", random.Random(0), 5)) == []
    assert list(examples("\0", random.Random(0), 5)) == []
    assert len(list(examples("", random.Random(0), 5))) == 0
    assert len(list(examples("x = 1\n", random.Random(0), 50))) < 50


def test_for_kind() -> None:
    text = "def f(value):\n    if value is None:\n        return 1\n    return value\n"
    example = for_kind("none_comparison", text, random.Random(0))
    assert example is not None
    assert example.before == text.replace("is None", "== None")
    assert for_kind("bare_except", text, random.Random(0)) is None
    with pytest.raises(KeyError):
        for_kind("no such kind", text, random.Random(0))


def test_non_ascii_text_is_counted_in_code_points() -> None:
    text = 'def f(värde):\n    print("äöü𝄞", värde, "é")\n    return värde\n'
    for seed in range(30):
        example = for_kind("undefined_name", text, random.Random(seed))
        if example is not None and example.request.diagnostics[0].source == "Ruff":
            d = example.request.diagnostics[0]
            marked = split_lines(example.before)[d.start.line][d.start.character : d.end.character]
            assert f"`{marked}`" in d.message
            break
    else:
        pytest.fail("no example")


def test_windows_lines() -> None:
    example = for_kind("missing_colon", "if x:\n    y()\n", random.Random(1))
    assert example is not None
    assert windows_lines(example).after == "if x:\r\n    y()\r\n"
    assert windows_lines(example).request == example.request


def test_typos_are_identifiers_of_their_own() -> None:
    rng = random.Random(0)
    for word in ("value", "is_open", "Path", "ab", "_x9"):
        for _ in range(50):
            bad = typo(rng, word, {"valu"})
            assert bad is None or (bad.isidentifier() and bad not in (word, "valu", "print"))


def test_wordings_without_their_fields_are_left_out() -> None:
    for _ in range(50):
        assert "{good}" not in choose(random.Random(0), "undefined-name", {"name": "x"}).message
    for subject, wordings in WORDINGS.items():
        assert len(wordings) >= 2, subject


# -- ruff ----------------------------------------------------------------------------------------------------------------

UNTIDY = """import os
import sys


def f(a, b=[]):
    unused = 1
    if not a in b:
        return f"plain"
    elif a == None:
        print(sys.argv)
    return dict([(x, x) for x in b])
"""


def test_ruff_teaches_its_fixes() -> None:
    found = [example for _, example in ruff_fixes([UNTIDY], random.Random(0), per_text=20)]
    codes = {e.request.diagnostics[0].code: e for e in found}
    assert {"F401", "F841", "E713", "F541"} <= set(codes)
    assert codes["E713"].kind == "ruff_fix"
    assert codes["F841"].kind == "ruff_unsafe_fix"
    assert "    unused = 1\n" not in codes["F841"].after
    for example in found:
        assert example.before == UNTIDY != example.after
        assert parses(example.after)
