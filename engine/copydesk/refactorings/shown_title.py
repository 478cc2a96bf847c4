"""A candidate's title as a person reads it: without the words it has for being found.

Titles are matched with the words of instructions (`affinity`, `ranking`) and judged by models, so some end in other words for the
same: "Swap a and b, the order".
"""

from __future__ import annotations

import re

_ELSEWHERE = r"(?=$|: | in all places$)"
_OTHER_WORDS = re.compile(
    "(?:"
    + "|".join(
        re.escape(words)
        for words in (
            ", another exception type, raise this error", ", the order", ", not empty, truthy", ", empty, falsy",
            ", frozen, not a comprehension", ", redundant parentheses, parens", ", superfluous, redundant", ", membership",
            ", no ternary, fall back", ", whatever the condition", ", spaces", ", filter", ", conditional", ", twice, double",
            ", once, only the first or last", ", underscores", ", parens", ", the parens", ", modern", ", off by one",
            ", two separate ifs",
            " (at most, inclusive)", " (at least, inclusive)", " (less than, below, under)", " (more than, above, over)",
            " (identity)", " (equal, not identity)", " (not equal, differ)",
        )
    )
    + ")"
    + _ELSEWHERE
)  # fmt: skip
_SAID_OF_A_CALL = re.compile(
    r"((?:Wrap .* in [\w.]+\(.*\)|Call \w+\(\) on .*)), [a-z][a-z ]*?" + _ELSEWHERE, re.DOTALL
)


def shown_title(title: str) -> str:
    """The title without what only a search needs."""
    return _SAID_OF_A_CALL.sub(r"\1", _OTHER_WORDS.sub("", title))
