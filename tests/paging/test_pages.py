"""Pages: what they show, how steady they are under edits, and programs over them."""

from __future__ import annotations

import itertools
import random

import pytest

from copydesk.errors import ScopeError
from copydesk.paging.layout import PageLayout
from copydesk.paging.page import SKIP_VIEW, Page
from copydesk.program import Copy, Gen, Op, Program, Sub, sub_span
from copydesk.prompting.edit_format import EditFormat
from copydesk.request import Range, normalise_scope
from copydesk.text.document import Change, Position, TextLines, split_lines, terminator, view_line

SMALL = EditFormat(page_lines=16, page_overlap=8, header_lines=3)
WARM = EditFormat(page_lines=64, page_overlap=32, warm_lines=20, header_lines=3)
DEFAULT = EditFormat()


def numbered(count: int, end: str = "\n") -> list[str]:
    return [f"line {n}{end}" for n in range(1, count + 1)]


def module(count: int) -> list[str]:
    return ["import a\n", "import b\n", "\n", *numbered(count)]


# -- what a page shows ---------------------------------------------------------------------------------------------


def test_a_page_shows_header_gap_and_window() -> None:
    page = Page.of(module(40), (20, 23), (1, 2), key=7)
    assert page.views == (
        "import a\n",
        "import b\n",
        SKIP_VIEW,
        "line 17\n",
        "line 18\n",
        "line 19\n",
        "line 20\n",
    )
    assert page.spans == ((1, 1), (2, 2), (3, 19), (20, 20), (21, 21), (22, 22), (23, 23))
    assert (page.header, page.skip, page.at_end, page.unterminated, page.key) == (2, 3, False, False, 7)


@pytest.mark.parametrize(
    ("window", "header", "spans", "skip"),
    [
        ((1, 3), (1, 2), [1, 2, 3], None),  # the window shows the imports itself
        ((3, 4), (1, 2), [1, 2, 3, 4], None),  # nothing is hidden between
        ((2, 3), (1, 2), [1, 2, 3], None),
        ((4, 5), (1, 2), [1, 2, (3, 3), 4, 5], 3),
        ((3, 4), None, [(1, 2), 3, 4], 1),
        ((3, 4), (6, 7), [(1, 2), 3, 4], 1),  # imports behind the window are no header
        ((5, 6), (2, 2), [2, (3, 4), 5, 6], 2),  # lines before the header are not shown at all
    ],
)
def test_gaps(window: Range, header: Range | None, spans: list[int | Range], skip: int | None) -> None:
    page = Page.of(numbered(9), window, header)
    assert list(page.spans) == [(s, s) if isinstance(s, int) else s for s in spans]
    assert page.skip == skip


def test_an_empty_document_has_an_empty_page() -> None:
    page = PageLayout([], DEFAULT, "python").page_for([(1, 0)])
    assert (len(page), page.at_end, page.unterminated, page.skip) == (0, True, False, None)
    assert page.to_page_scope([(1, 0)]) == [(1, 0)]
    assert page.to_document(Program((Gen("x\n"),)), []) == Program((Gen("x\n"),))


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ([(20, 21)], [(4, 5)]),
        ([(1, 1), (23, 23)], [(1, 1), (7, 7)]),
        ([(1, 0)], [(1, 0)]),  # before the first line
        ([(3, 2)], [(3, 2)]),  # between header and gap
        ([(20, 19)], [(4, 3)]),  # between gap and window
        ([(24, 23)], [(8, 7)]),  # behind the window
        ([(2, 3)], None),
        ([(19, 20)], None),
        ([(3, 3)], None),
        ([(10, 9)], None),
        ([(23, 24)], None),
        ([(25, 24)], None),
    ],
)
def test_scopes_on_a_page(scope: list[Range], expected: list[Range] | None) -> None:
    page = Page.of(module(40), (20, 23), (1, 2))
    if expected is None:
        assert not page.shows(scope)
        with pytest.raises(ScopeError, match="does not show"):
            page.to_page_scope(scope)
    else:
        assert page.to_page_scope(scope) == expected


# -- programs ------------------------------------------------------------------------------------------------------


def test_a_copy_across_the_gap_carries_the_hidden_lines() -> None:
    lines = module(40)
    page = Page.of(lines, (20, 23), (1, 2))
    program = Program((Copy(1, 2), Gen("import c\n"), Copy(3, 5), Gen("new\n"), Copy(7, 7)))
    expected = Program((Copy(1, 2), Gen("import c\n"), Copy(3, 21), Gen("new\n"), Copy(23, 43)))
    assert page.to_document(program, lines) == expected
    assert page.from_document(expected, lines) == program


def test_lines_before_and_behind_the_page_are_copied() -> None:
    lines = numbered(9)
    page = Page.of(lines, (5, 6), (2, 2))
    assert page.to_document(Program((Copy(1, 4),)), lines) == Program((Copy(1, 9),))
    program = Program((Gen("top\n"), Copy(1, 4)))
    assert page.to_document(program, lines) == Program((Copy(1, 1), Gen("top\n"), Copy(2, 9)))
    assert page.from_document(page.to_document(program, lines), lines) == program


def test_new_text_takes_the_terminators_it_replaces() -> None:
    lines = ["a\r\n", "b\n", "c\r", "d\r\n", "e"]
    page = Page.of(lines, (1, 5))
    program = Program((Copy(1, 1), Gen("x\ny\nz\n"), Copy(4, 4), Gen("end\n")))
    assert page.to_document(program, lines).ops == (Copy(1, 1), Gen("x\ny\rz\r"), Copy(4, 4), Gen("end\r\n"))


def test_a_sub_becomes_the_exact_slice() -> None:
    lines = ["one two\r\n", "three\r\n"]
    page = Page.of(lines, (1, 2))
    program = Program((Sub(1, 2, "two\nth", "2\n\nth"),))
    assert page.to_document(program, lines).ops == (Sub(1, 2, "two\r\nth", "2\r\n\r\nth"),)
    assert page.from_document(page.to_document(program, lines), lines) == program


@pytest.mark.parametrize(
    "ops",
    [
        (Copy(1, 9), Copy(11, 43)),  # deletes a hidden line
        (Copy(1, 9), Gen("x\n"), Copy(10, 43)),  # writes among them
        (Copy(1, 40), Copy(42, 43)),
        (Copy(1, 2), Copy(20, 43)),
        (Copy(1, 42),),
        (Copy(1, 43), Gen("x\n")),
        (),
    ],
)
def test_changes_outside_the_page_are_refused(ops: tuple[Op, ...]) -> None:
    lines = module(40)
    with pytest.raises(ScopeError):
        Page.of(lines, (20, 23), (1, 2)).from_document(Program(ops), lines)


def random_lines(rng: random.Random, count: int, ends: list[str]) -> list[str]:
    words = ["", "x", "é = 1", "    return a", "\x0b", "😀 b b", "</gen>"]
    lines = [rng.choice(words) + rng.choice(ends) for _ in range(count)]
    for k in range(1, count):  # a lone "\r" and a "\n" behind it would be one terminator
        if lines[k - 1].endswith("\r") and lines[k] == "\n":
            lines[k] = "x\n"
    if lines and rng.random() < 0.5:
        lines[-1] = "last"
    return lines


def random_scope(rng: random.Random, page: Page) -> list[Range]:
    """Ranges of a page that never hold its skip line."""
    ranges: list[Range] = []
    for _ in range(rng.randint(1, 3)):
        start = rng.randint(1, len(page) + 1)
        end = min(len(page), start + rng.randint(-1, 5))
        if page.skip is not None and start <= page.skip <= end:
            continue
        ranges.append((start, end))
    return [
        r for r in normalise_scope(ranges, len(page)) if page.skip is None or not r[0] <= page.skip <= r[1]
    ]


def random_text(rng: random.Random) -> str:
    return "".join(rng.choice(["new\n", "\n", "  y = 2\n", "é\n"]) for _ in range(rng.randint(1, 3)))


def random_program(rng: random.Random, page: Page, scope: list[Range]) -> Program:
    """A legal page program that changes only what `scope` opens."""
    ops: list[Op] = []
    gaps = {n for a, b in scope for n in range(a - 1, b + 1)}
    inside = {n for a, b in scope for n in range(a, b + 1)}
    count, n = len(page), 0
    while True:
        sealed = n == count and page.unterminated and bool(ops) and not isinstance(ops[-1], Gen)
        deleted = not ops or not isinstance(ops[-1], Copy | Sub) or ops[-1].end < n
        if n in gaps and not sealed and rng.random() < 0.5 and not (ops and isinstance(ops[-1], Gen)):
            text = random_text(rng)
            if n == count and page.unterminated and deleted and rng.random() < 0.5:
                text += "end"
            ops.append(Gen(text))
        n += 1
        if n > count:
            return Program(tuple(ops))
        choice = rng.random() if n in inside else 0.0
        if choice > 0.7:
            continue
        sub = random_sub(rng, page, n, inside) if choice > 0.3 else None
        if sub is not None:
            ops.append(sub)
            n = sub.end
        elif ops and isinstance(ops[-1], Copy) and ops[-1].end == n - 1:
            ops[-1] = Copy(ops[-1].start, n)
        else:
            ops.append(Copy(n, n))


def random_sub(rng: random.Random, page: Page, n: int, inside: set[int]) -> Sub | None:
    text = "".join(page.views[n - 1 : n + 1])
    begin = rng.randrange(len(page.views[n - 1]))
    old = text[begin : rng.randint(begin + 1, len(text))]
    found = sub_span(page.views, n, old)
    if found is None or found.end_line not in inside or (found.end_line == len(page) and page.unterminated):
        return None
    new = rng.choice(["z", "z\nq", "", "zz"]) + ("\n" if found.ends_line else "")
    return Sub(n, found.end_line, old, new)


def outside(lines: list[str], page: Page, scope: list[Range]) -> list[str]:
    """The exact text between the ranges of a page scope."""
    gaps = [
        (page.spans[a - 1][0] if a <= len(page) else page.last + 1, page.spans[b - 1][1] if b else 0)
        for a, b in scope
    ]
    pieces, done = [], 0
    for (a, b), (start, end) in zip(gaps, scope, strict=True):
        a = a if start <= end else (page.spans[end - 1][1] + 1 if end else page.first)
        pieces.append("".join(lines[done : a - 1]))
        done = b if start <= end else a - 1
    return [*pieces, "".join(lines[done:])]


def contains_in_order(text: str, pieces: list[str]) -> bool:
    if len(pieces) == 1:
        return text == pieces[0]
    if not text.startswith(pieces[0]) or not text.endswith(pieces[-1]):
        return False
    at, stop = len(pieces[0]), len(text) - len(pieces[-1])
    for piece in pieces[1:-1]:
        at = text.find(piece, at, stop)
        if at < 0:
            return False
        at += len(piece)
    return at <= stop


@pytest.mark.parametrize(
    "ends", [["\n"], ["\r\n"], ["\r"], ["\n", "\r\n", "\r"]], ids=["lf", "crlf", "cr", "mixed"]
)
def test_random_programs_change_nothing_outside_their_scope(ends: list[str]) -> None:
    rng = random.Random(0)
    for _ in range(400):
        lines = random_lines(rng, rng.randint(1, 30), ends)
        first = rng.randint(1, len(lines))
        header = (2, min(4, len(lines))) if rng.random() < 0.5 and len(lines) > 1 else None
        page = Page.of(lines, (first, rng.randint(first, len(lines))), header)
        scope = random_scope(rng, page)
        program = random_program(rng, page, scope)
        program.validate(page.views)
        exact = page.to_document(program, lines)
        result = exact.resolve("".join(lines))
        assert contains_in_order(result, outside(lines, page, scope)), (lines, page, scope, program)
        if len(ends) == 1 and any(map(terminator, lines)):
            assert {terminator(line) for line in split_lines(result)} <= {ends[0], ""}
            back = page.from_document(exact, lines)
            assert page.to_document(back, lines).resolve("".join(lines)) == result
            assert back.resolve("".join(page.views)) == program.resolve("".join(page.views))


# -- layouts -------------------------------------------------------------------------------------------------------


def check_layout(layout: PageLayout, lines: list[str], format: EditFormat) -> None:
    """Pages cover the document in order, overlap their neighbours, and fit the format."""
    longest = format.warm_lines or format.page_lines
    windows = [layout.window(key) for key in layout.keys]
    assert windows[0][0] == 1
    assert windows[-1][1] == len(lines)
    assert len(set(layout.keys)) == len(layout.keys)
    for (a, b), (c, d) in itertools.pairwise(windows):
        assert a < c <= b < d
    for first, last in windows:
        assert last - first + 1 <= longest
    if len(lines) <= longest:
        assert len(windows) == 1
    for key in layout.keys:
        assert len(layout.page(key)) <= format.numbers_needed


@pytest.mark.parametrize("count", [0, 1, 16, 17, 24, 25, 100, 1000])
def test_a_fresh_layout(count: int) -> None:
    lines = numbered(count)
    check_layout(PageLayout(lines, SMALL, "python"), lines, SMALL)
    check_layout(PageLayout(lines, DEFAULT, "python"), lines, DEFAULT)
    check_layout(PageLayout(lines, WARM, "python"), lines, WARM)


def test_default_pages_of_a_long_file() -> None:
    layout = PageLayout(numbered(280), DEFAULT, "python")
    assert [layout.window(k) for k in layout.keys][:3] == [(1, 56), (29, 84), (57, 112)]
    assert layout.keys_near(30, 60) == layout.keys[:3]
    assert layout.keys_near(280, 280) == layout.keys[-1:]


@pytest.mark.parametrize(
    ("scope", "window"),
    [
        ([(100, 104)], None),  # a warm page shows it
        ([(100, 119)], (95, 124)),  # as many lines as a warm page has: half as many more round them
        ([(100, 149)], (95, 154)),
        ([(100, 159)], (98, 161)),  # no more than a page may have
        ([(1, 40)], (1, 50)),
        ([(261, 280)], (251, 280)),
    ],
)
def test_what_no_warm_page_shows_gets_a_page_of_its_own(
    scope: list[tuple[int, int]], window: tuple[int, int] | None
) -> None:
    page = PageLayout(numbered(280), WARM, "python").page_for(scope)
    assert page.shows(scope)
    if window is None:
        assert page.key is not None
    else:
        assert page.key is None
        shown = [span for span in page.spans if span[0] == span[1]]
        assert (shown[0][0], shown[-1][1]) == window


def test_more_than_a_page_is_no_scope() -> None:
    with pytest.raises(ScopeError, match="at most 64 lines at once"):
        PageLayout(numbered(280), WARM, "python").page_for([(100, 164)])


@pytest.mark.parametrize(
    "format", [SMALL, DEFAULT, WARM, EditFormat(page_lines=2, page_overlap=0, header_lines=1)]
)
def test_random_edits(format: EditFormat) -> None:
    """What a splice does not report has not changed; keys are never used again; the layout stays legal."""
    rng = random.Random(1)
    for _ in range(12):
        document = TextLines("".join(module(rng.randint(0, 150))))
        layout = PageLayout(document.lines, format, "python")
        retired: set[int] = set()
        for _ in range(60):
            pages = {key: layout.page(key) for key in layout.keys}
            start = rng.randint(0, len(document) + 1)
            if rng.random() < 0.2:
                start = rng.randint(0, 4)
            end = start + rng.choice([0, 0, 0, 1, 2, rng.randint(0, 60)])
            text = rng.choice(["", "x", "\n", "y = 1\n", "import c\n", "z\n" * rng.randint(1, 40)])
            change = document.splice(Position(start, 0), Position(end, rng.choice([0, 3])), text)
            result = layout.splice(change, document.lines)
            check_layout(layout, document.lines, format)
            now = set(layout.keys)
            assert set(result.died) == pages.keys() - now
            assert set(result.appeared) == now - pages.keys()
            assert set(result.changed) <= pages.keys() & now
            assert not now & retired
            retired |= set(result.died)
            for key in now & pages.keys() - set(result.changed):
                assert layout.page(key).views == pages[key].views
                assert layout.page(key).at_end == pages[key].at_end
                assert layout.page(key).unterminated == pages[key].unterminated


@pytest.mark.parametrize("count", [1_000, 100_000])
def test_typing_touches_the_pages_around_the_cursor(count: int) -> None:
    document = TextLines("".join(module(count)))
    layout = PageLayout(document.lines, DEFAULT, "python")
    keys = layout.keys
    for k in range(60):
        change = document.splice(Position(500 + k, 0), Position(500 + k, 0), f"typed {k}\n")
        result = layout.splice(change, document.lines)
        assert len(result.changed) + len(result.appeared) <= 4
        assert len(result.died) <= 1
    assert len(set(keys) & set(layout.keys)) >= len(keys) - 2


def test_a_change_of_the_header_marks_all_pages() -> None:
    document = TextLines("".join(module(300)))
    layout = PageLayout(document.lines, DEFAULT, "python")
    change = document.splice(Position(1, 0), Position(1, 0), "import z\n")
    assert list(layout.splice(change, document.lines).changed) == layout.keys
    # Imports that move, but read the same, change no header.
    change = document.splice(Position(0, 0), Position(0, 0), "# a comment\n")
    assert len(layout.splice(change, document.lines).changed) == 1
    assert layout.header == (2, 4)


def test_lines_replaced_in_place_move_no_page() -> None:
    lines = numbered(300)
    layout = PageLayout(lines, DEFAULT, "python")
    windows = [layout.window(k) for k in layout.keys]
    result = layout.splice(Change(0, 300, 300), [line.upper() for line in lines])
    assert [layout.window(k) for k in layout.keys] == windows
    assert list(result.changed) == layout.keys


def test_page_for_takes_the_page_with_most_context() -> None:
    layout = PageLayout(numbered(280), DEFAULT, "python")
    for line in range(1, 281):
        page = layout.page_for([(line, line)])
        assert page.key is not None
        first, last = layout.window(page.key)
        assert line - first >= 14 or first == 1
        assert last - line >= 13 or last == 280


def test_page_for_insertion_points_and_the_ends() -> None:
    layout = PageLayout(numbered(280), DEFAULT, "python")
    assert layout.page_for([(1, 0)]).to_page_scope([(1, 0)]) == [(1, 0)]
    end = layout.page_for([(281, 280)])
    assert end.at_end
    assert end.to_page_scope([(281, 280)]) == [(len(end) + 1, len(end))]
    with pytest.raises(ScopeError, match="281"):
        layout.page_for([(281, 281)])


def test_imports_and_a_far_line_fit_one_page() -> None:
    layout = PageLayout(module(280), DEFAULT, "python")
    page = layout.page_for([(1, 2), (200, 203)])
    assert page.key is not None
    assert page.header == 2
    assert page.to_page_scope([(1, 2)]) == [(1, 2)]


def test_a_scope_between_pages_gets_a_cold_one() -> None:
    layout = PageLayout(module(280), DEFAULT, "python")
    for scope in (
        [(100, 160)],
        [(1, 2), (100, 160)],
        [(100, 100), (163, 163)],
        [(1, 2), (101, 100), (165, 164)],
    ):
        page = layout.page_for(scope)
        assert page.key is None
        assert page.shows(scope)
        assert len(page) <= DEFAULT.numbers_needed
    centred = layout.page_for([(100, 159)])
    assert (centred.spans[3][0], centred.last) == (98, 161)
    with pytest.raises(ScopeError, match="at most 64 lines at once"):
        layout.page_for([(100, 164)])
    with pytest.raises(ScopeError, match="lines 1-2 and line 100 and line 200"):
        layout.page_for([(1, 2), (100, 100), (200, 200)])


@pytest.mark.parametrize(
    "scope",
    [
        [(100, 104), (200, 203)],
        [(101, 100), (200, 200)],
        [(50, 60), (62, 61), (250, 252)],
        [(60, 60), (250, 250), (284, 283)],
        [(40, 70), (250, 281)],
        [(1, 1), (284, 283)],
    ],
)
def test_two_far_places_fit_one_page(scope: list[Range]) -> None:
    """Behind the imports, or without any: what comes first stands where they would."""
    for lines in (module(280), numbered(283)):
        page = PageLayout(lines, DEFAULT, "python").page_for(scope)
        assert page.shows(scope)
        assert len(page) <= DEFAULT.page_lines
        ops = [Copy(1, scope[0][0] - 1)] if scope[0][0] > 1 else []
        program = Program((*ops, Gen("new\n"), Copy(max(scope[0]), 283)))
        assert page.to_document(page.from_document(program, lines), lines) == program


def test_two_far_places_of_more_than_a_page() -> None:
    layout = PageLayout(numbered(280), DEFAULT, "python")
    with pytest.raises(ScopeError):
        layout.page_for([(40, 72), (250, 281)])


def test_a_long_scope_divides_into_scopes_that_fit() -> None:
    layout = PageLayout(module(280), DEFAULT, "python")
    parts = layout.divide([(1, 200), (250, 249), (284, 283)])
    assert all(layout.page_for(part).key is not None for part in parts)
    assert normalise_scope([r for part in parts for r in part], 283) == [(1, 200), (250, 249), (284, 283)]


def test_views_are_what_models_see() -> None:
    lines = ["a\r\n", "b\r", "c\x0c\n", "d"]
    page = PageLayout(lines, DEFAULT, "python").page_for([(2, 2)])
    assert page.views == tuple(map(view_line, lines)) == ("a\n", "b\n", "c\x0c\n", "d")
    assert page.unterminated


class Searched(list[int]):
    """Counts how often a place is searched for in it."""

    searches = 0

    def index(self, *arguments: int) -> int:  # type: ignore[override]
        Searched.searches += 1
        return super().index(*arguments)


def test_many_pages_at_once_are_placed_in_one_pass() -> None:
    """A search for each would take minutes for a million lines."""
    document = TextLines("x\n")
    layout = PageLayout(document.lines, SMALL, "python")
    layout._ids = Searched(layout._ids)
    change = document.splice(Position(0, 0), Position(1, 0), "x\n" * 4000)
    result = layout.splice(change, document.lines)
    assert len(result.appeared) > 200
    assert Searched.searches < 10
