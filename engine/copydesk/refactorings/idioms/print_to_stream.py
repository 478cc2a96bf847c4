"""`print` in place of `sys.stderr.write`: without the newline that it adds itself, and with `file` where that is not its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from copydesk.refactorings.arguments import Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import rewrite_node
from copydesk.refactorings.expressions import callee
from copydesk.syntax.tree import text_of

_STREAMS = {"sys.stdout": "", "stdout": "", "sys.stderr": "file=sys.stderr", "stderr": "file=stderr"}

_ENDS = re.compile(r"""[fF]?(['"])(?!\1\1)(?:.*[^\\])?(?:\\\\)*\\n\1""", re.DOTALL)
"""A string whose last character is a newline, written as an escape."""


def _propose(context: RefactoringContext, _: Arguments) -> Iterator[Proposal]:
    for call in context.walk("call"):
        stream, dot, method = callee(call).rpartition(".")
        given = call.child_by_field_name("arguments")
        if not dot or method != "write" or stream not in _STREAMS or given is None:
            continue
        if len(given.named_children) == 1 and given.named_children[0].type not in (
            "comment",
            "keyword_argument",
        ):
            arguments = _printed(given, _STREAMS[stream])
            title = f"Use print instead of {stream}.write"
            yield title, rewrite_node(context.lines, call, f"print{arguments}")


def _printed(given: Node, file: str) -> str:
    """The arguments in brackets of a `print` that does the same."""
    text, written = text_of(given), given.named_children[0]
    last = written.named_children[-1] if written.type == "concatenated_string" else written
    spelt = text_of(last)
    quote = spelt[-1] if last.type == "string" else '"'
    ends = last.type == "string" and _ENDS.fullmatch(spelt) is not None
    more = [one for one in (f"end={quote}{quote}" if not ends else "", file) if one]
    if ends:
        cut = last.end_byte - given.start_byte
        raw = text.encode()
        text = (raw[: cut - 3] + raw[cut - 1 :]).decode()
    if not more:
        return text
    body = text[1:-1].rstrip()
    closing = text[1 + len(body) :]
    if "\n" not in body or not body.endswith(","):
        return f"({', '.join([body, *more])}{closing}"
    indent = body[: len(body) - len(body.lstrip())].lstrip("\n")
    lines = [f"({body}", *(f"{indent}{one}," for one in more)]
    return "\n".join(lines) + closing


PRINT_TO_STREAM = Refactoring("print_to_stream", "refactor.rewrite.printToStream", _propose)
