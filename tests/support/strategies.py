"""Texts for property tests: every line break there is, those that are none for LSP, and characters of every width."""

from __future__ import annotations

from hypothesis import strategies as st

from copydesk.text.document import Position

BREAKS = ("\n", "\r\n", "\r")
"""What LSP breaks lines at."""
NOT_BREAKS = ("\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
"""Where `str.splitlines` breaks too and LSP does not."""
WIDE = ("é", "漢", "😀", "𝒳", "e\u0301", "\ufeff", "\U0010ffff")
"""Two, three and four bytes in UTF-8, one and two units in UTF-16, a combining character, a BOM."""
TAGS = (
    "</gen>",
    "<\\/gen>",
    "<\\\\/new>",
    "</old>",
    "</sub>",
    "<noeol/>",
    "<\\noeol/>",
    "<program>",
    "<gen>\n",
    "<L7>",
)
"""What programs are written with, as data."""

ENCODINGS = ("utf-8", "utf-16", "utf-32")


def texts(max_parts: int = 24) -> st.SearchStrategy[str]:
    """Arbitrary text in which line breaks, near line breaks, wide characters and tags are frequent; often repetitive, often
    without final newline, sometimes empty, sometimes with a BOM."""
    part = st.one_of(
        st.sampled_from(BREAKS),
        st.sampled_from(BREAKS),
        st.sampled_from(("a", "b", " ", "ab", "x = 1")),
        st.sampled_from(NOT_BREAKS + WIDE + TAGS),
        st.text(st.characters(codec="utf-8"), max_size=4),
    )
    body = st.lists(part, max_size=max_parts).map("".join)
    return st.tuples(st.sampled_from(("", "", "", "\ufeff")), body).map("".join)


def lines(max_lines: int = 12) -> st.SearchStrategy[str]:
    """Text of a few short lines over a small alphabet, so that equal and nearly equal lines abound."""
    word = st.sampled_from(("a", "b", "foo(", ")", " ", "    ", "==", "é"))
    content = st.lists(word, max_size=5).map("".join)
    line = st.tuples(content, st.sampled_from(("\n", "\n", "\n", "\r\n", "\r"))).map("".join)
    last = st.one_of(st.just(""), content)
    return st.tuples(st.lists(line, max_size=max_lines).map("".join), last).map("".join)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """(before, after): unrelated, or the second a few splices away from the first."""
    source = draw(st.sampled_from((texts, lines)))
    before = draw(source())
    if draw(st.booleans()):
        return before, draw(source())
    after = before
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(after)))
        end = draw(st.integers(start, min(len(after), start + 12)))
        after = after[:start] + draw(source(4)) + after[end:]
    return before, after


def positions() -> st.SearchStrategy[Position]:
    """Positions in and beyond a small document."""
    return st.builds(Position, st.integers(0, 14), st.integers(0, 20))
