"""Edits asked for by an instruction: what changes, where, and that the program still does the same where it should."""

from __future__ import annotations

import io
import random
import string
import tokenize
from functools import cache

import pytest

from copydesk.text.document import split_lines
from copydesk_training.defects import KINDS, for_kind
from copydesk_training.defects.asks import ask, wordings
from copydesk_training.defects.instructed.task import Task
from copydesk_training.defects.parsed import ParsedFile
from copydesk_training.defects.registry import draw
from copydesk_training.example import Example
from defect_files import WORDING_FILES, files

INSTRUCTED = {
    name: kind
    for name, kind in KINDS.items()
    if kind.inject and kind.inject.__module__.endswith("instructed.task")
}
ABOUT_COMMENTS = {"comment_out", "reword_text", "fix_text_typo", "duplicate_line", "delete_line"}


@cache
def some(name: str) -> list[Example]:
    """A few examples of a kind, of as many shorter files as there are."""
    found: list[Example] = []
    for k, file in enumerate(sorted(files(typed=True), key=lambda f: len(f.text))[:40]):
        example = draw(INSTRUCTED[name], file, random.Random(k))
        if example is not None and "\r" not in example.before:
            found.append(example)
    return found[:8]


def comments(text: str) -> list[str]:
    return [
        t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT
    ]


def test_there_are_many() -> None:
    assert len(INSTRUCTED) >= 40
    assert {120 <= kind.id < 179 for kind in INSTRUCTED.values()} == {True}


@pytest.mark.parametrize("name", sorted(INSTRUCTED))
def test_nothing_changes_outside_the_selection(name: str) -> None:
    for example in some(name):
        before, after = split_lines(example.before), split_lines(example.after)
        scope = list(example.request.scope or ())
        assert scope, example.request
        first, last = scope[0][0], scope[-1][1]
        assert before[: first - 1] == after[: first - 1], example.request
        assert before[last:] == after[len(after) - (len(before) - last) :], example.request
        if len(scope) == 2:  # the import block, and the place
            between = "".join(before[scope[0][1] : scope[1][0] - 1])
            assert between in "".join(after), example.request


@pytest.mark.parametrize("name", sorted(set(INSTRUCTED) - ABOUT_COMMENTS))
def test_comments_stay(name: str) -> None:
    for example in some(name):
        assert comments(example.before) == comments(example.after), example.request


@pytest.mark.parametrize("name", sorted(INSTRUCTED))
def test_every_kind_is_asked_for_in_many_ways(name: str) -> None:
    found = [t for subject in WORDING_FILES.get(name, (name,)) for t in wordings(subject)]
    assert len({t.text for t in found}) >= 60


def test_others_keep_away_from_words_that_could_mean_something_else_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No kind of which a selection has to leave out other places lets other defects of a document into it."""
    seen: list[Task] = []

    def record(file: ParsedFile, rng: random.Random, task: Task) -> None:
        seen.append(task)

    monkeypatch.setattr("copydesk_training.defects.instructed.task.defect_of", record)
    ambiguous = set()
    for kind in INSTRUCTED.values():
        seen.clear()
        for k, file in enumerate((ParsedFile(SAME), *files()[:12])):
            draw(kind, file, random.Random(k))
        if any(task.rivals for task in seen):
            ambiguous.add(kind.name)
    assert len(ambiguous) >= 20
    assert not [name for name in sorted(ambiguous) if KINDS[name].instruction]


# -- the same results --------------------------------------------------------------------------------------------------

SAME = """\
def squares(values):
    found = [value * value for value in values if value > 1]
    return found


def lengths(words):
    found = {}
    for word in words:
        found[word] = len(word)
    return found


def sign(number):
    if number < 0:
        return "negative"
    else:
        return "not negative"


def grade(points):
    if points > 90:
        return 1
    if points > 50:
        return 2
    return 3


def small_and_even(number):
    if number < 100:
        if number % 2 == 0:
            return True
    return False


def both(one, two):
    if one and two:
        return "both"
    return "not both"


def inside(number):
    return 0 <= number < 10


def outside(number):
    return not (number >= 0 and number < 10)


def number_like(value):
    if isinstance(value, (int, float)):
        return True
    return isinstance(value, str) or isinstance(value, bytes)


def odd_ones(values):
    found = []
    for value in values:
        if value % 2 == 0:
            continue
        found.append(value)
        found.append(value + 1)
    return found


def even_ones(values):
    found = []
    for value in values:
        if value % 2 == 0:
            found.append(value)
            found.append(value + 1)
    return found


def word_for(number):
    word = "one" if number == 1 else "many"
    return word


def other_word_for(number):
    if number == 1:
        word = "one"
    else:
        word = "many"
    return word


def first_word(text):
    words = text.split()
    if words:
        return words[0]
    return None


def numbered(values):
    found = []
    for k in range(len(values)):
        found.append((k, values[k]))
    return found


def numbered_again(values):
    found = []
    for k, value in enumerate(values):
        found.append((k, value))
    return found


def has_zero(values):
    for value in values:
        if value == 0:
            return True
    return False


def all_small(values):
    return all(value < 10 for value in values)


def again(values):
    for value in values:
        yield value


def once_more(values):
    yield from values


def look_up(key):
    table = {"a": 1}
    found = table.get(key, 0)
    return found


def total(values):
    result = 0
    for value in values:
        result = result + value
    return result


def count(values):
    result = 0
    for value in values:
        result += value
    return result


def greeting(name, age):
    return f"Hello {name}, you are {age}"


def farewell(name, age):
    return "Bye %s (%s)" % (name, age)


def shout(name):
    return "Oh " + str(name) + "!"
"""
CALLS = [
    ("squares", ([0, 1, 2, 3],)), ("lengths", (["a", "bcd"],)), ("sign", (-1,)), ("sign", (1,)), ("grade", (95,)),
    ("grade", (60,)), ("grade", (5,)), ("small_and_even", (4,)), ("small_and_even", (104,)), ("small_and_even", (5,)),
    ("both", (1, 1)), ("both", (0, 1)), ("both", (1, 0)), ("inside", (0,)), ("inside", (10,)), ("inside", (-1,)),
    ("outside", (0,)), ("outside", (10,)), ("number_like", (1,)), ("number_like", (b"",)), ("number_like", (None,)),
    ("odd_ones", ([1, 2, 3],)), ("even_ones", ([1, 2, 3],)), ("word_for", (1,)), ("word_for", (2,)),
    ("other_word_for", (1,)), ("other_word_for", (2,)), ("first_word", ("a b",)), ("first_word", ("",)),
    ("numbered", (["x", "y"],)), ("numbered_again", (["x", "y"],)), ("has_zero", ([1, 0],)), ("has_zero", ([1],)),
    ("all_small", ([1, 2],)), ("all_small", ([1, 20],)), ("again", ([1, 2],)), ("once_more", ([1, 2],)),
    ("look_up", ("a",)), ("look_up", ("b",)), ("total", ([1, 2],)), ("count", ([1, 2],)), ("greeting", ("Eva", 3)),
    ("farewell", ("Eva", 3)), ("shout", ("Eva",)),
]  # fmt: skip
REFACTORINGS = [
    "comprehension_to_loop", "loop_to_comprehension", "else_after_return", "merge_nested_ifs", "split_condition",
    "chained_comparison", "isinstance_merge", "early_continue", "ternary_to_if", "if_to_ternary", "walrus",
    "enumerate", "any_all", "yield_from", "dict_get", "augmented_assignment", "string_format",
]  # fmt: skip


def results(text: str) -> list[object]:
    space: dict[str, object] = {}
    exec(compile(text, "text", "exec"), space)
    found = []
    for name, arguments in CALLS:
        function = space[name]
        assert callable(function)
        result = function(*arguments)
        found.append(list(result) if hasattr(result, "__next__") else result)
    return found


@pytest.mark.parametrize("name", REFACTORINGS)
def test_a_refactoring_changes_no_result(name: str) -> None:
    expected = results(SAME)
    file = ParsedFile(SAME)
    made = {}
    for seed in range(12):
        example = draw(KINDS[name], file, random.Random(seed))
        if example is not None:
            made[example.before, example.after] = example
    assert made
    for before, after in made:
        assert before != after
        assert results(before) == expected == results(after), after


# -- particular edits ----------------------------------------------------------------------------------------------------

EDITS = [
    ("with_block", "def f(path):\n    g = open(path)\n    x = g.read()\n    g.close()\n    return x\n",
     "def f(path):\n    with open(path) as g:\n        x = g.read()\n    return x\n"),
    ("import_use", "import os\n\n\ndef f(path):\n    try:\n        os.remove(path)\n    except OSError:\n        pass\n",
     "import os\nfrom contextlib import suppress\n\n\ndef f(path):\n    with suppress(OSError):\n        os.remove(path)\n"),
    ("pathlib", "import os\n\n\ndef f(path):\n    return os.path.exists(os.path.join(path, 'a'))\n",
     "import os\nfrom pathlib import Path\n\n\ndef f(path):\n    return (Path(path) / 'a').exists()\n"),
    ("exception_chain", "def f(x):\n    try:\n        x()\n    except ValueError as error:\n        raise KeyError(x)\n",
     "def f(x):\n    try:\n        x()\n    except ValueError as error:\n        raise KeyError(x) from error\n"),
    ("assert_to_raise", "def f(x):\n    assert x > 0, 'too small'\n    return x\n",
     "def f(x):\n    if x <= 0:\n        raise ERROR('too small')\n    return x\n"),
    ("keyword_only", "def f(one):\n    return one\n", "def f(*, one):\n    return one\n"),
    ("remove_decorator", "import functools\n\n\n@functools.cache\ndef f(x):\n    return x\n",
     "import functools\n\n\ndef f(x):\n    return x\n"),
    ("sort_entries", "NAMES = ['b', 'a', 'c']\n", "NAMES = ['a', 'b', 'c']\n"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "before", "after"), EDITS, ids=[e[0] for e in EDITS])
def test_edit(name: str, before: str, after: str) -> None:
    example = for_kind(name, before, random.Random(3))
    assert example is not None
    for error in ("ValueError", "TypeError", "RuntimeError", "AssertionError"):
        if error in example.request.instruction:
            after = after.replace("ERROR", error)
    assert (example.before, example.after) == (before, after)


def test_a_selection_that_names_nothing_holds_one_candidate() -> None:
    branch = "    if {0}:\n        return 1\n    else:\n        {0} = 2\n"
    text = f"def f(a, b):\n{branch.format('a')}{branch.format('b')}    return a\n"
    for seed in range(40):
        example = for_kind("else_after_return", text, random.Random(seed))
        assert example is not None
        ((first, last),) = example.request.scope or ()
        inside = split_lines(example.before)[first - 1 : last]
        assert sum(line.strip() == "else:" for line in inside) == 1


# -- wordings ------------------------------------------------------------------------------------------------------------


def test_wordings_are_drawn_among_those_whose_fields_are_given() -> None:
    for seed in range(60):
        text = ask(random.Random(seed), "fix_text_typo", where="comment")
        assert not list(filter(None, (name for _, name, _, _ in string.Formatter().parse(text))))
    with pytest.raises(KeyError):
        ask(random.Random(0), "no such subject")
    with pytest.raises(KeyError):
        ask(random.Random(0), "full_type_hints")
