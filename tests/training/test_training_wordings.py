"""How people ask: the files of wordings, what is held out of them, that injectors give the fields, and where nothing is to do."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random

import pytest

from copydesk.text.document import split_lines
from copydesk_training import function_bugs
from copydesk_training.composite import composites
from copydesk_training.defects import KINDS, examples
from copydesk_training.defects.asks import HeldOutRandom, Split, Wording, ask, subjects, wordings
from copydesk_training.defects.parsed import ParsedFile
from copydesk_training.defects.registry import draw
from copydesk_training.example import Example
from copydesk_training.excerpts import excerpts
from defect_files import WORDING_FILES, files
from instructions import told
from plain_wordings import PLAIN

HABITS = "copydesk_training.defects.sloppiness.HABITS"
ASKED = "copydesk_training.defects.asks._usable"
RARE = """\
from dataclasses import dataclass

LIMIT = 250


@dataclass
class Point:
    x: int = 0
    y: int = 0
    label: str = ""


def f(a: int, b: str = "") -> str:
    return b * a


def g(a) -> str:
    return 2 * a


def locked(lock, table, path):
    with lock:
        table["a"] = 1
    with open(path) as file:
        table["b"] = file.read()
    first = table.get("a", 0)
    other = table.get("b")
    return first, other


def numbered(values):
    found = []
    for k in range(len(values)):
        found.append((k, values[k]))
    for k, value in enumerate(values):
        found.append((k, value))
    return found


def has_zero(values):
    for value in values:
        if value == 0:
            return True
    return False


def again(values):
    for value in values[:LIMIT]:
        yield value
"""
"""Places for what the standard library has little of."""
EITHER = {"change_value", "comment_out", "delete_line"}
"""A line or a value is named in one of two ways (what it says, what it calls or is bound to), and seldom can be in both."""
SHARED = {subject for together in WORDING_FILES.values() for subject in together}
TOGETHER = [*WORDING_FILES.values(), *((subject,) for subject in subjects() if subject not in SHARED)]
"""Every file of wordings, with those that the same kind of edit draws from."""
RANDOM: dict[Split, type[Random]] = {"train": Random, "heldout": HeldOutRandom}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Split, frozenset[str]]]:
    """Subject, split and fields of everything that is asked for."""
    seen: list[tuple[str, Split, frozenset[str]]] = []

    def usable(subject: str, split: Split, fields: frozenset[str]) -> tuple[Wording, ...]:
        seen.append((subject, split, fields))
        return tuple(w for w in wordings(subject, split) if w.fields <= fields)

    monkeypatch.setattr(ASKED, usable)
    return seen


# -- the files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("subject", subjects())
def test_a_file_has_many_wordings(subject: str) -> None:
    texts = [wording.text for wording in wordings(subject)]
    assert len(texts) >= 40
    assert len({" ".join(text.casefold().split()) for text in texts}) == len(texts)
    assert all(text == text.strip() for text in texts)


@pytest.mark.parametrize("together", TOGETHER, ids="+".join)
def test_an_edit_has_many_wordings_and_a_tenth_is_held_out(together: tuple[str, ...]) -> None:
    """Counted over the files that one kind of edit draws from: of a smaller one, one or two may be held out, or none."""
    every = [wording for subject in together for wording in wordings(subject)]
    heldout = [wording for subject in together for wording in wordings(subject, "heldout")]
    train = [wording for subject in together for wording in wordings(subject, "train")]
    assert len({wording.text for wording in every}) >= 60
    assert not set(train) & set(heldout)
    assert set(train) | set(heldout) == set(every)
    assert 3 <= len(heldout) <= 0.25 * len(every)


def test_a_tenth_of_all_is_held_out() -> None:
    every = [wording.split for subject in subjects() for wording in wordings(subject)]
    assert 0.08 < every.count("heldout") / len(every) < 0.14


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("rename {old} to {new}", "train"), ("return early", "train"), ("fix this", "train"),
        ("inline `{name}`", "train"), ("add -> {type}", "train"),
    ],
)  # fmt: skip
def test_a_wording_stays_where_it_is(text: str, split: Split) -> None:
    """On whatever machine, in whatever company; and so does what differs in case, quotes and punctuation only."""
    for variant in (
        text,
        text.capitalize(),
        f"{text}.",
        f'"{text}"',
        text.replace("{", "`{").replace("}", "}`"),
    ):
        assert Wording.of(variant.replace("{Old}", "{old}")).split == split


@pytest.mark.parametrize("text", ["rename {}", "{0}", "{a.b}", "{name!r}", "{name:>3}", "a { b", "a } b"])
def test_a_broken_line_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        Wording.of(text)


def test_what_is_unknown_or_too_little() -> None:
    with pytest.raises(KeyError):
        ask(Random(0), "no such subject", name="a")
    with pytest.raises(KeyError, match="rename"):
        ask(Random(0), "rename", old="a")


def test_fields_are_filled_in_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HABITS, ())
    fields = {"old": "{old}", "new": "n_{0}", "function": "f"}
    texts = {ask(Random(k), "rename", **fields) for k in range(600)}
    assert texts == {wording.text.format(**fields) for wording in wordings("rename", "train")}
    few = {ask(Random(k), "rename", old="a", new="b") for k in range(600)}
    assert few == {
        wording.text.format(old="a", new="b")
        for wording in wordings("rename", "train")
        if "function" not in wording.fields
    }


# -- who asks ------------------------------------------------------------------------------------------------------------


def test_injectors_give_the_fields(asked: list[tuple[str, Split, frozenset[str]]]) -> None:
    """Each subject is asked for, and most of its wordings do with what is given; so does every field of the file."""
    sample = [ParsedFile(RARE), *files()[:9]]
    for kind in KINDS.values():
        for k, file in enumerate(sample if kind.inject is not None and kind.id >= 40 else ()):
            for seed in range(2 if k else 20):
                draw(kind, file, Random(f"{k}/{seed}"))
    for file in sample:
        list(function_bugs.examples(file.text, Random(0)))
    given: dict[str, set[frozenset[str]]] = {}
    for subject, _, fields in asked:
        given.setdefault(subject, set()).add(fields)
    assert set(given) == set(subjects())
    for subject, sets in given.items():
        every = wordings(subject)
        for fields in sets:
            least = 0.4 if subject in EITHER else 0.6
            assert sum(w.fields <= fields for w in every) >= least * len(every), (subject, fields)
        assert all(any(w.fields <= fields for fields in sets) for w in every), subject


@pytest.mark.parametrize("split", ["train", "heldout"])
def test_a_source_of_chances_draws_from_its_split(
    split: Split, asked: list[tuple[str, Split, frozenset[str]]]
) -> None:
    for file in files()[:3]:
        assert list(examples(file.text, RANDOM[split](7), 60))
    assert len(asked) > 40
    assert {which for _, which, _ in asked} == {split}


# -- nothing to do -------------------------------------------------------------------------------------------------------


@cache
def nothing(kind: str) -> tuple[Example, ...]:
    drawn = (draw(KINDS[kind], f, Random(f"{k}/{n}")) for n in range(3) for k, f in enumerate(files()[:30]))
    return tuple(example for example in drawn if example is not None)


@pytest.mark.parametrize(("kind", "read"), [("clean_instruction", 0.6), ("clean_impossible", 0.2)])
def test_rules_find_nothing_to_do_either(kind: str, read: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the plain words that the engine reads itself."""

    def plain(subject: str, split: Split, fields: frozenset[str]) -> list[Wording]:
        return [Wording.of(text) for text in PLAIN.get(subject, ("comment it",))]

    monkeypatch.setattr(ASKED, plain)
    monkeypatch.setattr(HABITS, ())
    drawn = (draw(KINDS[kind], f, Random(f"{k}/{n}")) for n in range(3) for k, f in enumerate(files()[:30]))
    found = [example for example in drawn if example is not None]
    assert len(found) >= 60
    after = [told(str(e.request.instruction), e.before, e.request.scope or ()) for e in found]
    for example, text in zip(found, after, strict=True):
        assert text in (None, example.before), example.request
    assert sum(text is not None for text in after) >= read * len(after)


@pytest.mark.parametrize("kind", ["clean_impossible", "clean_unclear", "clean_bug"])
def test_nothing_to_do_is_the_clean_text(kind: str) -> None:
    texts = {file.text for file in files()[:30]}
    assert len(nothing(kind)) >= 60
    for example in nothing(kind):
        assert example.before == example.after
        assert example.before.replace("\r\n", "\n") in texts


def test_what_is_impossible_names_nothing_in_the_selection() -> None:
    for example in nothing("clean_impossible"):
        assert example.request.scope is not None
        ((first, last),) = example.request.scope
        text = "".join(split_lines(example.before)[first - 1 : last])
        words = str(example.request.instruction).casefold()
        if "print" in words and "remove" in words:
            assert "print" not in text
        if "f-string" in words:
            assert ".format(" not in text
            assert "%" not in text


def test_stale_diagnostics_point_into_the_text_and_some_at_moved_lines() -> None:
    """The line of one that did not move has what was mended."""
    found = nothing("clean_diagnostic")
    assert len(found) >= 60
    for example in found:
        lines = split_lines(example.before)
        assert all(0 <= d.start.line <= d.end.line < len(lines) for d in example.request.diagnostics)


def test_an_eighth_of_all_has_nothing_to_do() -> None:
    """As examples share documents, before any is too dear to train on. Two standard deviations of so few of them about an eighth;
    `NOTHING_TO_DO` bounds it from above.
    """
    kinds: Counter[str] = Counter()
    for k, file in enumerate(files()[:7]):
        for part in excerpts(file.text)[:2]:
            wanted = min(300, part.count("\n"))
            documents, _ = composites(part, list(examples(part, Random(k), wanted)), 20, 2)
            kinds.update(example.kind for document in documents for example in document)
    share = sum(n for kind, n in kinds.items() if kind.startswith("clean")) / kinds.total()
    assert kinds.total() > 500
    assert 0.095 <= share <= 0.155


def test_other_defects_keep_out_of_selections_that_are_asked_about_as_a_whole() -> None:
    """ "remove the prints" beside another example's prints would mean those too."""
    whole = {kind.name for kind in KINDS.values() if 100 <= kind.id < 185 and not kind.instruction}
    assert {"remove_prints", "to_fstring", "clean_instruction", "clean_impossible", "clean_unclear"} < whole
    text = excerpts(files()[0].text)[0]
    alone = [e for e in examples(text, Random(0), 300) if "\r" not in e.before]

    def seen(found: list[Example]) -> Counter[tuple[str, str | None, str]]:
        count: Counter[tuple[str, str | None, str]] = Counter()
        for example in found:
            for first, last in (example.request.scope or ()) if example.kind in whole else ():
                lines = split_lines(example.before)[first - 1 : last]
                count[example.kind, example.request.instruction, "".join(lines)] += 1
        return count

    documents, left = composites(text, alone, 20)
    assert not left
    assert seen(alone) == seen([example for document in documents for example in document])
    assert seen(alone).total() >= 20
