"""The checks of free-worded instructions accept what is equal in all that matters, and nothing else.

The real packages are not needed here: `copydesk bench instructions --check-data` tries every record on them.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from copydesk.errors import CopydeskError
from copydesk.program import Program
from copydesk.results import EditResult, Status
from copydesk_benchmarks import instructions
from copydesk_benchmarks.instruction_checks import Check, CheckError, Replacement, apply_variant
from copydesk_benchmarks.instruction_records import (
    FOLDER,
    LEAST_EXAMPLES,
    Packages,
    Record,
    RecordError,
    load_records,
    never_trained_on,
    parse_record,
    problems,
)
from copydesk_benchmarks.instructions import Answer, outcome, table
from copydesk_server import cli

TEXT = '''\
import os


class Shop:
    """A shop."""

    @property
    def total(self):
        # all that is paid
        paid = [item for item in self.items if item.paid == True]
        if len(paid) > 0:
            return sum(paid)
        return None


def last(shop):
    return shop
'''
SELECTED = (8, 13)


def after(old: str, new: str) -> str:
    assert TEXT.count(old) == 1
    return TEXT.replace(old, new)


def check(*results: str) -> Check:
    """A check of the lines of `total`, each result being their whole text."""
    return Check("equal_ast", tuple((Replacement(8, 13, result),) for result in results))


def body(condition: str = "len(paid) > 0", *, result: str = "return None", paid: str = "paid") -> str:
    return f"""\
    def total(self):
        # all that is paid
        {paid} = [item for item in self.items if item.paid == True]
        if {condition}:
            return sum({paid})
        {result}
"""


def accepts(tried: Check, text: str) -> bool:
    return tried.accepts(TEXT, SELECTED, text)


def test_format_and_new_comments_do_not_matter_but_the_tree_does() -> None:
    wanted = check(body("paid"))
    assert accepts(wanted, after("if len(paid) > 0:", "if paid:"))
    assert accepts(wanted, after("if len(paid) > 0:", "# any?\n        if (paid):"))
    assert not accepts(wanted, TEXT)
    assert not accepts(wanted, after("if len(paid) > 0:", "if not paid:"))
    assert not accepts(wanted, after("if len(paid) > 0:", "if paid"))


def test_a_comment_that_the_result_keeps_must_stay() -> None:
    wanted = check(body("paid"))
    edited = after("if len(paid) > 0:", "if paid:")
    assert not accepts(wanted, edited.replace("        # all that is paid\n", ""))
    assert accepts(wanted, edited.replace("        # all that is paid\n", "        #   all that is paid\n"))


def test_what_is_not_selected_must_stay_as_it_is() -> None:
    wanted = check(body("paid"))
    edited = after("if len(paid) > 0:", "if paid:")
    assert accepts(wanted, edited)
    assert not accepts(wanted, edited.replace("import os", "import os, sys"))
    assert not accepts(wanted, edited.replace("    return shop", "    return  shop"))
    assert not accepts(wanted, edited.replace("    @property\n", ""))


@pytest.mark.parametrize(
    ("condition", "same", "different"),
    [
        ("0 < len(paid)", "len(paid) > 0", "len(paid) >= 0"),
        ("len(paid) != 0", "0 != len(paid)", "0 == len(paid)"),
        ("paid is not None", "not paid is None", "not paid is not None"),
        ("self not in paid", "not self in paid", "self in paid"),
        ("ONE_OF__(paid, any(paid))", "any(paid)", "all(paid)"),
        ("check(ANY__)", "check(paid[0])", "check()"),
        ("check(paid, ARGS__)", "check(paid, 1, *self.items, key=3)", "check(paid)"),
        ("check(a=1, b=2)", "check(b=2, a=1)", "check(a=2, b=1)"),
        ("check(TEXT__)", "check(f'{paid} of {self}')", "check('')"),
        ("check(TEXT__('none'))", "check('There are none of %s' % self)", "check('nothing')"),
    ],
)
def test_spellings_of_one_thing_and_placeholders(condition: str, same: str, different: str) -> None:
    wanted = check(body(condition))
    assert accepts(wanted, after("len(paid) > 0", same))
    assert not accepts(wanted, after("len(paid) > 0", different))


@pytest.mark.parametrize(
    ("result", "same", "different"),
    [
        ("return", "return None", "return 0"),
        ("raise KeyError", "raise KeyError()", "raise KeyError(1)"),
        ("x: int | None = 0", "x: Optional[int] = 0", "x: int = 0"),
        ("x: list[int] = []", "x: typing.List[int] = []", "x: List[str] = []"),
        ("x: int | str = 0", "x: Union[int, str] = 0", "x: Union[str, int] = 0"),
        ("print('a')", "print(f'a')", "print(f'{a}')"),
        ('"""Sum it up."""', "'''\n        Sum it up.\n        '''", '"""Sum."""'),
        ("TEXT__", '"""Sum it up."""', "# Sum it up."),
    ],
)
def test_statements_in_two_spellings(result: str, same: str, different: str) -> None:
    wanted = check(body(result=result))
    assert accepts(wanted, after("return None", same))
    assert not accepts(wanted, after("return None", different))


def test_a_new_name_is_new_and_the_same_everywhere() -> None:
    wanted = check(body("len(NEW1__) > 0", paid="NEW1__"))
    renamed = TEXT.replace("paid = ", "due = ")
    assert accepts(wanted, renamed.replace("(paid)", "(due)"))
    assert not accepts(wanted, renamed.replace("len(paid)", "len(due)"))
    assert not accepts(wanted, TEXT)
    assert not accepts(wanted, TEXT.replace("paid = ", "item = ").replace("(paid)", "(item)"))


def test_equal_text_is_for_comments_and_white_space_at_ends_does_not_matter() -> None:
    wanted = Check("equal_text", ((Replacement(9, 9, "        # what is paid\n"),),))
    assert accepts(wanted, after("# all that is paid", "# what is paid  "))
    assert accepts(wanted, after("        # all that is paid\n", "\n        # what is paid\n\n"))
    assert not accepts(wanted, after("# all that is paid", "# what is  paid"))
    anything = Check("equal_text", ((Replacement(9, 9, "        # TODO: <...>\n"),),))
    assert accepts(anything, after("# all that is paid", "# TODO: taxes"))
    assert not accepts(anything, after("# all that is paid", "# TODO: "))


def test_unchanged_is_the_files_own_text_and_nothing_else() -> None:
    assert accepts(Check("unchanged"), TEXT)
    assert not accepts(Check("unchanged"), TEXT + "\n")


def test_a_result_that_does_not_parse_is_an_error_of_the_check() -> None:
    with pytest.raises(CheckError):
        accepts(check("    def total(self:\n"), after("None", "0"))


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ([(2, 2, "B\n")], "a\nB\nc\n"),
        ([(2, 1, "x\n")], "a\nx\nb\nc\n"),
        ([(4, 3, "x\n")], "a\nb\nc\nx\n"),
        ([(1, 1, ""), (3, 3, "C\n")], "b\nC\n"),
    ],
)
def test_replacements_of_lines(changes: list[tuple[int, int, str]], text: str) -> None:
    assert apply_variant("a\nb\nc\n", tuple(Replacement(*change) for change in changes)) == text


@pytest.mark.parametrize(
    "changes", [[(4, 4, "")], [(0, 0, "")], [(2, 2, ""), (1, 1, "")], [(1, 2, ""), (2, 2, "")]]
)
def test_replacements_out_of_order_or_beyond_the_file(changes: list[tuple[int, int, str]]) -> None:
    with pytest.raises(CheckError):
        apply_variant("a\nb\nc\n", tuple(Replacement(*change) for change in changes))


def row(**changed: object) -> dict[str, object]:
    """A record of TEXT, as it stands in a file."""
    line = "        if {}:\n"
    return {
        "id": "x-1",
        "package": "glom",
        "version": "1.0",
        "file": "glom/shop.py",
        "sha256": hashlib.sha256(TEXT.encode()).hexdigest(),
        "lines": list(SELECTED),
        "instruction": "len is not needed",
        "kind": "expression",
        "check": {"kind": "equal_ast", "results": [[[11, 11, line.format("paid")]]]},
        "accepted": [[[11, 11, line.format(code)]] for code in ("paid", "(paid)", "( paid )")],
        "rejected": [[[11, 11, line.format(code)]] for code in ("not paid", "len(paid)", "True")],
        **changed,
    }


def test_a_record_is_tried_on_its_own_examples() -> None:
    good = row()
    assert problems(parse_record(good), TEXT) == []
    swapped = {"accepted": good["rejected"], "rejected": good["accepted"]}
    assert len(problems(parse_record(row(**swapped)), TEXT)) == 6
    assert problems(parse_record(row(accepted=[])), TEXT) == ["0 accepted texts instead of 3"]
    outside = [[[5, 5, "    pass\n"]], *list(good["rejected"])[1:]]  # type: ignore[call-overload]
    assert problems(parse_record(row(rejected=outside)), TEXT) == [
        "rejected 1 changes lines that are not selected"
    ]
    assert problems(parse_record(row(package="requests")), TEXT) == [
        "the package is not listed as never trained on"
    ]
    same = {"kind": "equal_ast", "results": [[]]}
    assert "the unchanged file is accepted" in problems(parse_record(row(check=same)), TEXT)


@pytest.mark.parametrize(
    "changed", [{"lines": [1]}, {"check": {"kind": "other"}}, {"accepted": 1}, {"rejected": [[1]]}]
)
def test_a_malformed_record_is_refused(changed: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text(json.dumps(row(**changed)) + "\n")
    with pytest.raises(RecordError, match=r"dev\.jsonl, line 1"):
        load_records(path)


def wheel(folder: Path, text: str, licence: str = "MIT") -> None:
    with zipfile.ZipFile(folder / "glom-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("glom/shop.py", text)
        archive.writestr(
            "glom-1.0.dist-info/METADATA", f"Name: glom\nVersion: 1.0\nLicense-Expression: {licence}\n"
        )


def test_the_file_is_read_out_of_the_wheel_and_its_hash_is_compared(tmp_path: Path) -> None:
    wheel(tmp_path, TEXT)
    assert Packages(tmp_path).text(parse_record(row())) == TEXT
    for changed, said in (
        ({"sha256": "0" * 64}, "sha256"),
        ({"file": "glom/other.py"}, "no file"),
        ({"lines": [8, 80]}, "no such lines"),
    ):
        with pytest.raises(RecordError, match=said):
            Packages(tmp_path).text(parse_record(row(**changed)))
    wheel(tmp_path, TEXT, "GPL-3.0-only")
    with pytest.raises(RecordError, match="licence"):
        Packages(tmp_path).text(parse_record(row()))


def result(status: Status, text: str = TEXT, *, unsure: bool = False) -> EditResult:
    program = Program.parse(f"<program>\n<gen>\n{text}</gen>\n</program>") if status == "edited" else None
    return EditResult(status, TEXT, program=program, unsure=unsure)


def test_outcomes() -> None:
    record = parse_record(row())
    nothing = parse_record(row(check={"kind": "unchanged"}))
    right = after("len(paid) > 0", "paid")
    assert outcome(record, TEXT, result("edited", right)) == "right"
    assert outcome(record, TEXT, result("edited", after("len(paid) > 0", "not paid"))) == "wrong"
    assert outcome(record, TEXT, result("unchanged")) == "unchanged"
    assert outcome(record, TEXT, result("refused", unsure=True)) == "unsure"
    assert outcome(record, TEXT, result("refused")) == "refused"
    assert outcome(record, TEXT, result("failed")) == "failed"
    assert outcome(nothing, TEXT, result("unchanged")) == "right"
    assert outcome(nothing, TEXT, result("edited", right)) == "wrong"


def test_the_table_counts_by_kind_and_the_sealed_sets_has_totals_alone() -> None:
    rename = parse_record(row(kind="rename"))
    other = parse_record(row())
    answers = [
        Answer(record, False, found, None, "", 0.0)
        for record, found in ((rename, "right"), (rename, "wrong"), (rename, "unsure"), (other, "unchanged"))
    ]
    rows = table(answers, by_kind=True).rows
    assert [(line[0], *line[2:]) for line in rows] == [
        ("rename", 1, 1, 0, 0, 0),
        ("expression", 0, 0, 0, 1, 0),
        ("all", 1, 1, 0, 1, 0),
    ]
    assert [line[0] for line in table(answers, by_kind=False).rows] == ["all"]


def test_nothing_is_written_of_the_sealed_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answers.jsonl"
    assert cli.main(["bench", "instructions", "--set", "sealed", "--json", str(path)]) == 2
    assert "--json" in capsys.readouterr().err
    assert not path.exists()


def test_the_embedded_model_is_asked_each_record_with_and_without_phrases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel(tmp_path, TEXT)
    renaming = "rename paid to due"
    lines = [body("len(due) > 0", paid="due")]
    record = row(instruction=renaming, check={"kind": "equal_ast", "results": [[[8, 13, lines[0]]]]})
    for name in ("dev", "sealed"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record) + "\n")
    monkeypatch.setattr(instructions, "FOLDER", tmp_path)
    monkeypatch.setattr(instructions, "Packages", lambda: Packages(tmp_path))
    path = tmp_path / "answers.jsonl"
    assert cli.main(["bench", "instructions", "--json", str(path), "--device", "cpu", "--quiet"]) == 0
    answers = [json.loads(line) for line in path.read_text().split("\n") if line]
    assert [answer["phrases"] for answer in answers] == [False, True]
    assert answers[1]["outcome"] == "right"
    assert answers[1]["lines"] == lines[0]
    out = capsys.readouterr().out
    assert "phrases off" in out
    assert "| expression | 100.0%" in out
    assert (
        cli.main(
            ["bench", "instructions", "--set", "sealed", "--phrases", "on", "--device", "cpu", "--quiet"]
        )
        == 0
    )
    out = capsys.readouterr().out
    assert "| all | 100.0%" in out
    assert "expression" not in out
    assert renaming not in out


@pytest.fixture(scope="module", params=["dev", "sealed"])
def records(request: pytest.FixtureRequest) -> list[Record]:
    return load_records(FOLDER / f"{request.param}.jsonl")


def test_a_hundred_records_on_many_files_and_enough_to_leave_alone(records: list[Record]) -> None:
    assert len(records) == 100
    assert len({record.instruction.lower() for record in records}) == 100
    assert len({record.file for record in records}) >= 25
    assert {record.package for record in records} == never_trained_on()
    assert sum(record.check.kind == "unchanged" for record in records) == 15
    assert sum(record.kind == "logic" for record in records) >= 20


def test_each_record_has_texts_that_test_its_check(records: list[Record]) -> None:
    for record in records:
        first, last = record.lines
        assert 4 <= last - first + 1 <= 60, record.id
        assert len(record.rejected) >= LEAST_EXAMPLES, record.id
        assert len(record.accepted) >= (1 if record.check.kind == "unchanged" else LEAST_EXAMPLES), record.id
        assert bool(record.check.results) == (record.check.kind != "unchanged"), record.id


def test_the_sealed_set_has_other_functions_and_other_wordings() -> None:
    dev, sealed = (load_records(FOLDER / f"{name}.jsonl") for name in ("dev", "sealed"))
    assert not {r.instruction.lower() for r in dev} & {r.instruction.lower() for r in sealed}
    for one in dev:
        for other in sealed:
            apart = one.lines[1] < other.lines[0] or other.lines[1] < one.lines[0]
            assert one.file != other.file or apart, (one.id, other.id)


def test_a_record_error_is_an_error_of_copydesk() -> None:
    assert issubclass(RecordError, CopydeskError)
