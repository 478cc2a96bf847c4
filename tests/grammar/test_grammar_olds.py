"""Old texts of subs against brute force through `sub_span` and `own_run`."""

from __future__ import annotations

import json
import random

import pytest
from tokenizers import Tokenizer

import vocabularies
from copydesk.grammar.olds import Olds, OldState
from copydesk.program import sub_span
from copydesk.prompting.codec import Codec, Ids, own_run
from copydesk.prompting.vocabulary import HFVocabulary
from grammar_pages import random_views

PAGES = [
    ["a = a + a\n", "b\n", "b\n"],
    ["aaa\n", "aa\n", "aa\n", "aa\n", "x\n", "y\n"],
    ["é日é\U0001f600\n", "日\n"],
    ["x</old>y</\n", "a</ol\n", "</old>\n", "<noeol/>"],
    ["one", ],
    ["\n", "\n", "\n"],
    ["  return x\n", "  return x"],
]  # fmt: skip


def brute_force(name: str, views: list[str], line: int, limit: int) -> set[Ids]:
    """Every old text at `line`, from every pair of character offsets."""
    codec = vocabularies.codec(name)
    lines = [codec.line(view) for view in views]
    found = set()
    text = "".join(views[line - 1 :])
    for start in range(len(views[line - 1])):
        for end in range(start + 1, len(text) + 1):
            old = text[start:end]
            span = sub_span(views, line, old, max_lines=codec.format.sub_lines)
            if span is None or span.offset != start or span.end_line > limit:
                continue
            run = own_run(codec, views, lines, line, old)
            if run is not None:
                found.add(run)
    return found


def accepted(olds: Olds, line: int, limit: int) -> tuple[set[Ids], set[Ids]]:
    """(runs accepted, closing literals seen) by walking every path of the machine."""
    runs, closes = set(), set()
    todo: list[tuple[OldState, Ids]] = [(olds.start(line, limit), ())]
    while todo:
        state, ids = todo.pop()
        if state.done:
            text = olds._codec.vocabulary.decode
            size = len(ids) - len(olds._codec.literals.sub_to)
            runs.add(ids[:size])
            closes.add(ids[size:])
            assert state.done.text == text(ids[:size])
            assert state.done.ends_line == state.done.text.endswith("\n")
            assert olds.closing_path(state) == ()
            continue
        tokens = olds.allowed(state)
        assert tokens, "dead end"
        assert list(tokens) == sorted(set(tokens))
        path = olds.closing_path(state)
        behind = state
        for token in path:
            after = olds.advance(behind, token)
            assert after is not None
            behind = after
        assert behind.done
        for token in tokens:
            after = olds.advance(state, token)
            assert after is not None
            todo.append((after, (*ids, token)))
    return runs, closes


def check(name: str, views: list[str]) -> None:
    codec = vocabularies.codec(name)
    olds = Olds(codec, views, [codec.line(view) for view in views])
    for line in range(1, len(views) + 1):
        for limit in {line, min(line + 1, len(views)), len(views)}:
            expected = brute_force(name, views, line, limit)
            assert olds.has_legal_old(line, limit) == bool(expected)
            assert set(olds.legal_runs(line, limit)) == expected
            if expected:
                runs, closes = accepted(olds, line, limit)
                assert runs == expected
                assert closes == {codec.literals.sub_to}


@pytest.mark.parametrize("name", vocabularies.CODECS)
@pytest.mark.parametrize("page", range(len(PAGES)))
def test_olds_equal_brute_force(name: str, page: int) -> None:
    check(name, PAGES[page])


@pytest.mark.parametrize("name", ["qwen_like", "line_tokens"])
def test_olds_equal_brute_force_on_code(name: str) -> None:
    rng = random.Random(5)
    for _ in range(6):
        check(name, [view[-24:] for view in random_views(rng, 4)])


def test_the_end_of_an_old_text_is_known() -> None:
    codec = vocabularies.codec("line_bytes")
    views = ["ab\n", "cd\n", "e"]
    olds = Olds(codec, views, [codec.line(view) for view in views])
    ends = {}
    for old in ("b", "b\n", "b\nc", "ab\ncd\n", "b\ncd\ne"):
        state: OldState | None = olds.start(1, 3)
        for token in (*codec.vocabulary.encode(old), *codec.literals.sub_to):
            assert state is not None
            state = olds.advance(state, token)
        assert state is not None
        assert state.done is not None
        ends[old] = (state.done.end_line, state.done.ends_line)
    assert ends == {
        "b": (1, False),
        "b\n": (1, True),
        "b\nc": (2, False),
        "ab\ncd\n": (2, True),
        "b\ncd\ne": (3, False),
    }
    assert olds.advance(olds.start(1, 3), ord("z")) is None
    # Within line 1 alone nothing reaches line 2.
    assert ord("c") not in {t for run in olds.legal_runs(1, 1) for t in run}


def test_a_line_that_the_tokenizer_cannot_spell_has_no_old_text() -> None:
    """SmolLM2's tokenizer has no token for byte 4: what it makes of the first line is `ab = 1`."""
    spec = json.loads(vocabularies.qwen_like().tokenizer.to_str())
    del spec["model"]["vocab"]["\u0104"]
    vocabulary = HFVocabulary(Tokenizer.from_str(json.dumps(spec)), size=vocabularies.qwen_like().size)
    codec = Codec(vocabularies.TAGS, vocabulary)
    views = ["a\x04b = 1\n", "c = 2\n", "d = \x04\n"]
    lines = [codec.line(view) for view in views]
    assert vocabulary.decode(lines[0]) == "ab = 1\n"
    olds = Olds(codec, views, lines)
    assert [olds.has_legal_old(line, 3) for line in (1, 2, 3)] == [False, True, False]
    assert {vocabulary.decode(run) for run in olds.legal_runs(2, 3)} >= {"c", "2", "c = 2\n"}
    assert all(len(vocabulary.decode(run)) <= len(views[1]) for run in olds.legal_runs(2, 3))
