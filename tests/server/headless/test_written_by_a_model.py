"""What a model wrote is judged alone, and is no fix where it deletes code, whatever else is mended in the same round."""

from __future__ import annotations

from pathlib import Path

from copydesk.oracle.oracle import oracle_program
from copydesk.request import Diagnostic, EditRequest
from copydesk.results import EditResult
from copydesk_server.headless.models import Fix, Rules
from copydesk_server.headless.verifier import Jury
from server_tools import the_ruff

BEFORE = 'def f(w, out):\n    out.append("%*s" % (w, "a"))\n    if out == None:\n        return w\n    return out\n'
RULES = ("UP031", "E711")


def fix(found: Diagnostic, old: str, new: str, *, known_fix: bool) -> Fix:
    program = oracle_program(BEFORE, BEFORE.replace(old, new))
    edits = tuple(program.edits(BEFORE))
    made = Fix(EditRequest(diagnostics=[found]), known_fix=known_fix)
    made.result = EditResult("edited", BEFORE, program=program, edits=edits, known_fix=known_fix)
    return made


def heard(path: Path, new: str) -> tuple[list[tuple[str, str | None, str]], list[bool]]:
    """What is said of a model's `new` in place of the call and of a quick fix, and whether each is kept."""
    found = {one.code: one for one in the_ruff().check(BEFORE, None, select=",".join(RULES))}
    written = fix(found["UP031"], 'out.append("%*s" % (w, "a"))', new, known_fix=False)
    known = fix(found["E711"], "== None", "is None", known_fix=True)
    rules = Rules(the_ruff(), select=",".join(RULES))
    kept, _ = Jury(path / "a.py", "python", rules).hear(BEFORE, [written, known], RULES)
    said = [one.judgement for one in (written, known)]
    return [(j.verdict, j.reason, j.applicability) for j in said if j is not None], [
        one in kept for one in (written, known)
    ]


def test_deleted_code_is_no_fix(tmp_path: Path) -> None:
    (written, known), kept = heard(tmp_path, "w = 1")
    assert written[:2] == ("refused", "it leaves out the call of `append`")
    assert known[0] == "confirmed"
    assert kept == [False, False], "ruff calls `is None` unsafe"


def test_what_keeps_the_code_is_confirmed_and_unsafe(tmp_path: Path) -> None:
    (written, known), kept = heard(tmp_path, 'out.append("a".rjust(w))')
    assert written == ("confirmed", None, "unsafe")
    assert known[0] == "confirmed"
    assert kept == [False, False]
