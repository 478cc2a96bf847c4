"""What a page program does, in words, where nobody who made it has said so."""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.program import Copy, Gen, Program, Sub
from copydesk.text.document import content, split_lines


def program_title(program: Program, views: Sequence[str]) -> str:
    """Its first changes, in the page's line numbers and the code's own spelling."""
    said = list[str]()
    done, written = 0, ""
    for op in (*program.ops, Copy(len(views) + 1, len(views))):
        if isinstance(op, Gen):
            written = op.text
            continue
        gone = op.start - done - 1
        if written:
            first, *more = map(content, split_lines(written))
            said.append(f"{'write' if gone else 'insert'} `{first.strip()}`{' …' if more else ''}")
        elif gone:
            said.append(f"delete `{content(views[done]).strip()}`" if gone == 1 else f"delete {gone} lines")
        if isinstance(op, Sub):
            old, new = op.old.strip(), op.new.strip()
            said.append(f"`{old}` → `{new}`" if old else f"insert `{new}`" if new else "change white space")
        done, written = op.end, ""
    return ", ".join(said) or "change nothing"
