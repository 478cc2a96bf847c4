"""What an edit leaves out: a finding is gone, too, where the code that it was about is gone."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from copydesk_server.same_meaning.comparison import NO_TREE, parsed

_NAME = re.compile(r"\w+")


def lost_code(before: str, after: str, messages: Iterable[str]) -> str | None:
    """What is called or assigned to less often in `after` and is named in none of the messages, in words; None where there is
    nothing such, or one of the texts does not parse. Raises: never.
    """
    try:
        lost = _all_done(before) - Counter(_done(parsed(after)))
    except NO_TREE:
        return None
    named = {name for message in messages for name in _NAME.findall(message)}
    return next((f"{what} `{name}`" for what, name in lost if name not in named), None)


@lru_cache(maxsize=4)  # one text is compared with what each of its fixes makes of it
def _all_done(text: str) -> Counter[tuple[str, str]]:
    return Counter(_done(parsed(text)))


def _done(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Each call by the last name of what is called, and each name that gets a value."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield "the assignment to", node.id
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                yield "the call of", node.func.attr
            elif isinstance(node.func, ast.Name):
                yield "the call of", node.func.id
