"""A fix that a model wrote is none where the code is gone that the finding was about."""

from __future__ import annotations

import pytest

from copydesk_server.lost_code import lost_code
from copydesk_server.verification import judge_all
from server_tools import the_ruff

BEFORE = 'def f(out, w):\n    line = "%*s" % (w, "a")\n    out.append(line)\n    return out\n'


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (BEFORE, None),
        (BEFORE.replace('"%*s" % (w, "a")', "f\"{'a':>{w}}\""), None),
        (BEFORE.replace("    out.append(line)\n", ""), "the call of `append`"),
        (BEFORE.replace('    line = "%*s" % (w, "a")\n', ""), "the assignment to `line`"),
        (BEFORE.replace('line = "%*s" % (w, "a")', "w = w"), "the assignment to `line`"),
        ("def f(out, w:\n", None),
    ],
)
def test_what_is_lost(after: str, said: str | None) -> None:
    assert lost_code(BEFORE, after, ["Use format specifiers instead of percent format"]) == said


def test_what_the_message_names_may_go() -> None:
    assert lost_code("x = list(sorted(y))\n", "x = sorted(y)\n", ["Unnecessary `list` call"]) is None


@pytest.mark.parametrize(
    ("after", "known", "expected"),
    [
        (
            BEFORE.replace("line", "out", 1),
            False,
            ("refused", "it leaves out the assignment to `line`", "safe"),
        ),
        (BEFORE.replace('"%*s" % (w, "a")', "w"), False, ("confirmed", None, "unsafe")),
        (BEFORE.replace('"%*s" % (w, "a")', "w"), True, ("confirmed", None, "safe")),
    ],
)
def test_what_a_model_writes_is_not_called_safe(
    after: str, known: bool, expected: tuple[str, str | None, str]
) -> None:
    (said,) = the_ruff().check(BEFORE, None, select="UP031")
    judged = judge_all(
        BEFORE,
        after,
        [said],
        language="python",
        path=None,
        ruff=the_ruff(),
        rules=("UP031",),
        known_fix=known,
    )
    assert (judged.verdict, judged.reason, judged.applicability) == expected
