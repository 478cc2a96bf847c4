"""The mirror of the client's documents: equal to the client's text after any changes, in every encoding."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lsprotocol import types

from copydesk.text.document import Change, Encoding, Position, TextEdit, TextLines
from copydesk_server.lsp.documents import REMEMBERED, Documents, OpenDocument
from copydesk_server.lsp.message_types import converter
from copydesk_server.lsp.rebase import move_range
from copydesk_server.lsp.uris import name_of, path_of, scheme_of, uri_of
from lsp_client import BARE, LspClient, ResponseError

CONVERTER = converter()
CHANGES = 34
EXAMPLES = 100  # 3 encodings × 100 × 34 > 10,000 changes
ENCODINGS = tuple(Encoding)
UNIT = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}

PIECES = [
    "", "x", "ab", "\n", "\r\n", "\r", "\f", "\x0b", "\x1c", "\u2028", "\x85", "é", "ß\n", "😀", "👩‍👩‍👧",
    "\n\n", "a\rb", "a\r\nb\r\n", "\r\r\n", "\n\r", "def f():\n    pass\n", "日本\r語", "\t", "\ufeff", "𝒳\r\n𝒴",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
CHANGE = st.tuples(
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.sampled_from([*PIECES, *PIECES, "".join(PIECES)]),
    st.sampled_from(["range"] * 12 + ["whole", "far", "turned"]),
)


# -- a client, written without any of copydesk's code ------------------------------------------------------------------


class Client:
    """Text as one string, and positions by counting."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self.codec, self.size = UNIT[encoding]

    def units(self, text: str) -> int:
        return len(text.encode(self.codec)) // self.size

    def position(self, offset: int) -> dict[str, int]:
        if 0 < offset < len(self.text) and self.text[offset - 1 : offset + 1] == "\r\n":
            offset -= 1  # no position lies between the two
        head = self.text[:offset]
        ends = [match.end() for match in re.finditer("\r\n|\n|\r", head)]
        return {"line": len(ends), "character": self.units(head[ends[-1] if ends else 0 :])}

    def change(self, a: int, b: int, new: str, how: str) -> dict[str, Any]:
        """A change as LSP has it, applied to this text."""
        if how == "whole":
            self.text = new
            return {"text": new}
        start, end = sorted((a % (len(self.text) + 1), b % (len(self.text) + 1)))
        if end - start > 20:
            end = start + 20
        start, end = self.snap(start), self.snap(end)
        span = {"start": self.position(start), "end": self.position(end)}
        if how == "far":  # a character beyond its line, a line beyond the document
            end = self.line_end(start)
            span["end"] = {"line": span["start"]["line"], "character": 2**31 - 1}
            if b % 2:
                end = len(self.text)
                span["end"] = {"line": 2**31 - 1, "character": a}
        if how == "turned" and start != end:
            span = {"start": span["end"], "end": span["start"]}
        self.text = self.text[:start] + new + self.text[end:]
        return {"range": span, "text": new}

    def snap(self, offset: int) -> int:
        return offset - 1 if self.text[max(0, offset - 1) : offset + 1] == "\r\n" else offset

    def line_end(self, offset: int) -> int:
        match = re.compile("[\r\n]").search(self.text, offset)
        return match.start() if match is not None else len(self.text)


def did_change(uri: str, version: int, changes: list[dict[str, Any]]) -> types.DidChangeTextDocumentParams:
    message = {
        "jsonrpc": "2.0",
        "method": "textDocument/didChange",
        "params": {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes},
    }
    return CONVERTER.structure(message, types.DidChangeTextDocumentNotification).params


class Follower:
    """A second mirror, fed with what listeners are told; it also knows which lines were never touched."""

    def __init__(self, documents: Documents) -> None:
        self.encoding = documents.encoding
        self.told: list[str] = []
        documents.subscribe(self.opened, self.changed, self.closed)

    def opened(self, document: OpenDocument) -> None:
        self.told.append("open")
        self.lines = TextLines(document.lines.text)
        self.first = list(document.lines.lines)
        self.origin: list[int | None] = list(range(len(self.first)))

    def changed(self, document: OpenDocument, changes: list[Change], edits: list[TextEdit]) -> None:
        self.told.append("change")
        for edit in edits:
            self.lines.splice(edit.start, edit.end, edit.new_text, self.encoding)
        for change in changes:
            self.origin[change.first : change.old_end] = [None] * change.new_count
        assert self.lines.lines == document.lines.lines
        assert len(self.origin) == len(document.lines)
        for line, origin in zip(document.lines.lines, self.origin, strict=True):
            assert origin is None or line == self.first[origin]

    def closed(self, _: OpenDocument) -> None:
        self.told.append("close")


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(
    text=TEXTS,
    changes=st.lists(CHANGE, min_size=CHANGES, max_size=CHANGES),
    sizes=st.lists(st.integers(1, 4), min_size=1),
)
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_mirror_equals_the_clients_text(
    encoding: Encoding, text: str, changes: list[Any], sizes: list[int]
) -> None:
    documents = Documents(encoding)
    follower = Follower(documents)
    client = Client(text, encoding.value)
    documents.open(types.TextDocumentItem("file:///a.py", "python", 1, text))
    document = documents.get("file:///a.py")
    assert document is not None
    version = 1
    for group in groups(changes, sizes):
        version += 1
        params = did_change(
            "file:///a.py", version, [client.change(a, b, new, how) for a, b, new, how in group]
        )
        documents.change(params.text_document.uri, params.text_document.version, params.content_changes)
        assert document.lines.text == client.text
        assert document.version == version
    assert document.lines.lines == TextLines(client.text).lines
    assert document.size.bytes == len(client.text.encode("utf-8", "surrogatepass"))
    total = document.changes_since(1)
    assert total is not None
    length = len(follower.first)
    for change in total:
        length += change.new_count - (change.old_end - change.first)
    assert length == len(document.lines)
    documents.close("file:///a.py")
    assert documents.get("file:///a.py") is None
    assert follower.told == ["open", *["change"] * (version - 1), "close"]


def groups(changes: list[Any], sizes: list[int]) -> Iterator[list[Any]]:
    left = iter(changes)
    for size in itertools.cycle(sizes):
        group = list(itertools.islice(left, size))
        if not group:
            return
        yield group


# -- versions ----------------------------------------------------------------------------------------------------------


def opened(text: str = "a\nb\nc\n") -> tuple[Documents, OpenDocument]:
    documents = Documents(Encoding.UTF16)
    documents.open(types.TextDocumentItem("untitled:Untitled-1", "python", 5, text))
    document = documents.get("untitled:Untitled-1")
    assert document is not None
    return documents, document


def put(documents: Documents, document: OpenDocument, version: int, line: int, new: str) -> None:
    at = {"line": line, "character": 0}
    params = did_change(document.uri, version, [{"range": {"start": at, "end": at}, "text": new}])
    documents.change(params.text_document.uri, params.text_document.version, params.content_changes)


def test_changes_since_a_version() -> None:
    documents, document = opened()
    put(documents, document, 6, 0, "x\n")
    put(documents, document, 9, 2, "y")
    assert document.changes_since(9) == []
    assert document.changes_since(6) == [Change(2, 3, 1)]
    assert document.changes_since(5) == [Change(0, 0, 1), Change(2, 3, 1)]
    assert document.changes_since(4) is None
    assert document.changes_since(7) is None  # the client never had such a version
    assert document.changes_since(10) is None


def test_changes_are_forgotten_at_last_and_not_before() -> None:
    documents, document = opened()
    for version in range(6, 6 + REMEMBERED):
        put(documents, document, version, 0, "x")
    assert len(document.changes_since(5) or ()) == REMEMBERED >= 256
    put(documents, document, 6 + REMEMBERED, 0, "x")
    assert document.changes_since(5) is None
    assert len(document.changes_since(6) or ()) == REMEMBERED


def test_a_whole_text_that_is_nearly_the_same_is_a_small_change() -> None:
    documents, document = opened("a\nb\nc\nd")
    edits: list[TextEdit] = []
    documents.subscribe(lambda _: None, lambda _document, _changes, more: edits.extend(more), lambda _: None)
    params = did_change(document.uri, 6, [{"text": "a\nB\nc\nd"}])
    documents.change(document.uri, 6, params.content_changes)
    assert document.changes_since(5) == [Change(1, 2, 1)]
    assert edits == [TextEdit(Position(1, 0), Position(2, 0), "B\n")]


# -- which documents ---------------------------------------------------------------------------------------------------


def test_only_what_a_person_edits_is_mirrored() -> None:
    documents = Documents(Encoding.UTF8)
    follower = Follower(documents)
    for uri in ("git:/a.py?ref", "vscode-notebook-cell:/a.ipynb#1", "output:tasks", "nothing"):
        documents.open(types.TextDocumentItem(uri, "python", 1, "x"))
        documents.change(uri, 2, [types.TextDocumentContentChangeWholeDocument("y")])
        documents.close(uri)
    assert follower.told == []
    assert len(documents) == 0


def test_what_is_opened_again_is_another_document() -> None:
    documents = Documents(Encoding.UTF8)
    follower = Follower(documents)
    first = types.TextDocumentItem("file:///a.py", "python", 1, "x")
    documents.open(first)
    one = documents.get(first.uri)
    documents.open(types.TextDocumentItem("file:///a.py", "python", 1, "y"))
    two = documents.get(first.uri)
    assert one is not None
    assert two is not None
    assert one.id != two.id
    assert two.lines.text == "y"
    assert follower.told == ["open", "close", "open"]


@pytest.mark.parametrize(
    ("uri", "scheme", "path", "name"),
    [
        ("file:///a/b%20c.py", "file", "/a/b c.py", "b c.py"),
        ("file://localhost/a.py", "file", "/a.py", "a.py"),
        ("FILE:///a.py", "file", "/a.py", "a.py"),
        ("file:///a%23b%3Fc.py", "file", "/a#b?c.py", "a#b?c.py"),
        ("file://server/share/a.py", "file", None, "a.py"),
        ("file:///a%00.py", "file", None, "a\0.py"),
        ("untitled:Untitled-1", "untitled", None, "Untitled-1"),
        ("untitled:/x/new.py", "untitled", None, "new.py"),
        ("http://[", "http", None, "["),
        ("no scheme", "", None, "no scheme"),
    ],
)
def test_uris(uri: str, scheme: str, path: str | None, name: str) -> None:
    assert scheme_of(uri) == scheme
    assert path_of(uri) == (Path(path) if path is not None else None)
    assert name_of(uri) == name


@given(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1).filter(
        lambda s: s.strip("/.")
    )
)
def test_paths_come_back_from_their_uris(name: str) -> None:
    path = Path("/") / name
    assert path_of(uri_of(path)) == path


# -- all the way to the engine -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", [e.value for e in ENCODINGS])
def test_the_engines_text_is_the_clients(encoding: str) -> None:
    """Through stdio, the mirror, and the pipe to the engine's process."""
    moves = itertools.cycle([7, 3, 11, 2, 5])
    with LspClient() as server:
        server.initialize(BARE, encodings=[encoding])
        server.settings = None
        client = Client("a😀é\r\nb\rc\f\nd", encoding)
        uri = server.open("untitled:Untitled-1", client.text)
        for number in range(60):
            piece = PIECES[number % len(PIECES)]
            how = "whole" if number == 40 else "far" if number % 9 == 8 else "range"
            change = client.change(number * next(moves), number * next(moves) + 1, piece, how)
            server.change(uri, change)
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
        identifier = {"uri": uri, "version": server.versions[uri]}
        answer = server.request(
            "copydesk/edit", {"textDocument": identifier, "range": whole, "instruction": "text"}
        )
        assert answer["reason"] == client.text
        server.close(uri)
        with pytest.raises(ResponseError) as error:
            server.request(
                "copydesk/edit", {"textDocument": identifier, "range": whole, "instruction": "text"}
            )
        assert error.value.code == -32801


def test_a_document_too_large_to_mirror_is_forgotten_until_its_whole_text_comes_again() -> None:
    documents = Documents(Encoding.UTF8, lambda uri: 10)
    documents.open(types.TextDocumentItem("file:///a.py", "python", 1, "a\nb\n"))
    document = documents.get("file:///a.py")
    assert document is not None
    documents.change(document.uri, 2, [partial((1, 0), (1, 0), "too long for it\n")])
    assert (document.forgotten, document.lines.lines, document.size.bytes) == (True, [], 20)
    documents.change(document.uri, 3, [partial((0, 0), (9, 0), "")])
    assert document.forgotten
    documents.change(
        document.uri, 4, [types.TextDocumentContentChangeWholeDocument("c\n"), partial((1, 0), (1, 0), "d\n")]
    )
    assert (document.forgotten, document.lines.lines, document.size.bytes) == (False, ["c\n", "d\n"], 4)
    documents.change(document.uri, 5, [types.TextDocumentContentChangeWholeDocument("too long for it\n")])
    assert document.forgotten
    documents.open(types.TextDocumentItem(document.uri, "python", 6, "far too long for it\n"))
    again = documents.get(document.uri)
    assert again is not None
    assert again.forgotten


def test_who_follows_a_document_sees_that_a_forgotten_text_went_and_another_came() -> None:
    documents = Documents(Encoding.UTF8, lambda uri: 10)
    documents.open(types.TextDocumentItem("file:///a.py", "python", 1, "a\nb\n"))
    document = documents.get("file:///a.py")
    assert document is not None
    whole = types.TextDocumentContentChangeWholeDocument
    documents.change(document.uri, 2, [whole("too long for it\n")])
    documents.change(document.uri, 3, [whole("a\nb\n")])
    changes = document.changes_since(1)
    assert changes is not None
    assert move_range((1, 1), changes) is None
    assert move_range((2, 2), changes) is None


def partial(
    start: tuple[int, int], end: tuple[int, int], text: str
) -> types.TextDocumentContentChangePartial:
    span = types.Range(types.Position(*start), types.Position(*end))
    return types.TextDocumentContentChangePartial(span, text)
