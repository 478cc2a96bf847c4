"""Names that a person has just written over: what the other uses of such a name are probably meant to become.

Who renames a variable by hand changes one place after the other, and the tools call the old name undefined meanwhile. There the
new name is proposed, as a linter proposes a fix of its own; whether it is one is verified as for any other. Only places that bind
a name count, as far as their own line shows it: who writes over a use may mean another variable. Only single lines are followed,
keystroke by keystroke, and nothing is kept but pairs of names.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from copydesk.request import Diagnostic, ToolFix
from copydesk.text.document import Change, Position, TextEdit, content
from copydesk_server.lsp.documents import Documents, OpenDocument
from copydesk_server.lsp.proposed_fixes import LANGUAGE, Propose

LONGEST_LINE = 1000
"""Characters; what is written in a longer line is not looked at."""
MOST_NAMES = 8
"""Names of a document that are remembered as written over."""
_BINDING_BEFORE = re.compile(
    r"""^\s*(?:async\s+)?(?:def|class)\s+\Z
    | \b(?:for|lambda)\s+(?:(?!\bin\b)[^:=])*\Z
    | \b(?:as|import|global|nonlocal)\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*\Z
    """,
    re.VERBOSE,
)
"""What stands on a line before a name that it binds, whatever comes behind it."""
_BINDING_BEHIND = re.compile(r"(?:\s*,\s*\*?[\w.]+)*\s*(?::[^=]*)?=(?!=)")
"""What stands behind a name that is assigned to, where the statement begins with it or with other targets."""
_FUNCTION = re.compile(r"\s*(?:async\s+)?def\b")
_STATEMENT = re.compile(r"^\s*(?:\*?[\w.]+\s*,\s*)*\*?\Z")
_PARAMETER = re.compile(r"\s*:\s*[^\s:]")
"""Behind a name that begins its line: an annotation, of a parameter or a variable."""
_WORD = re.compile(r"\w")
_WORD_AT_START, _WORD_AT_END = re.compile(r"\A\w+"), re.compile(r"\w+\Z")


@dataclass(slots=True)
class _Writing:
    """A word that is being written over: where it begins, what it was, the last first, and what it is by now. noted: whether it
    is among the names that were.
    """

    line: int
    start: int
    olds: tuple[str, ...]
    new: str
    noted: bool = False


@dataclass(slots=True)
class _Names:
    """Of one document. written: by the old name the new one, the latest last."""

    written: dict[str, str] = field(default_factory=dict)
    writing: _Writing | None = None


class ManualRenames:
    """Proposes the new name for uses of the old one, before `propose` asks the tools about the rest."""

    def __init__(self, documents: Documents, propose: Propose) -> None:
        self._propose = propose
        self._names: dict[str, _Names] = {}  # by URI
        self._callbacks: list[Callable[[OpenDocument, str], None]] = []
        documents.subscribe(lambda _: None, self._on_change, self._on_close)

    def subscribe(self, callback: Callable[[OpenDocument, str], None]) -> None:
        """Be told of a document and a name that is written over otherwise than before."""
        self._callbacks.append(callback)

    def __call__(
        self, document: OpenDocument, diagnostics: Sequence[Diagnostic]
    ) -> Awaitable[Sequence[Diagnostic]] | None:
        """See `Propose`."""
        names = self._names.get(document.uri)
        if names is None or not names.written:
            return self._propose(document, diagnostics)
        informed = _informed(document, diagnostics, names.written)
        asked = self._propose(document, informed)
        if asked is not None or informed == list(diagnostics):
            return asked
        return _ready(informed)

    # -- the text changes ----------------------------------------------------------------------------------------------

    def _on_change(self, document: OpenDocument, _changes: list[Change], _edits: list[TextEdit]) -> None:
        if document.language != LANGUAGE:
            return
        names = self._names.setdefault(document.uri, _Names())
        if document.rewritten is None:
            names.writing = None
            return
        line, before = document.rewritten
        after = content(document.lines.lines[line])
        if max(len(before), len(after)) > LONGEST_LINE:
            names.writing = None
            return
        start, old, new = _written_over(content(before), after)
        writing = names.writing
        if writing is not None and (writing.line, writing.start, writing.new) == (line, start, old):
            writing.new = new
        else:
            earlier = [name for name, became in names.written.items() if became == old]
            writing = names.writing = _Writing(line, start, (old, *earlier), new)
        if writing.noted or _binds(after, start, start + len(new)):
            writing.noted = True
            for name in filter(_is_name, writing.olds):
                self._note(document, names.written, name, new)

    def _note(self, document: OpenDocument, written: dict[str, str], old: str, new: str) -> None:
        was = written.pop(old, None)
        if _is_name(new) and new != old:
            written[old] = new
            if len(written) > MOST_NAMES:
                del written[next(iter(written))]
        if written.get(old) != was:
            for callback in self._callbacks:
                callback(document, old)

    def _on_close(self, document: OpenDocument) -> None:
        self._names.pop(document.uri, None)


def _informed(
    document: OpenDocument, diagnostics: Sequence[Diagnostic], written: Mapping[str, str]
) -> list[Diagnostic]:
    """The same, with the new name as a fix of those that miss an old one."""
    # Not before it is needed: `initialize` has no time for imports.
    from copydesk.quickfixes.handlers.unresolved_name import flagged
    from copydesk.quickfixes.kinds import DiagnosticKind, classify

    informed = []
    for diagnostic in diagnostics:
        line = diagnostic.start.line
        if line < len(document.lines) and classify(diagnostic) is DiagnosticKind.UNDEFINED_NAME:
            text = content(document.lines.lines[line])
            place = flagged(diagnostic, text)
            new = written.get(text[slice(*place)]) if place is not None else None
            if place is not None and new is not None:
                start, end = (Position(line, column) for column in place)
                own = ToolFix((TextEdit(start, end, new),), safe=True)
                diagnostic = replace(diagnostic, fixes=(own,))
        informed.append(diagnostic)
    return informed


def _written_over(before: str, after: str) -> tuple[int, str, str]:
    """Where two versions of a line differ, widened to whole words: the column, and what stands there in each."""
    shortest = min(len(before), len(after))
    start = 0
    while start < shortest and before[start] == after[start]:
        start += 1
    tail = 0
    while tail < shortest - start and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    old, new = before[start : len(before) - tail], after[start : len(after) - tail]
    head, rest = before[:start], before[len(before) - tail :]
    # What was put in beside a word is no part of it, unless it is the word's own letters.
    if _WORD.match(old) or _WORD.match(new):
        head = _WORD_AT_END.sub("", head)
    if _WORD.match(old[-1:]) or _WORD.match(new[-1:]):
        rest = _WORD_AT_START.sub("", rest)
    start, tail = len(head), len(rest)
    return start, before[start : len(before) - tail], after[start : len(after) - tail]


def _binds(line: str, start: int, end: int) -> bool:
    """Whether the name from `start` to `end` is bound there, by all that the line shows."""
    before, behind = line[:start], line[end:]
    if _BINDING_BEFORE.search(before) or behind.lstrip().startswith(":="):
        return True
    if _FUNCTION.match(before):
        depth = sum(map(before.count, "([{")) - sum(map(before.count, ")]}"))
        return depth == 1 and before.rstrip(" \t*").endswith(("(", ","))
    if _STATEMENT.match(before) and _BINDING_BEHIND.match(behind):
        return True
    return not before.strip(" \t*") and _PARAMETER.match(behind) is not None


def _is_name(word: str) -> bool:
    return word.isidentifier() and not keyword.iskeyword(word)


async def _ready(diagnostics: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    return diagnostics
