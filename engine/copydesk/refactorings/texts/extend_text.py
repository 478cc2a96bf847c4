"""Words of an instruction put before, behind or into a text: a comment, a docstring, a message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from copydesk.refactorings.arguments import QUOTED, Arguments
from copydesk.refactorings.candidate import Proposal, Refactoring
from copydesk.refactorings.context import RefactoringContext
from copydesk.refactorings.edits import replace_node
from copydesk.refactorings.texts.text_lines import is_docstring, text_lines, with_texts
from copydesk.syntax.tree import text_of

_ASKING = frozenset({
    "append", "add", "end", "too", "also", "say", "says", "mention", "prefix", "start", "front", "begin", "suffix", "behind",
    "after", "before", "finish", "continue", "note", "lacks", "forgets", "missing", "prepend", "lead", "put", "insert", "should",
})  # fmt: skip
"""Words of an instruction that wants a text longer."""
_NEWLINE = frozenset({"newline", "newlines", "linebreak"})
_PLAIN = re.compile(r"[fFuU]?(['\"])(?!\1).*(?<!\\n)\1")
"""A text in one line that no newline ends."""
_TEXT = re.compile(
    r"(\s*(?:#+ ?|[rRbBuUfF]*(?:\"{3}|'{3}|\"|'))?)(.*?)([.,;:!?]*(?<!\\)(?:\\n)?(?:\"{3}|'{3}|\"|')?\s*)"
)
"""What a text begins with, its words, and what it ends with."""
_LONGEST, _MOST_PLACES, _MOST_ENDS = 80, 20, 6
"""Characters that are put into a text, texts that are looked at, and such as may get a newline."""


def _propose(context: RefactoringContext, arguments: Arguments) -> Iterator[Proposal]:
    if arguments.words & _NEWLINE and arguments.words & _ASKING:
        yield from _with_newline(context)
    quoted = [found[2].strip() for found in QUOTED.finditer(arguments.instruction)]
    if not quoted or not arguments.words & _ASKING:
        return
    for place in text_lines(context)[:_MOST_PLACES]:
        found = _TEXT.fullmatch(place.text)
        if found is None or not found[2].strip():
            continue
        head, text, tail = found.groups()
        for extra in quoted[:3]:
            if extra in text or len(extra) > _LONGEST:
                continue
            joins = ["" if extra[0] in ",.;:)" else " ", ", "] if extra[0].isalnum() else ["", " "]
            for join in joins:
                yield (
                    f'Add "{extra}" at the end of the text{join}',
                    with_texts([(place, f"{head}{text}{join}{extra}{tail}")]),
                )
            join = "" if extra.endswith((" ", "_", "/", "-")) else " "
            lowered = text[:1].lower() + text[1:]
            for rest in dict.fromkeys([text, lowered if extra[0].isupper() else text]):
                yield (
                    f'Add "{extra}" at the start of the text',
                    with_texts([(place, f"{head}{extra}{join}{rest}{tail}")]),
                )


def _with_newline(context: RefactoringContext) -> Iterator[Proposal]:
    for node in islice(context.walk("string"), _MOST_ENDS):
        text = text_of(node)
        if _PLAIN.fullmatch(text) and not is_docstring(node):
            made = f"{text[:-1]}\\n{text[-1]}"
            yield (
                f"Add a newline at the end of {text}, behind it, \\n",
                replace_node(context.lines, node, made),
            )


EXTEND_TEXT = Refactoring("extend_text", "refactor.rewrite.extendText", _propose)
