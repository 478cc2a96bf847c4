"""A unified diff from edits that are known, for people and for `patch`.

Knows lines and edits; finds nothing by comparing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from copydesk.text.document import TextEdit, TextLines, apply_edits, content, split_lines, terminator
from copydesk_server.printable import header_name

CONTEXT = 3


@dataclass(slots=True)
class Block:
    """Lines first..last (0-based, exclusive) of the old text became `new`."""

    first: int
    last: int
    edits: list[TextEdit]
    new: list[str]


def unified(name: str, text: str, edits: Sequence[TextEdit]) -> Iterator[str]:
    """The diff's lines, terminators included; names are quoted as git does. edits: utf-16, ordered, apart from each other."""
    lines = TextLines(text)
    blocks = line_blocks(lines, edits)
    if not blocks:
        return
    yield f"--- {header_name(f'a/{name}')}\n"
    yield f"+++ {header_name(f'b/{name}')}\n"
    shift = 0
    for group in _groups(blocks):
        first, last = max(0, group[0].first - CONTEXT), min(len(lines), group[-1].last + CONTEXT)
        grown = sum(len(block.new) - (block.last - block.first) for block in group)
        yield f"@@ -{_span(first, last)} +{_span(first + shift, last + shift + grown)} @@\n"
        shift += grown
        at = first
        for block in group:
            yield from _marked(" ", lines.lines[at : block.first])
            yield from _marked("-", lines.lines[block.first : block.last])
            yield from _marked("+", block.new)
            at = block.last
        yield from _marked(" ", lines.lines[at:last])


def changed_lines(text: str, edits: Sequence[TextEdit]) -> Iterator[str]:
    """The diff's lines that go and that come, without terminators, for people alone. edits: as in `unified`."""
    lines = TextLines(text)
    for block in line_blocks(lines, edits):
        yield from (f"-{content(line)}" for line in lines.lines[block.first : block.last])
        yield from (f"+{content(line)}" for line in block.new)


def line_blocks(lines: TextLines, edits: Sequence[TextEdit]) -> list[Block]:
    """The lines that the edits change, from the top down, without those at the ends of a block that stay as they are."""
    blocks: list[Block] = []
    count = len(lines)
    for edit in edits:
        first = min(edit.start.line, count)
        whole = edit.start.character == 0 and edit.end.character == 0 and not _open(edit.new_text)
        last = edit.end.line if whole else edit.end.line + 1
        last = min(max(last, first), count)
        if first == count and count and not terminator(lines.lines[-1]):
            first -= 1
        if blocks and first < blocks[-1].last:
            blocks[-1].last = max(blocks[-1].last, last)
            blocks[-1].edits.append(edit)
        else:
            blocks.append(Block(first, last, [edit], []))
    for block in blocks:
        old = lines.lines[block.first : block.last]
        block.new = split_lines(_applied(old, block))
        while old and block.new and old[0] == block.new[0]:
            old, block.new, block.first = old[1:], block.new[1:], block.first + 1
        while old and block.new and old[-1] == block.new[-1]:
            old, block.new, block.last = old[:-1], block.new[:-1], block.last - 1
    return [block for block in blocks if block.new or block.last > block.first]


def _open(text: str) -> bool:
    return bool(text) and not terminator(text)


def _applied(old: Sequence[str], block: Block) -> str:
    def here(edit: TextEdit) -> TextEdit:
        start = replace(edit.start, line=edit.start.line - block.first)
        return replace(edit, start=start, end=replace(edit.end, line=edit.end.line - block.first))

    return apply_edits("".join(old), list(map(here, block.edits)))


def _groups(blocks: Sequence[Block]) -> list[list[Block]]:
    groups: list[list[Block]] = []
    for block in blocks:
        if groups and block.first - groups[-1][-1].last <= 2 * CONTEXT:
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups


def _span(first: int, last: int) -> str:
    count = last - first
    return f"{first + 1 if count else first}" + (f",{count}" if count != 1 else "")


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield mark + line
        else:
            # A lone \r ends our lines but not patch's: as part of the next one it is read back all the same.
            yield (
                f"{mark}{line}\n\\ No newline at end of file\n"
                if not terminator(line)
                else mark + line + "\n"
            )
