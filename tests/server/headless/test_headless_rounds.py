"""A file's fixes round by round: what waits, what is judged with what, and what is dropped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from copydesk.errors import DocumentError
from copydesk.request import Diagnostic, EditRequest, ToolFix
from copydesk.text.document import Position, TextEdit, apply_edits
from copydesk_server.headless.file_program import file_program
from copydesk_server.headless.followup_fixes import TURNS, Step, leftovers
from copydesk_server.headless.models import Rules
from copydesk_server.headless.report import FileResult
from copydesk_server.headless.task import ROUNDS, _Findings, _Taken, _touch
from copydesk_server.ruff import Ruff
from headless_trees import CONFIGURED, PLAIN, Tree, by_line, fixing, linted
from server_tools import found, ruff_that, the_ruff


def test_overlapping_fixes_wait_for_the_next_round_on_the_changed_text(tmp_path: Path) -> None:
    first, second = "x = (a == None, b == None)\n", "x = (a is None, b == None)\n"
    tree = fixing(
        tmp_path, by_line({first: second, second: "x = (a is None, b is None)\n", "import os\n": ""})
    )
    linted(tree, "a.py", "import os\na = b = 1\n" + first)
    tree.run()
    result = tree.only()
    assert tree.texts()["a.py"] == "a = b = 1\nx = (a is None, b is None)\n"
    assert [(fix.round, fix.verdict, fix.applied) for fix in result.fixes] == [
        (1, "confirmed", True),
        (1, "confirmed", True),
        (2, "confirmed", True),
    ]
    assert apply_edits(result.text, result.edits) == tree.texts()["a.py"]
    assert result.left == 0


def test_a_fix_that_mends_two_is_not_made_twice(tmp_path: Path) -> None:
    first = "x = (a == None, b == None)\n"
    tree = fixing(tmp_path, by_line({first: "x = (a is None, b is None)\n"}))
    linted(tree, "a.py", "a = b = 1\n" + first)
    tree.run()
    fixes = tree.only().fixes
    assert [(fix.verdict, fix.applied) for fix in fixes] == [("confirmed", True), ("confirmed", False)]
    assert tree.only().left == 0
    assert len(tree.editor.served) == 1


def test_what_comes_to_nothing_takes_no_round_from_the_others(tmp_path: Path) -> None:
    """However many findings one line has: those that change nothing leave it to the next at once."""
    many = ROUNDS + 10
    tree = fixing(tmp_path, by_line({}))
    linted(tree, "a.py", f"a = 1\nx = ({', '.join(['a == None'] * many)})\n")
    tree.run()
    result = tree.only()
    assert [fix.verdict for fix in result.fixes] == ["unchanged"] * many
    assert [fix.round for fix in result.fixes] == list(range(1, many + 1))


def test_what_was_refused_and_goes_with_a_later_fix_is_gone(tmp_path: Path) -> None:
    before, after = "x = (a == None, b == None)\n", "x = (a is None, b is None)\n"

    def rule(text: str, request: EditRequest) -> str:
        first = request.diagnostics[0].start.character < before.index(",")
        return text.replace(before, "(\n" if first else after)

    tree = fixing(tmp_path, rule)
    linted(tree, "a.py", "a = b = 1\n" + before)
    tree.run()
    result = tree.only()
    assert tree.texts()["a.py"] == "a = b = 1\n" + after
    assert [(fix.verdict, fix.applied, fix.gone) for fix in result.fixes] == [
        ("confirmed", False, True),
        ("confirmed", True, False),
    ]
    assert (result.status, result.left) == ("edited", 0)


def test_what_makes_things_worse_is_dropped(tmp_path: Path) -> None:
    tree = fixing(
        tmp_path,
        by_line({"import os\n": "import re\n", "y = a == None\n": "y = a is None\n", "import sys\n": "(\n"}),
    )
    linted(tree, "a.py", "import os\nimport sys\na = 1\ny = a == None\n")
    tree.run()
    verdicts = {fix.diagnostic.message: fix.verdict for fix in tree.only().fixes if fix.diagnostic}
    assert list(verdicts.values()) == ["refused", "refused", "confirmed"]
    assert tree.texts()["a.py"] == "import os\nimport sys\na = 1\ny = a is None\n"
    assert (tree.only().status, tree.only().left) == ("edited", 2)


def test_fixes_that_are_good_alone_and_bad_together(tmp_path: Path) -> None:
    # Each removes one of two definitions: either may go, not both.
    text = "import a1\nimport b1\nx = a1, b1\n"
    at = [found(n, 0, 3, "tool", f"drop {n}", "tool") for n in range(2)]
    tree = Tree(tmp_path, lambda t, r: t, Rules(None))
    both = {0: text.replace("import a1", "if 1:"), 1: text.replace("import b1", "  import b1")}
    tree.editor.rule = lambda _text, request: both[request.diagnostics[0].start.line]
    tree.put("a.py", text, *at)
    tree.run()
    verdicts = [fix.verdict for fix in tree.only().fixes]
    assert verdicts == ["refused", "refused"]
    good = {0: text.replace("import a1\n", ""), 1: text.replace("import b1\n", "")}
    tree.results.clear()
    tree.rules = Rules(the_ruff(), taken=PLAIN.taken)
    (tree.folder / "ruff.toml").write_text(CONFIGURED)
    tree.editor.rule = lambda _text, request: good[request.diagnostics[0].start.line]
    tree.put("a.py", "import a1\nimport b1\nx = 1\n", *at)
    good = {0: "import b1\nx = 1\n", 1: "import a1\nx = 1\n"}
    tree.run()
    assert tree.texts()["a.py"] == "x = 1\n"


def test_ruff_is_asked_once_about_one_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    check = Ruff._run

    def counted(self: Ruff, arguments: Any, folder: Any, data: bytes, timeout: Any) -> str:
        texts.append(data.decode())
        return check(self, arguments, folder, data, timeout)

    first, second = "x = (a == None, b == None)\n", "x = (a is None, b == None)\n"
    tree = fixing(tmp_path, by_line({first: second, second: "x = (a is None, b is None)\n"}))
    linted(tree, "a.py", "a = b = 1\n" + first)
    monkeypatch.setattr(Ruff, "_run", counted)
    tree.run()
    assert [fix.applied for fix in tree.only().fixes] == [True, True]
    assert [text.split("\n")[1] + "\n" for text in texts] == [first, second, "x = (a is None, b is None)\n"]


@pytest.mark.parametrize("bad", [False, True])
def test_a_round_whose_fixes_are_all_good_is_judged_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: bool
) -> None:
    texts: list[str] = []
    run = Ruff._run

    def counted(self: Ruff, arguments: Any, folder: Any, data: bytes, timeout: Any) -> str:
        texts.append(data.decode())
        return run(self, arguments, folder, data, timeout)

    before, after = [f"x{n} = a == None\n" for n in range(5)], [f"x{n} = a is None\n" for n in range(5)]
    rule = dict(zip(before, after, strict=True))
    if bad:
        after[2] = before[2]
        rule[before[2]] = "x2 = nobody is None\n"
    tree = fixing(tmp_path, by_line(rule))
    linted(tree, "a.py", "a = 1\n" + "".join(before))
    monkeypatch.setattr(Ruff, "_run", counted)
    tree.run()
    assert tree.texts()["a.py"] == "a = 1\n" + "".join(after)
    verdicts = [fix.verdict for fix in tree.only().fixes]
    if not bad:
        assert verdicts == ["confirmed"] * 5
        assert texts == ["a = 1\n" + "".join(before), "a = 1\n" + "".join(after)]
    else:
        assert verdicts == ["confirmed", "confirmed", "refused", "confirmed", "confirmed"]
        # The text, all five, each of five, the four, and what is left.
        assert len(set(texts)) == len(texts) <= 9


def test_a_fix_may_say_about_as_much_as_it_changes(tmp_path: Path) -> None:
    budgets: list[int] = []

    def rule(text: str, request: EditRequest) -> str:
        budgets.append(request.max_tokens)
        return text

    tree = Tree(tmp_path, rule)
    text = "x = 1\n" * 2 + f"y = {'1' * 400}\n"
    tree.put("a.py", text, *(found(line, 0, 1, "X1", "wrong", "tool") for line in (0, 2)))
    tree.put("b.py", text, (1, 3))
    tree.run(lanes=1)
    assert 96 <= budgets[0] < 104
    assert 296 <= budgets[1] < 304
    assert budgets[2] == EditRequest(scope=[(1, 3)], instruction="up").max_tokens


def test_lint_behind_a_syntax_error_is_mended_in_the_next_round(tmp_path: Path) -> None:
    tree = fixing(tmp_path, by_line({"def f(:\n": "def f():\n", "import os\n": ""}))
    linted(tree, "a.py", "import os\ndef f(:\n    pass\n")
    tree.run()
    assert tree.texts()["a.py"] == "def f():\n    pass\n"
    assert tree.only().left == 0


def test_what_cannot_be_mended_is_tried_once(tmp_path: Path) -> None:
    tree = fixing(tmp_path, by_line({"y = a == None\n": "y = a is None\n"}))
    linted(tree, "a.py", "import os\na = 1\ny = a == None\n")
    tree.run()
    assert len(tree.editor.served) == 2
    assert tree.only().left == 1


def test_what_is_checked_is_left_unless_asked_for(tmp_path: Path) -> None:
    for taken in (frozenset({"confirmed"}), frozenset({"confirmed", "checked"})):
        folder = tmp_path / str(len(taken))
        folder.mkdir()
        tree = Tree(folder, rules=Rules(None, taken=taken))
        tree.put("a.rs", "let x = 1;\n")
        tree.run()
        assert tree.texts()["a.rs"] == ("let x = 2;\n" if "checked" in taken else "let x = 1;\n")
        assert [fix.verdict for fix in tree.only().fixes] == ["checked"]


def test_what_is_unsafe_is_left_unless_asked_for(tmp_path: Path) -> None:
    for unsafe in (False, True):
        folder = tmp_path / str(unsafe)
        folder.mkdir()
        tree = fixing(
            folder, by_line({"y = a == None\n": "y = a is None\n", "import os\n": ""}), unsafe=unsafe
        )
        linted(tree, "a.py", "import os\na = 1\ny = a == None\n")
        tree.run()
        assert tree.texts()["a.py"] == f"a = 1\ny = a {'is' if unsafe else '=='} None\n"
        fixes = tree.only().fixes
        assert [(fix.verdict, fix.applicability, fix.applied) for fix in fixes] == [
            ("confirmed", "safe", True),
            ("confirmed", "unsafe", unsafe),
        ]
        assert tree.only().left == (not unsafe)


@pytest.mark.parametrize(("status", "verdict"), [("refused", "unsure"), ("edited", "unsure")])
@pytest.mark.parametrize("taken", [False, True])
def test_what_the_model_is_unsure_of_is_left_unless_asked_for(
    tmp_path: Path, status: Any, verdict: str, taken: bool
) -> None:
    rules = Rules(None, taken=frozenset({"checked", "unsure"} if taken else {"checked"}))
    tree = Tree(tmp_path, rules=rules)
    tree.editor.unsure = status
    tree.put("a.py", "x = 1\n")
    tree.run()
    applied = taken and status == "edited"
    assert [(fix.verdict, fix.applied) for fix in tree.only().fixes] == [(verdict, applied)]
    assert tree.texts()["a.py"] == ("x = 2\n" if applied else "x = 1\n")
    assert (tree.only().status, tree.only().left) == ("edited" if applied else "unchanged", not applied)


@pytest.mark.parametrize(("right", "verdict"), [(True, "confirmed"), (False, "refused")])
def test_the_tool_decides_what_the_model_is_unsure_of(tmp_path: Path, right: bool, verdict: str) -> None:
    before, after = "y = a == None\n", "y = a is None\n"
    rule = by_line({before: after if right else "y = a == None  # as before\n"})
    tree = fixing(tmp_path, rule, taken=frozenset({"confirmed", "unsure"}))
    tree.editor.unsure = "edited"
    linted(tree, "a.py", f"a = 1\n{before}")
    tree.run()
    assert [(fix.verdict, fix.applied) for fix in tree.only().fixes] == [(verdict, right)]
    assert tree.texts()["a.py"] == f"a = 1\n{after if right else before}"
    assert all(fix.request.take_likeliest for fix in tree.only().fixes)


def test_an_instruction_that_changes_nothing_is_unchanged(tmp_path: Path) -> None:
    tree = Tree(tmp_path, lambda text, _request: text)
    tree.put("a.py", "x = 1\n")
    tree.run()
    assert [(fix.verdict, fix.applied) for fix in tree.only().fixes] == [("unchanged", False)]
    assert (tree.only().status, tree.only().left) == ("unchanged", 0)


def test_only_what_was_selected_counts_as_new(tmp_path: Path) -> None:
    before, after = "except:\n", "except Exception:\n"
    for counted in (None, ("E722",)):
        folder = tmp_path / str(counted)
        folder.mkdir()
        configured = '[lint]\nselect = ["E722", "BLE001", "F401"]\n'
        tree = fixing(folder, by_line({before: after}), configured, counted=counted, select="E722")
        text = f"try:\n    x = 1\n{before}    pass\n"
        tree.put("a.py", text, found(2, 0, 6, "E722", "Do not use bare `except`"))
        tree.run()
        assert tree.texts()["a.py"] == (text if counted is None else text.replace(before, after))


def test_what_a_selected_fix_leaves_behind_goes_too(tmp_path: Path) -> None:
    tree = fixing(tmp_path, by_line(NEW), TYPES, SAFE, counted=("UP006",), select="UP006")
    text = "import os\nfrom typing import List\n\n" + "".join(NEW)
    told = [d for d in the_ruff().check(text, tree.folder / "a.py") if d.code == "UP006"]
    tree.put("a.py", text, *told)
    tree.run()
    assert tree.texts()["a.py"] == "import os\n\n" + "".join(NEW.values()), "`os` was unused before"


def test_a_linter_that_dies_confirms_nothing(tmp_path: Path) -> None:
    tree = Tree(tmp_path, by_line({"import os\n": ""}), Rules(ruff_that(tmp_path, "kill -11 $$"), lint=True))
    tree.put("a.py", "import os\n", found(0, 7, 9, "F401", "`os` imported but unused"))
    tree.run()
    (fix,) = tree.only().fixes
    assert (fix.verdict, fix.applied) == ("checked", False)
    assert tree.texts()["a.py"] == "import os\n"


# -- what fixes leave behind ---------------------------------------------------------------------------------------

TYPES = '[lint]\nselect = ["F", "UP006"]\n'
SAFE = replace(the_ruff(), fixes=frozenset({"safe"}))
NEW = {"x: List[int] = []\n": "x: list[int] = []\n", "y: List[int] = []\n": "y: list[int] = []\n"}


def outcomes(result: FileResult) -> list[tuple[str | None, int, str, bool]]:
    return [
        (fix.diagnostic.code if fix.diagnostic else None, fix.round, fix.verdict, fix.applied)
        for fix in result.fixes
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_import_goes_with_its_last_use(tmp_path: Path, end: str) -> None:
    """Each of the two alone leaves the other one's import; both together leave it unused."""
    edits = {a.replace("\n", end): b.replace("\n", end) for a, b in NEW.items()}
    tree = fixing(tmp_path, by_line(edits), TYPES, SAFE)
    before = f"import os{end}from typing import Any, List{end}{end}{''.join(edits)}z: Any = os{end}"
    after = f"import os{end}from typing import Any{end}{end}{''.join(edits.values())}z: Any = os{end}"
    linted(tree, "a.py", before)
    tree.run()
    result = tree.only()
    assert (tree.folder / "a.py").read_bytes().decode() == after
    assert outcomes(result) == [
        ("UP006", 1, "confirmed", True), ("UP006", 1, "confirmed", True), ("F401", 2, "confirmed", True),
    ]  # fmt: skip
    assert apply_edits(result.text, result.edits) == after
    assert result.left == 0
    assert len(tree.editor.served) == 2, "the linter's own fix needs no model"
    assert file_program(result.text, result.edits).resolve(before) == after


def test_whole_statements_go_with_the_last_of_their_names(tmp_path: Path) -> None:
    old, new = "x: Dict[int, List[int]] = {}\n", "x: dict[int, list[int]] = {}\n"
    tree = fixing(tmp_path, by_line({old: new}), TYPES, SAFE)
    linted(tree, "a.py", "from typing import Dict, List\n\n" + old)
    tree.run()
    assert tree.texts()["a.py"] == "\n" + new
    assert outcomes(tree.only())[-1] == ("F401", 2, "confirmed", True)


def test_without_the_linters_fixes_an_import_that_would_stay_refuses(tmp_path: Path) -> None:
    tree = fixing(tmp_path, by_line(NEW), TYPES)
    text = "from typing import List\n" + "".join(NEW)
    linted(tree, "a.py", text)
    tree.run()
    assert outcomes(tree.only()) == [("UP006", 1, "confirmed", True), ("UP006", 1, "refused", False)]
    assert tree.texts()["a.py"].count("List") == 2, "the import, and the use that keeps it used"


def test_what_the_linter_cannot_take_away_refuses(tmp_path: Path) -> None:
    text = "from typing import List\nx: List[int] = []\n"
    tree = fixing(tmp_path, by_line({"x: List[int] = []\n": "x: list[int] = nobody\n"}), TYPES, SAFE)
    linted(tree, "a.py", text)
    tree.run()
    assert tree.texts()["a.py"] == text
    assert outcomes(tree.only()) == [("UP006", 1, "refused", False)]


def test_each_new_link_of_a_chain_goes(tmp_path: Path) -> None:
    """ruff tells of the first `elif` behind a `return` alone, and of the next in the same words."""
    links = (f"    elif x == {n}:\n        return {n}\n" for n in (2, 3))
    text = f"def f(x):\n    if x == 1:\n        return 1\n{''.join(links)}    else:\n        return 4\n"
    mended = text.replace("elif", "if").replace("    else:\n        return 4", "    return 4")
    tree = fixing(tmp_path, by_ruff_itself, '[lint]\nselect = ["RET505"]\n', SAFE)
    linted(tree, "a.py", text)
    tree.run()
    assert tree.texts()["a.py"] == mended
    assert [(fix.round, fix.verdict, fix.applied) for fix in tree.only().fixes] == [
        (n, "confirmed", True) for n in (1, 2, 3)
    ]


def by_ruff_itself(text: str, request: EditRequest) -> str:
    return apply_edits(text, request.diagnostics[0].fixes[0].edits, "utf-32")


def unused(line: int, message: str, *, fixed: bool = True) -> Diagnostic:
    gone = ToolFix((TextEdit(Position(line, 0), Position(line + 1, 0), ""),))
    return replace(found(line, 0, 1, "F401", message, "Ruff"), fixes=(gone,) if fixed else ())


TOP = TextEdit(Position(0, 0), Position(0, 0), "0\n")


def test_what_is_left_behind_by_what_was_left_behind() -> None:
    def check(text: str) -> list[Diagnostic]:
        count = text.count("\n")
        return [unused(count - 1, f"line {'i' * count} is unused")] if count else []

    there = leftovers(Step("a\n", [TOP], [], []), check)
    assert there is not None
    assert there[0] == ""
    assert [[fix.edits for fix in fixes] for fixes in there[1]] == [
        [(TextEdit(Position(1, 0), Position(2, 0), ""),)],
        [(TextEdit(Position(0, 0), Position(1, 0), ""),)],
    ]
    assert leftovers(Step("a\n" * (TURNS - 2), [TOP], [], []), check) is not None
    assert leftovers(Step("a\n" * TURNS, [TOP], [], []), check) is None, "it has to end some time"


@pytest.mark.parametrize(
    ("before", "behind", "gone"),
    [
        ([], [], True),
        ([], None, False),  # the linter failed
        ([], [unused(1, "one", fixed=False)], False),
        ([], [unused(0, "one"), unused(1, "two", fixed=False)], False),
        # One that was there has moved with its line, and is nobody's business: only the other one goes.
        ([unused(0, "one", fixed=False)], [unused(1, "one", fixed=False)], True),
        ([unused(0, "one", fixed=False)], [unused(0, "one"), unused(1, "one", fixed=False)], True),
    ],
)
def test_what_is_new_is_told_by_its_place(
    before: list[Diagnostic], behind: list[Diagnostic] | None, gone: bool
) -> None:
    answers = [behind, before and [unused(0, "one", fixed=False)]]
    there = leftovers(Step("a\n", [TOP], before, []), lambda _: answers.pop(0))
    assert (there is not None) is gone


def test_fixes_that_overlap_take_nothing_away() -> None:
    wide = replace(unused(0, "two"), fixes=(ToolFix((TextEdit(Position(0, 0), Position(2, 0), "x"),)),))
    with pytest.raises(DocumentError):
        leftovers(Step("a\n", [TOP], [], []), lambda _: [unused(0, "one"), wide])


def counting(patch: pytest.MonkeyPatch) -> list[str]:
    """The texts that ruff is asked about from now on, as a list that grows."""
    texts: list[str] = []
    run = Ruff._run

    def counted(self: Ruff, arguments: Any, folder: Any, data: bytes, timeout: Any) -> str:
        texts.append(data.decode())
        return run(self, arguments, folder, data, timeout)

    patch.setattr(Ruff, "_run", counted)
    return texts


def many(tmp_path: Path, count: int, *, bad: int | None = None) -> tuple[Tree, str]:
    """A file with `count` unused imports, whose fixes are safe, and as many comparisons, whose fixes are not."""
    edits = {f"import m{n}\n": "" for n in range(count)}
    edits.update(
        {
            f"y{n} = x{n} == None\n": f"y{n} = x{n} is {'nothing' if n == bad else 'None'}\n"
            for n in range(count)
        }
    )
    tree = fixing(tmp_path, by_line(edits), unsafe=False)
    text = "".join(f"x{n} = 1\n" for n in range(count)) + "".join(edits)
    linted(tree, "a.py", text)
    return tree, text


@pytest.mark.parametrize("count", [3, 40])
def test_what_is_not_applied_costs_no_run_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """Fixes that are unsafe, and stay out, are judged with the others: the runs of ruff do not grow with the findings."""
    tree, text = many(tmp_path, count)
    texts = counting(monkeypatch)
    tree.run()
    said = {(fix.verdict, fix.applicability, fix.applied) for fix in tree.only().fixes}
    assert said == {("confirmed", "safe", True), ("confirmed", "unsafe", False)}
    left = [line + "\n" for line in text.split("\n")[:-1] if not line.startswith("import")]
    assert tree.texts()["a.py"] == "".join(left)
    assert len(texts) <= 8


def test_one_fix_that_is_wrong_is_found_by_halves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, _ = many(tmp_path, 32, bad=20)
    tree.rules = replace(tree.rules, unsafe=True)
    texts = counting(monkeypatch)
    tree.run()
    refused = [fix for fix in tree.only().fixes if fix.verdict == "refused"]
    assert [fix.diagnostic.lines[0] for fix in refused if fix.diagnostic] == [64 + 21]
    assert sum(fix.applied for fix in tree.only().fixes) == 63
    assert len(texts) < 32


def test_taken_ranges_are_those_that_any_would_find() -> None:
    random = Random(0)
    for _ in range(300):
        taken, ranges = _Taken(), []
        for _ in range(20):
            first = random.randrange(1, 60)
            scope = [(first, first + random.randrange(-1, 4))]
            touches = any(_touch(one, other) for one in scope for other in ranges)
            assert taken.touch(scope) == touches
            if not touches:
                taken.take(scope)
                ranges += scope


def test_findings_are_taken_once_each_and_the_nearest_of_their_kind() -> None:
    said = [found(line, 0, 2, "F401", "`a` imported but unused") for line in (1, 5, 9)]
    known = _Findings([*said, found(5, 4, 6, "E711", "None")])
    assert known.take(said[1], exact=True) == said[1]
    assert known.take(said[1], exact=True) is None
    moved = replace(said[1], start=Position(7, 3), end=Position(7, 5))
    assert known.take(moved, exact=False) == said[2]
    assert known.take(moved, exact=False) == said[0]
    assert [one.code for one in known.left()] == ["E711"]
