"""Edits from git histories: subjects, what determines a change, near-duplicates, and repositories made by git."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import pytest

from copydesk.errors import TrainingError
from copydesk.oracle import oracle_program
from copydesk.quickfixes.scope import resolve_scope
from copydesk.text.document import split_lines
from copydesk_training import sources
from copydesk_training.excerpts import LINES
from copydesk_training.filters import Seen
from copydesk_training.histories import mining
from copydesk_training.histories.changes import BlockChange, block_change, selection
from copydesk_training.histories.commits import commits, is_repository
from copydesk_training.histories.determined import undetermined
from copydesk_training.histories.near_duplicates import NearDuplicates
from copydesk_training.histories.subjects import instruction_of, operation_of
from copydesk_training.pairs import Pair

SUBJECTS = [
    ("bpo-123: add a timeout to wait.", "Add a timeout to wait"),
    ("feat(core)!: allow several paths (#7)", "Allow several paths"),
    ("Fixed #12345 -- Added a default for `limit`.", "Add a default for `limit`"),
    ("[3.7] Rename foo_bar to baz (GH-99)", "Rename foo_bar to baz"),
    ("BUG: raises ValueError on empty names", "Raise ValueError on empty names"),
    ("util.py: use sorted() instead of sort()", "Use sorted() instead of sort()"),
    ("Make the timeout configurable, and add tests", "Make the timeout configurable"),
    ("Pass the encoding to open, closes #31", "Pass the encoding to open"),
    ("Return early from :meth:`~thing.close`", "Return early from `thing.close`"),
    ("getName() should return the name", "getName() should return the name"),
    ("Removes the unused parameter (thanks to A. Person)", "Remove the unused parameter"),
]

IDLE = [
    "Merge branch x into y", "bump requests to 2.0", "fix it", "x" * 200, "", "Address review comments of the day",
    "Fix the bug", "fix failing tests", "more fixes for the parser", "Refactor the parser a bit", "Improve the parser speed",
    "JIRA-123", "#12345", "Fix typos", "Update changelog for 2.0", "Add tests for the parser", "wip on the new parser",
    "Do what @somebody asked for", "Try another way. Does it work?", "Minor cleanup of the parser", "Revert \"Add a name\"",
    "Backport of the name fix", "Fix an unbalanced (thing", "Drop Python 2.6 support here",
]  # fmt: skip


@pytest.mark.parametrize(("subject", "instruction"), SUBJECTS)
def test_subjects_that_ask(subject: str, instruction: str) -> None:
    assert instruction_of(subject) == instruction
    assert instruction_of(instruction) == instruction


@pytest.mark.parametrize("subject", IDLE)
def test_subjects_that_do_not(subject: str) -> None:
    assert instruction_of(subject) is None


@pytest.mark.parametrize(
    ("instruction", "operation"),
    [
        ("Rename a to b", "rename"), ("Fix typo in help text", "typo"), ("Remove the unused import", "import"),
        ("Remove the unused name", "unused"), ("Raise KeyError for it", "raise"), ("Use a set instead of a list", "replace"),
        ("Pass the timeout on", "argument"), ("Reverse the order of it", "other"),
    ],
)  # fmt: skip
def test_operations(instruction: str, operation: str) -> None:
    assert operation_of(instruction) == operation


CODE = '''import os


def load(path, limit=10):
    """Read the lines of a file, recieved or not."""
    result = []
    with open(path) as file:
        for line in file:
            if len(result) < limit:
                result.append(line.strip())
    print(result)
    return result
'''

DETERMINED = [
    ("Fix typo: recieved -> received", "recieved", "received"),
    ("Default limit to 20", "limit=10", "limit=20"),
    ("Remove the debug print", "    print(result)\n", ""),
    ("Rename result to lines", "result", "lines"),
    ("Open the file as utf-8", "open(path)", 'open(path, encoding="utf-8")'),
    ("Use rstrip instead of strip", ".strip()", ".rstrip()"),
    ("Raise ValueError if limit is negative", "    result = []\n",
     "    if limit < 0:\n        raise ValueError(limit)\n    result = []\n"),
    ("Return a tuple", "return result", "return tuple(result)"),
    ("Allow path to be None", "    result = []\n", "    result = []\n    if path is None:\n        return result\n"),
]  # fmt: skip

UNDETERMINED = [
    ("Support compressed files", "open(path)", "opener_for(path)", "a name comes from nowhere"),
    ("Make the default larger", "limit=10", "limit=5000", "a number comes from nowhere"),
    ("Explain the limit", "recieved or not", "with blank space stripped from all ends", "from nowhere"),
    ("Fix crash on large input", "len(result) < limit", "len(result) <= limit", "what is wrong"),
    ("Everything is counted there", "return result", "return result[:limit]", "no order|not name"),
    ("Remove a workaround for Windows", "    print(result)\n", "", "does not name"),
    ("Return the result", "    result = []\n", "    result  =  []\n", "layout"),
    ("Return more of the result", "return result\n", "return [" + "result, " * 20 + "]\n", "too much"),
    ("Update the text", "Read the lines", "Give whatever somebody wrote there", "chosen freely|no order|from nowhere"),
]  # fmt: skip


def change_of(before: str, after: str) -> BlockChange:
    change = block_change(before, after)
    assert change is not None
    return change


@pytest.mark.parametrize(("instruction", "old", "new"), DETERMINED)
def test_requests_that_determine_the_change(instruction: str, old: str, new: str) -> None:
    change = change_of(CODE, CODE.replace(old, new))
    assert change.name == "load"
    assert undetermined(instruction, change) is None


@pytest.mark.parametrize(("instruction", "old", "new", "reason"), UNDETERMINED)
def test_requests_that_do_not(instruction: str, old: str, new: str, reason: str) -> None:
    told = undetermined(instruction, change_of(CODE, CODE.replace(old, new)))
    assert told is not None
    assert any(part in told for part in reason.split("|")), told


def test_a_change_of_one_function_or_class() -> None:
    two = CODE + "\n\n" + CODE.split("\n\n\n")[1].replace("load", "other")
    assert block_change(two, two.replace("return result", "return tuple(result)")) is None
    assert block_change(CODE, CODE.replace("import os", "import re")) is None
    assert block_change(CODE, CODE.replace("return result", "return (")) is None
    assert block_change(CODE, CODE) is None
    # An import that came with the change is there already.
    both = CODE.replace("import os", "import os\nimport re").replace("line.strip()", "re.escape(line)")
    change = change_of(CODE, both)
    assert change.before.startswith("import os\nimport re\n")
    assert change.after == both
    method = (
        "class A:\n    x = 1\n\n    def f(self):\n        return 1\n\n    def g(self):\n        return 1\n"
    )
    assert change_of(method, method.replace("return 1", "return 2")).name == "A"
    assert change_of(method, method.replace("x = 1", "x = 2")).name == "A"
    grown = change_of(method, method + "\n    def h(self):\n        return 3\n")
    assert (grown.name, grown.block) == ("A", (1, 8))


def test_of_a_long_file_an_excerpt_is_left() -> None:
    part = CODE.split("\n\n\n")[1]
    functions = [part.replace("load", f"load{k}") for k in range(200)]
    methods = "class Long:\n    name = None\n\n" + "\n".join(
        "".join("    " + line for line in split_lines(function)) for function in functions
    )
    for text in ("import os\n\n\n" + "\n\n".join(functions), "import os\n\n\n" + methods):
        change = change_of(text, text.replace("def load77(path, limit=10)", "def load77(path, limit=20)"))
        assert change.before.startswith("import os\n")
        assert ("class Long:\n    name = None\n" in change.before) == ("class Long" in text)
        assert LINES // 2 < change.before.count("\n") <= LINES * 2
        assert change.before.replace("load77(path, limit=10)", "load77(path, limit=20)") == change.after
        lines = split_lines(change.before)[change.block[0] - 1 : change.block[1]]
        assert lines[0].strip().startswith("def load77")


@pytest.mark.parametrize(("instruction", "old", "new"), DETERMINED)
def test_selections_hold_the_change_and_more(instruction: str, old: str, new: str) -> None:
    change = change_of(CODE, CODE.replace(old, new))
    changed = (
        min(i for i, _, _, _ in change.hunks) + 1,
        max(j for _, j, _, _ in change.hunks),
    )
    seen = set()
    for seed in range(30):
        scope = selection(change, Random(seed))
        seen.add(scope)
        assert change.block[0] <= scope[0] <= scope[1] <= change.block[1]
        assert scope[0] <= changed[0]
        assert scope[1] >= changed[1]
        assert scope != changed or scope == change.block
        program = oracle_program(change.before, change.after, scope=[scope])
        assert program.resolve(change.before) == change.after
    assert change.block in seen
    assert len(seen) > 1


def test_near_duplicates() -> None:
    known = NearDuplicates()
    before = list("if value is None : raise ValueError ( name )")
    tokens = [*before, "→", *before[:-1], ",", "kind", ")"]
    assert not known.add(tokens)
    assert known.add(tokens)
    assert known.add([*tokens, ";"])
    assert not known.add(["return", "self", ".", "closed", "→", "return", "self", ".", "broken"])
    assert not known.add(["x"])
    assert known.add(["x"])


# -- repositories --------------------------------------------------------------------------------------------------------


LICENCE = "Permission is hereby granted, free of charge, to any person obtaining a copy"
BODY = "\n\n".join(CODE.split("\n\n\n")[1].replace("load", f"load{k}") for k in range(3))
LINT = "def kept(x):\n    try:\n        return int(x)\n    except:\n        return None\n"
START = f"import os\n\n\n{BODY}\n\n{LINT}"

HISTORY = [
    ("Default limit of load0 to 20 (#12)", "load0(path, limit=10)", "load0(path, limit=20)"),
    ("Bump version to the next one", "load1(path, limit=10)", "load1(path, limit=15)"),
    ("Avoid a bare except, says flake8", "    except:\n", "    except ValueError:\n"),
    (
        "Use rstrip instead of strip in load2",
        "return result\n\n\ndef kept",
        "return result.rstrip()\n\n\ndef kept",
    ),
]


def git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *name, *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("history") / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "LICENSE").write_text(LICENCE)
    text = START
    for message, old, new in [("Initial commit of everything", "", ""), *HISTORY]:
        assert old in text
        text = text.replace(old, new, 1)
        (folder / "mod.py").write_text(text)
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", message)
    return folder


@pytest.fixture(scope="module")
def bare(repository: Path) -> Path:
    folder = repository.parent / "copy.git"
    git(repository, "clone", "-q", "--bare", ".", str(folder))
    return folder


def test_a_bare_repository_is_a_source(repository: Path, bare: Path) -> None:
    full, package = sources.repository(repository), sources.repository(bare, "owner/copy")
    assert is_repository(repository)
    assert is_repository(bare)
    assert not is_repository(repository.parent)
    assert (package.name, package.version) == ("owner/copy", full.version)
    assert package.licence.accepted
    assert list(package.files()) == list(full.files())
    assert sources.repository(bare).name == "copy"
    assert [c.subject for c in commits(bare, 99)] == [c.subject for c in commits(repository, 99)]
    assert len({c.id for c in commits(bare, 2)}) == 2


def test_a_list_of_repositories(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("# names and paths\nowner/one one.git\n\nowner/two  /some/where  # a comment\n")
    assert sources.listed_repositories(path) == [
        ("owner/one", tmp_path / "one.git"),
        ("owner/two", Path("/some/where")),
    ]
    path.write_text("just-a-path\n")
    with pytest.raises(TrainingError, match="line 1"):
        sources.listed_repositories(path)


def test_mining(bare: Path) -> None:
    package = sources.repository(bare, "owner/copy")
    made, record = mining.mine(package, bare, mining.Known())
    assert [(pair.kind, pair.instruction) for pair in made] == [
        ("history", "Use rstrip instead of strip in load2"),
        ("history", "Default limit of load0 to 20"),
        ("history_diagnostic", None),
    ]
    for pair in made:
        check(pair)
    finding = made[-1].example.request.diagnostics[0]
    assert finding.code == "E722"
    assert split_lines(made[-1].before)[finding.start.line] == "    except:\n"
    assert record.commits == 4
    assert record.left_out == {"the subject is no request": 1, "the request does not name the change": 1}
    # What was seen before is not kept again, nor what held-out files or evaluation data have.
    known = mining.Known()
    mining.mine(package, bare, known)
    assert mining.mine(package, bare, known)[0] == []
    held_out = Seen()
    held_out.refuses(START, START.encode(), held_out=True)
    assert mining.mine(package, bare, mining.Known(held_out))[0] == []
    never = Seen(frozenset({"def load1(path, limit=15):"}))
    assert {p.version for p in mining.mine(package, bare, mining.Known(never))[0]} < {p.version for p in made}


def check(pair: Pair) -> None:
    example = pair.example
    scope = resolve_scope(split_lines(example.before), example.request, "python")
    assert oracle_program(example.before, example.after, scope=scope).resolve(example.before) == example.after


def test_what_is_measured_on_is_not_mined(repository: Path, bare: Path) -> None:
    for name in ("owner/glom", "click", "owner/Rich"):
        with pytest.raises(TrainingError, match="measured on"):
            mining.mine(sources.repository(bare, name), bare, mining.Known())
    with pytest.raises(TrainingError, match="measured on"):
        mining.mine(sources.repository(bare, "a/b"), bare, mining.Known(), never=frozenset({"b"}))


def test_no_repository_and_no_kind_of_file_has_more_than_its_share() -> None:
    def edits(package: str, count: int, path: str = "a.py") -> list[Pair]:
        return [Pair("", "", (1, 1), "x", "history", package, f"{package}{k}", path) for k in range(count)]

    few = [edits("a", 50), edits("b", 2)]
    assert [len(kept) for kept in mining.share_out(few)] == [50, 2]
    many = [
        edits("large", 1000, "a.py"),
        *(edits(f"p{k}", 20) + edits(f"p{k}", 20, "tests/a.py") for k in range(30)),
    ]
    kept = mining.share_out(many)
    total = sum(map(len, kept))
    assert len(kept[0]) <= mining.MOST_OF_ONE * total < len(kept[0]) + 2
    tests = sum(pair.path != "a.py" for pairs in kept for pair in pairs)
    assert 0 < tests <= mining.MOST_TESTS * 2 * total
    record = mining.record_of([mining.HistoryRecord(str(k), "c", "MIT", "text") for k in range(31)], kept)
    assert record["edits"] == total == sum(r["kept"] for r in record["repositories"])
    assert record["kinds"] == {"history": total}
