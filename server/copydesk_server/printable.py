"""Text and file names that cannot move the cursor or speak to the terminal.

Knows characters; nothing of terminals or files.
"""

from __future__ import annotations

_TAB = 4
# Bidirectional overrides reorder what a person reads (CVE-2021-42574), so they are never passed on.
_DIRECTION = frozenset({0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)})
_NAMED = dict(zip('\a\b\t\n\v\f\r"\\', 'abtnvfr"\\', strict=True))


def printable(text: str) -> str:
    """Control characters become their pictures; line breaks are left out."""
    shown = []
    for char in text:
        code = ord(char)
        if char == "\n":
            continue
        if char == "\t":
            shown.append(" " * _TAB)
        elif code < 0x20:
            shown.append(chr(0x2400 + code))
        elif code == 0x7F:
            shown.append("\u2421")
        elif _speaks(char):
            shown.append("\ufffd")
        else:
            shown.append(char)
    return "".join(shown)


def one_line(message: str) -> str:
    """A message for a terminal, its line breaks as spaces."""
    return " ".join(printable(line) for line in message.split("\n"))


def shown_name(name: str) -> str:
    """A file name as people read it: as it is, or quoted as git quotes where it holds control characters."""
    return _quoted(name) if any(map(_speaks, name)) else name


def header_name(name: str) -> str:
    r"""A file name in a diff's header: `a/x`, or `"a/x\033[2J"`, which git and GNU patch read back."""
    return _quoted(name) if any(_speaks(char) or char in '"\\' for char in name) else name


def _quoted(name: str) -> str:
    """In C's way: `\\n`, and bytes in octal."""
    out = []
    for char in name:
        if char in _NAMED:
            out.append("\\" + _NAMED[char])
        elif _speaks(char):
            out += [f"\\{byte:03o}" for byte in _bytes(char)]
        else:
            out.append(char)
    return f'"{"".join(out)}"'


def _bytes(char: str) -> bytes:
    try:
        return char.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return char.encode("utf-8", "surrogatepass")


def _speaks(char: str) -> bool:
    code = ord(char)
    return (
        code < 0x20
        or 0x7F <= code < 0xA0
        or 0xD800 <= code < 0xE000
        or code in _DIRECTION
        or code in (0x2028, 0x2029)
    )
