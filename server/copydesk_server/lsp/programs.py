"""The last program that was made for a person, line by line with where each line comes from.

What the person asked for is recorded by `edit_provider.py`. A prefetched fix travels with its action and is applied by the client
alone, so it counts from the moment the text becomes what it was to become.
"""

from __future__ import annotations

from typing import Any

from copydesk.program import Program
from copydesk.program.provenance import Origin, ResultLine, op_label, provenance
from copydesk.text.document import Change, Encoding, TextEdit, terminator
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.lsp.applying import Expected
from copydesk_server.lsp.documents import Documents, OpenDocument

AROUND = 3
"""So many copied lines are shown on either side of what is new or gone."""

Row = dict[str, Any]
_Offers = dict[str, list[tuple[Expected, EditOutcome]]]
"""By document: what its text is to become, and by what."""


class Programs:
    """The last program, and those that may become it: fixes that were handed out with their edits."""

    def __init__(self, documents: Documents, encoding: Encoding) -> None:
        self._encoding = encoding
        self._last: tuple[str, EditOutcome] | None = None
        self._listed: _Offers = {}
        self._asked: _Offers = {}
        documents.subscribe(lambda _: None, self._on_change, self._on_close)

    def made(self, document: OpenDocument, outcome: EditOutcome) -> None:
        """Somebody asked for it and this is what came of it. Nothing to remember where there is no program."""
        if outcome.program is not None and outcome.before is not None:
            self._last = (document.uri, outcome)

    def listed(self, document: OpenDocument, outcomes: list[EditOutcome]) -> None:
        """These went out with their edits, for the document as it stands; what went out before is not to be had any more."""
        self._listed[document.uri] = self._expected(document, outcomes)

    def asked(self, document: OpenDocument, outcomes: list[EditOutcome]) -> None:
        """The same for what the person is to choose from. A menu that a client asks for meanwhile, as VS Code does for each move
        of the cursor, takes nothing of it away.
        """
        self._asked[document.uri] = self._expected(document, outcomes)

    def _expected(
        self, document: OpenDocument, outcomes: list[EditOutcome]
    ) -> list[tuple[Expected, EditOutcome]]:
        return [(Expected(document, outcome.edits, self._encoding), outcome) for outcome in outcomes]

    def last(self) -> dict[str, Any] | None:
        """As `copydesk/program` answers; None before the first."""
        if self._last is None:
            return None
        uri, outcome = self._last
        assert outcome.before is not None
        assert outcome.program is not None
        return {
            "uri": uri,
            "baseVersion": outcome.base_version,
            "status": outcome.status,
            "reason": outcome.reason,
            "verdict": outcome.verdict,
            "applicability": outcome.applicability,
            "program": outcome.program,
            "lines": rows(outcome.program, "".join(outcome.before)),
            "counts": outcome.counts,
            "ms": outcome.ms,
        }

    def _on_change(self, document: OpenDocument, changes: list[Change], _edits: list[TextEdit]) -> None:
        offers = [*self._listed.pop(document.uri, ()), *self._asked.pop(document.uri, ())]
        for expected, outcome in offers:
            expected.changed(changes)
            if expected.there:
                self.made(document, outcome)

    def _on_close(self, document: OpenDocument) -> None:
        self._listed.pop(document.uri, None)
        self._asked.pop(document.uri, None)


def rows(program: str, before: str) -> list[Row]:
    """The result's lines as a client draws them, in order.

    A row is `{line, count, origin, op, parts}`: `line` is 1-based in the result, `op` names what made it (`copy 1-12`, `gen`,
    `sub 7`), `parts` are `[origin, text]` that concatenate to the line without its terminator. Copied lines far from any change
    are one row of `count` lines whose `parts` are null.
    """
    parsed = Program.parse(program)
    lines = provenance(parsed, before)
    labels = [op_label(op) for op in parsed.ops]
    near = _near(lines)
    drawn: list[Row] = []
    for line in lines:
        label = labels[line.ops[0]]
        if line.number in near:
            drawn.append(_row(line, label, _parts(line)))
        elif drawn and drawn[-1]["parts"] is None and drawn[-1]["op"] == label:
            drawn[-1]["count"] += 1
        else:
            drawn.append(_row(line, label, None))
    return drawn


def _near(lines: list[ResultLine]) -> set[int]:
    """The numbers of lines that are new, or next to a place where something is new or gone (it may be the first or last line)."""
    near = {*range(1, AROUND + 1), *range(len(lines) - AROUND + 1, len(lines) + 1)}
    above: ResultLine | None = None
    for line in lines:
        if line.origin is not Origin.COPIED:
            near.update(range(line.number - AROUND, line.number + AROUND + 1))
        elif above is not None and above.ops[-1] != line.ops[0]:
            near.update(range(line.number - AROUND, line.number + AROUND))
        above = line
    return near


def _row(line: ResultLine, label: str, parts: list[list[str]] | None) -> Row:
    return {"line": line.number, "count": 1, "origin": line.origin.value, "op": label, "parts": parts}


def _parts(line: ResultLine) -> list[list[str]]:
    end = len(line.text) - len(terminator(line.text))
    parts: list[list[str]] = []
    for segment in line.segments:
        text, end = segment.text[: max(end, 0)], end - len(segment.text)
        if text:
            parts.append([segment.origin.value, text])
    return parts
