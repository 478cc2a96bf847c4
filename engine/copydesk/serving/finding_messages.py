"""A finding that no quick fix answers, read as an instruction: many tools say what is to be done ("Use `X | None` for type
annotations"), and among the edits of the refactorings is often the one that does it.
"""

from __future__ import annotations

from dataclasses import replace

from copydesk.prompting.prompt import describe
from copydesk.request import Diagnostic
from copydesk.serving.narrowing import PageRequest
from copydesk.serving.snapshot import Snapshot
from copydesk.syntax.tree import node_at

_IMPORTS = ("import_statement", "import_from_statement", "future_import_statement")


def message_as_instruction(asked: PageRequest) -> PageRequest | None:
    """The request with the message of its one finding as the instruction. None where a quick fix narrows the answer, the model
    has not learnt to choose, the text does not parse, or the finding is about an import: no page tells which modules there are.
    """
    request, snapshot, lowering = asked.request, asked.snapshot, asked.lowering
    if request.instruction is not None or len(request.diagnostics) != 1 or not lowering.rules.scope:
        return None
    if not request.narrow or request.choices is not None or request.lark is not None:
        return None
    if not lowering.codec.format.chooses or snapshot.parsed is None or snapshot.parsed.broken:
        return None
    (diagnostic,), (fixes,) = request.diagnostics, asked.fixes
    message = describe(replace(diagnostic, source=None, code=None))
    if not message or fixes.replacement() is not None or _in_import(snapshot, diagnostic):
        return None
    if next(fixes.candidates(lowering.scope), None) is not None:
        return None
    said = replace(request, diagnostics=[], instruction=message, phrases=False)
    return replace(asked, request=said, fixes=(), finding=True)


def _in_import(snapshot: Snapshot, found: Diagnostic) -> bool:
    assert snapshot.parsed is not None
    node = node_at(snapshot.parsed.tree, snapshot.lines.lines, found.start)
    while node is not None and node.type not in _IMPORTS:
        node = node.parent
    return node is not None
