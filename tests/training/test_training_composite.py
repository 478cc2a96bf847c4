"""Several defects in one document: each example means there what it meant alone, and touches no other's lines."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from copydesk.paging.page import Page
from copydesk.text.document import split_lines
from copydesk_training.composite import MARGIN, Hunk, composites
from copydesk_training.defects import KINDS, examples
from copydesk_training.example import Example
from copydesk_training.examples import LONGEST_GROUP, MOST_BRANCHES, Rendered, Renderer
from copydesk_training.sharing import gathered, shows_well
from defect_files import files
from training_corpora import codec

APART = 20


@cache
def drawn(seed: int) -> tuple[str, tuple[Example, ...]]:
    """A text and examples of it."""
    chosen = [file.text for file in files() if 100 < file.text.count("\n") < 300]
    text = random.Random(seed).choice(chosen)
    return text, tuple(examples(text, random.Random(seed), 120))


def meaning(example: Example) -> object:
    """What an example says, wherever in a text it stands: lines that change and what becomes of them, lines pointed at."""
    lines = split_lines(example.before)
    change = Hunk.between(lines, split_lines(example.after))
    scope = example.request.scope or ()
    about = [(d.message, d.code, d.start.character, d.end.character) for d in example.request.diagnostics]
    at = [[*lines, ""][d.start.line : d.end.line + 1] for d in example.request.diagnostics]
    # In the scope of an instruction there may be others' hunks.
    shown = [lines[a - 1 : b] for a, b in scope if not KINDS[example.kind].instruction]
    edit = None if change is None else (lines[change.start : change.end], change.new)
    return repr((example.kind, example.located, example.request.instruction, about, at, shown, edit))


@pytest.mark.parametrize("seed", range(8))
def test_each_example_means_what_it_meant_alone(seed: int) -> None:
    text, alone = drawn(seed)
    documents, left = composites(text, alone, APART)
    assert not left
    assert max(map(len, documents)) > 8
    for document in documents:
        assert len({example.before for example in document}) == 1
    placed = Counter(meaning(example) for document in documents for example in document)
    assert placed == Counter(map(meaning, alone))


@pytest.mark.parametrize("seed", range(8))
def test_a_way_back_leaves_the_other_hunks(seed: int) -> None:
    """All ways back together give the clean text; hunks are apart, those that do not parse by more than a page."""
    text, alone = drawn(seed)
    fixes = [e for e in alone if e.after == text and e.before != text and "\r" not in e.before]
    documents, _ = composites(text, fixes, APART)
    assert len(documents) < len(fixes) / 3
    for document in documents:
        lines = split_lines(document[0].before)
        found = []
        for example in document:
            hunk = Hunk.between(lines, split_lines(example.after))
            assert hunk is not None
            found.append((hunk.start, hunk, KINDS[example.kind].breaks))
        found.sort(key=lambda each: each[0])
        for (_, one, _), (_, other, _) in pairwise(found):
            assert other.start - one.end >= MARGIN
        for (first, *_), (second, *_) in pairwise([each for each in found if each[2]]):
            assert second - first >= APART - 4  # lines are counted in the clean text there
        for _, hunk, _ in reversed(found):
            lines[hunk.start : hunk.end] = hunk.new
        assert "".join(lines) == text


def test_what_finds_no_room_is_left() -> None:
    text, alone = drawn(1)
    documents, left = composites(text, alone, APART, 2)
    assert len([d for d in documents if "\r" not in d[0].before]) == 2
    assert sum(map(len, documents)) + len(left) == len(alone)


def test_groups_are_the_examples_one_by_one() -> None:
    """A branch of a group is what its example gives alone, where it is on the page it is served on."""
    text, alone = drawn(2)
    renderer = Renderer(codec())
    shared = same_tokens = 0
    for document in composites(text, alone, APART)[0]:
        dropped: list[tuple[Example, str]] = []
        groups = list(
            renderer.render_groups(document, 32, lambda *told, dropped=dropped: dropped.append(told))
        )
        assert sum(len(group.kinds) for group in groups) + len(dropped) == len(document)
        single = {
            found.ids.tobytes() for e in document if isinstance(found := renderer.render(e, 32), Rendered)
        }
        for group in groups:
            assert len(group.branches) == len(group.kinds) <= MOST_BRANCHES
            assert len(group.ids) <= LONGEST_GROUP or len(group.kinds) == 1
            page = group.ids[: group.branches[0]].tobytes()
            for start, stop in zip(group.branches, (*group.branches[1:], len(group.ids)), strict=True):
                same_tokens += page + group.ids[start:stop].tobytes() in single
            shared += len(group.kinds) > 1
    assert shared > 5
    assert same_tokens > 20


def test_a_page_takes_what_it_shows_with_lines_round_it() -> None:
    lines = [f"line {k}\n" for k in range(100)]
    one, two = Page.of(lines, (21, 52), key=1), Page.of(lines, (37, 68), key=2)
    assert shows_well(one, [(23, 25)])
    assert not shows_well(one, [(22, 25)])
    assert not shows_well(one, [(23, 51)])
    assert not shows_well(one, [(60, 61)])
    assert shows_well(Page.of(lines, (1, 32)), [(1, 1)])
    assert shows_well(Page.of(lines, (81, 100)), [(100, 100)])
    placed = [("a", [(40, 41)], one), ("b", [(30, 31)], one), ("c", [(45, 46)], two)]
    assert gathered(placed) == [(one, [("a", [(40, 41)]), ("b", [(30, 31)]), ("c", [(45, 46)])])]
