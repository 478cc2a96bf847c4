r"""The printed form of programs: printing, parsing, and the escaping that lets a body hold any text.

    <program>
    <copy lines="1-12"/>
    <gen>
    any lines
    </gen>
    <sub lines="14-14"><old>==</old><new>is</new></sub>
    </program>

Bodies keep their own terminators and are not indented. A gen body without a final newline is followed directly by `</gen>`. Any
white space is accepted between elements. Whether the program is legal for a document is not checked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NoReturn

from copydesk.errors import ProgramSyntaxError
from copydesk.program.ops import Copy, Gen, Op, Sub
from copydesk.text.document import split_lines

_TAGS = r"(?:/(?:gen|sub|old|new)>|noeol/>)"
_ESCAPABLE = re.compile(rf"<(\\*{_TAGS})")
_ESCAPED = re.compile(rf"<\\(\\*{_TAGS})")
_RAW = re.compile(rf"<{_TAGS}")

_SPACE = re.compile(r"[ \t\r\n]*")
_COPY = re.compile(r'<copy lines="([0-9]{1,9})-([0-9]{1,9})"/>')
_SUB = re.compile(r'<sub lines="([0-9]{1,9})-([0-9]{1,9})">')


def escape(text: str) -> str:
    r"""`text` without any of the tags that could end a body.

    `<`, k backslashes and one of `/gen>`, `/sub>`, `/old>`, `/new>`, `noeol/>` become the same with k+1
    backslashes. A bijection from all texts to those that hold none of these tags raw (k = 0).
    """
    return _ESCAPABLE.sub(r"<\\\1", text) if "<" in text else text


def unescape(text: str) -> str:
    """The inverse of `escape`."""
    return _ESCAPED.sub(r"<\1", text) if "<" in text else text


def print_ops(ops: Iterable[Op]) -> str:
    """The printed form, ending in a newline."""
    parts = ["<program>\n"]
    for op in ops:
        match op:
            case Copy(start, end):
                parts.append(f'<copy lines="{start}-{end}"/>\n')
            case Gen(text):
                parts.append(f"<gen>\n{escape(text)}</gen>\n")
            case Sub(start, end, old, new):
                parts.append(
                    f'<sub lines="{start}-{end}"><old>{escape(old)}</old><new>{escape(new)}</new></sub>\n'
                )
    parts.append("</program>\n")
    return "".join(parts)


def parse_ops(text: str) -> tuple[Op, ...]:
    """The ops of a printed program.

    Raises ProgramSyntaxError with the 1-based line and column (in characters) where parsing stopped. Line ranges
    are not checked.
    """
    reader = _Reader(text)
    reader.space()
    reader.expect("<program>")
    ops: list[Op] = []
    while True:
        reader.space()
        if reader.take("</program>"):
            break
        ops.append(reader.op())
    reader.space()
    if reader.at < len(text):
        reader.fail("text after </program>")
    return tuple(ops)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def space(self) -> None:
        found = _SPACE.match(self.text, self.at)
        assert found is not None  # the pattern matches the empty text
        self.at = found.end()

    def take(self, literal: str) -> bool:
        if not self.text.startswith(literal, self.at):
            return False
        self.at += len(literal)
        return True

    def expect(self, literal: str) -> None:
        if not self.take(literal):
            self.fail(f"expected {literal!r}")

    def op(self) -> Op:
        if found := _COPY.match(self.text, self.at):
            self.at = found.end()
            return Copy(int(found[1]), int(found[2]))
        if found := _SUB.match(self.text, self.at):
            self.at = found.end()
            self.expect("<old>")
            old = self.body("</old>")
            self.expect("<new>")
            new = self.body("</new>")
            self.expect("</sub>")
            return Sub(int(found[1]), int(found[2]), old, new)
        if self.take("<gen>"):
            self.expect("\n")
            return Gen(self.body("</gen>"))
        if self.text.startswith("<copy", self.at):
            self.fail('expected <copy lines="I-J"/>')
        if self.text.startswith("<sub", self.at):
            self.fail('expected <sub lines="I-J">')
        return self.fail("expected <copy …/>, <gen>, <sub …> or </program>")

    def body(self, close: str) -> str:
        end = self.text.find(close, self.at)
        if end < 0:
            self.fail(f"no {close} follows")
        if raw := _RAW.search(self.text, self.at, end):
            self.at = raw.start()
            self.fail(f"{raw[0]} inside a body; write it <\\{raw[0][1:]}")
        text = unescape(self.text[self.at : end])
        self.at = end + len(close)
        return text

    def fail(self, reason: str) -> NoReturn:
        lines = split_lines(self.text[: self.at])
        if not lines or lines[-1].endswith(("\n", "\r")):
            lines.append("")
        raise ProgramSyntaxError(reason, len(lines), len(lines[-1]) + 1)
