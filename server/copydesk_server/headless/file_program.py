"""All that the rounds of a file made of it, as one program over the file as it was read: where each line came from.

Knows texts, edits and programs; nothing of rounds.
"""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.oracle import oracle_program
from copydesk.oracle.cost import CodeCost
from copydesk.program import Copy, Gen, Op, Program, Sub
from copydesk.text.document import TextEdit, TextLines
from copydesk_server.headless.unified_diff import line_blocks

_PLAIN = CodeCost(copy_cost=1, gen_cost=1)
"""Prices at which whatever is still there counts as copied."""


def file_program(text: str, edits: Sequence[TextEdit]) -> Program:
    """The program whose result is that of `edits` (utf-16, ordered, apart from each other) on `text`.

    What no edit touches is copied; how the lines of an edit became what they are is the shortest program over these alone.
    """
    lines = TextLines(text)
    ops: list[Op] = []
    done = 0
    for block in line_blocks(lines, edits):
        if block.first > done:
            _add(ops, Copy(done + 1, block.first))
        local = oracle_program(
            "".join(lines.lines[block.first : block.last]), "".join(block.new), cost=_PLAIN
        )
        for op in local.ops:
            _add(ops, _shifted(op, block.first))
        done = block.last
    if done < len(lines):
        _add(ops, Copy(done + 1, len(lines)))
    return Program(tuple(ops))


def _shifted(op: Op, by: int) -> Op:
    if isinstance(op, Copy):
        return Copy(op.start + by, op.end + by)
    if isinstance(op, Sub):
        return Sub(op.start + by, op.end + by, op.old, op.new)
    return op


def _add(ops: list[Op], op: Op) -> None:
    """Append, as one op where two would not be legal side by side."""
    before = ops[-1] if ops else None
    if isinstance(op, Copy) and isinstance(before, Copy) and before.end + 1 == op.start:
        ops[-1] = Copy(before.start, op.end)
    elif isinstance(op, Gen) and isinstance(before, Gen):
        ops[-1] = Gen(before.text + op.text)
    else:
        ops.append(op)
