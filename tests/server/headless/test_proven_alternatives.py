"""Of the edits that a model is not sure of, the one that is proved right is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.oracle.oracle import oracle_program
from copydesk.request import EditRequest
from copydesk.results import Alternative, EditResult
from copydesk_server.headless.models import Fix, Rules
from copydesk_server.headless.verifier import Jury
from server_tools import the_ruff

BEFORE = "def f(a, b):\n    if a:\n        if b:\n            return 1\n    return 2\n"
MERGED = "def f(a, b):\n    if a and b:\n        return 1\n    return 2\n"
ANOTHER = "def f(a, b):\n    if b:\n        return 1\n    return 2\n"
WORSE = "def f(a, b):\n    if a and c:\n        return 1\n    return 2\n"


def alternative(after: str, probability: float) -> Alternative:
    program = oracle_program(BEFORE, after)
    return Alternative("An edit", probability, program, tuple(program.edits(BEFORE)))


@pytest.mark.parametrize(
    ("offered", "taken"),
    [
        ((ANOTHER, MERGED), MERGED),
        ((WORSE, BEFORE, MERGED), MERGED),
        ((ANOTHER, WORSE), None),
        ((), None),
    ],
)
def test_what_is_proved_is_taken(tmp_path: Path, offered: tuple[str, ...], taken: str | None) -> None:
    (said,) = the_ruff().check(BEFORE, None, select="SIM102")
    alternatives = tuple(alternative(after, 0.4 / number) for number, after in enumerate(offered, 1))
    fix = Fix(EditRequest(diagnostics=[said]))
    fix.result = EditResult("refused", BEFORE, reason="one of these?", unsure=True, alternatives=alternatives)
    jury = Jury(tmp_path / "a.py", "python", Rules(the_ruff(), select="SIM102"))
    kept, _ = jury.hear(BEFORE, [fix], ("SIM102",))
    assert fix.judgement is not None
    if taken is None:
        assert (fix.judgement.verdict, fix.judgement.reason, fix.edits, kept) == (
            "unsure",
            "one of these?",
            (),
            [],
        )
        return
    assert (fix.judgement.verdict, fix.judgement.applicability) == ("confirmed", "safe")
    assert (kept, fix.alternatives) == ([fix], ())
    assert fix.program is not None
    assert fix.program.resolve(BEFORE) == taken
    assert fix.confidence == alternatives[offered.index(taken)].probability


def test_an_instruction_is_still_asked_about(tmp_path: Path) -> None:
    fix = Fix(EditRequest(scope=[(1, 5)], instruction="merge the ifs"))
    only = (alternative(MERGED, 0.4),)
    fix.result = EditResult("refused", BEFORE, reason="this?", unsure=True, alternatives=only)
    kept, _ = Jury(tmp_path / "a.py", "python", Rules(the_ruff())).hear(BEFORE, [fix], ())
    assert (kept, fix.edits) == ([], ())
