"""Instructions about the words in comments, docstrings and messages: say it otherwise, spell it right."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from copydesk_training.defects.broken import Edit
from copydesk_training.defects.instructed.places import single, standard
from copydesk_training.defects.instructed.task import Task, varied
from copydesk_training.defects.parsed import FunctionNode, ParsedFile
from copydesk_training.defects.revision import documented
from copydesk_training.defects.typos import typo

_PLAIN = re.compile(r"""(["'])(?!\1\1)([^\\\n{}%]{8,90})\1""")
_WORD = re.compile(r"(?<![\w.'-])[a-z]{5,}(?![\w.(=-])")
_SPEAKING = (
    "print",
    "warn",
    "error",
    "info",
    "debug",
    "exception",
    "warning",
    "log",
    "write",
    "fail",
    "exit",
    "message",
)


class Words(NamedTuple):
    """A text in a function: its offsets without quotes and marks, and what people call it."""

    function: FunctionNode
    start: int
    end: int
    where: str


def _texts(file: ParsedFile) -> Iterator[Words]:
    by_line: dict[int, FunctionNode] = {}
    for function in file.functions:
        if standard(function):
            by_line.update(dict.fromkeys(range(function.lineno, (function.end_lineno or 0) + 1), function))
            first = function.body[0]
            if documented(function) and isinstance(first, ast.Expr) and single(first):
                yield Words(function, *_inside(file, file.start(first), file.end(first), 3), "docstring")
    for token in file.tokens:
        if token.type == tokenize.COMMENT and (line := file.line_at(token.start)) in by_line:
            text = token.string.lstrip("#: ")
            if len(text) > 10 and " " in text:
                yield Words(by_line[line], token.end - len(text), token.end, "comment")
    for node in file.of(ast.Constant):
        function_of = file.function_of(node)
        if (
            not isinstance(node.value, str)
            or function_of is None
            or not standard(function_of)
            or file.in_fstring(node)
        ):
            continue
        if not single(node) or not _PLAIN.fullmatch(file.source(node)) or " " not in node.value:
            continue
        outer = file.parent(node)
        called = outer.func if isinstance(outer, ast.Call) else None
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        raised = any(
            isinstance(a, ast.Raise) for a in (outer, file.parent(outer) if outer is not None else None)
        )
        if raised or name.lower() in _SPEAKING:
            where = "error message" if raised else "message"
            yield Words(function_of, *_inside(file, file.start(node), file.end(node), 1), where)


def _inside(file: ParsedFile, start: int, end: int, quotes: int) -> tuple[int, int]:
    while file.text[start] not in "\"'":
        start += 1
    return start + quotes, end - quotes


# -- other words -----------------------------------------------------------------------------------------------

_SAID = (
    ("cannot", "can not"), ("can't", "cannot"), ("must be", "has to be"), ("must be", "should be"), ("invalid", "bad"),
    ("invalid", "malformed"), ("unknown", "unrecognised"), ("unexpected", "unknown"), ("missing", "absent"),
    ("not found", "does not exist"), ("failed", "did not succeed"), ("failed", "went wrong"), ("error", "failure"),
    ("error", "problem"), ("return", "give"), ("returns", "yields"), ("Return", "Give back"), ("Returns", "Gives"),
    ("file", "document"), ("file", "path"), ("argument", "parameter"), ("argument", "value"), ("value", "number"),
    ("expected", "required"), ("already", "still"), ("support", "handle"), ("supported", "allowed"), ("required", "needed"),
    ("object", "instance"), ("list", "sequence"), ("string", "text"), ("check", "test"), ("Check", "See"), ("name", "label"),
    ("given", "passed"), ("number", "count"), ("line", "row"), ("use", "take"), ("This", "It"), ("data", "content"),
    ("set", "collection"), ("type", "kind"), ("method", "function"), ("the", "this"), ("the", "our"), ("a", "one"),
    ("if", "when"), ("If", "When"), ("all", "every one of the"), ("make sure", "ensure"), ("Make sure", "Ensure"),
    ("get", "fetch"), ("read", "load"), ("write", "store"), ("not", "never"), ("only", "just"), ("first", "leading"),
)  # fmt: skip
_WHOLE = (
    "nothing to do here", "this should not happen", "see the documentation", "internal error", "unsupported operation",
    "the input is not valid", "out of range", "not available on this platform", "no such entry", "already closed",
    "wrong number of arguments", "operation timed out", "keep this in sync", "give the caller a chance", "fast path",
    "skip what was seen before", "needed for old versions", "the order matters here", "bad configuration", "too many values",
)  # fmt: skip


def _reworded(file: ParsedFile, rng: Random, site: Words) -> Task | None:
    text = file.text[site.start : site.end]
    lines = file.line_at(site.start), file.line_at(site.start)
    others = frozenset(file.line_at(w.start) for w in file.cached("texts", lambda: _texts(file)))
    rivals = others - {lines[0]}
    if rng.random() < 0.4:
        new = rng.choice(_WHOLE)
        new = new[0].upper() + new[1:] if text[:1].isupper() else new
        new += "." if text.endswith(".") else ""
        back = rng.random() < 0.4 and len(text) < 60
        if new == text or (site.where == "comment" and _one_of_several(file, lines[0])):
            return None
        fields = {"where": site.where, "text": text if back else new}
        return Task(
            "reword_text", site.function, lines, [Edit(site.start, site.end, new)], fields, back, rivals
        )
    pairs = [
        (a, b) for x, y in _SAID for a, b in ((x, y), (y, x)) if _times(text, a) == 1 and not _times(text, b)
    ]
    if not pairs:
        return None
    old, new = rng.choice(pairs)
    found = re.search(rf"(?<!\w){re.escape(old)}(?!\w)", text)
    assert found is not None
    a, b = _around(text, found.start(), found.end(), rng)
    said, other = text[a:b], text[a : found.start()] + new + text[found.end() : b]
    if file.line_text(lines[0]).count(said) != 1:
        return None
    edit = Edit(site.start + a, site.start + b, other)
    source = [
        k
        for k in range(site.function.lineno, (site.function.end_lineno or 0) + 1)
        if said in file.line_text(k)
    ]
    rivals = frozenset(source) - {lines[0]}
    fields = {"old": said, "new": other, "where": site.where}
    return Task("reword_part", site.function, lines, [edit], fields, False, (rivals | others) - {lines[0]})


def _times(text: str, words: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(words)}(?!\w)", text))


def _around(text: str, start: int, end: int, rng: Random) -> tuple[int, int]:
    """The place with a word more before and behind it, perhaps."""
    if rng.random() < 0.5:
        start = text.rfind(" ", 0, max(0, start - 1)) + 1
    if rng.random() < 0.5 and end < len(text):
        behind = text.find(" ", end + 1)
        end = behind if behind > 0 else len(text)
    return start, end


def _one_of_several(file: ParsedFile, line: int) -> bool:
    """Whether a comment has another one above or below, and may be a part of a longer one."""
    near = [file.line_text(k).strip() for k in (line - 1, line + 1) if 1 <= k <= len(file.starts)]
    return any(text.startswith("#") for text in near)


reword_text = varied("texts", _texts, _reworded)

# -- spelling --------------------------------------------------------------------------------------------------


def _misspelt(file: ParsedFile, rng: Random, site: Words) -> Task | None:
    text = file.text[site.start : site.end]
    words = [m for m in _WORD.finditer(text) if _times(file.text, m.group()) > 1]
    if not words:
        return None
    match = rng.choice(words)
    bad = typo(rng, match.group(), file.words)
    if (
        bad is None
        or len(bad) < 4
        or bad[:-1] == match.group()
        or bad in (match.group() + "s", match.group()[:-1])
    ):
        return None
    start = site.start + match.start()
    line = file.line_at(start)
    edit = Edit(start, start + len(match.group()), bad)
    fields = {"bad": bad, "good": match.group(), "where": site.where}
    return Task("fix_text_typo", site.function, (line, line), [edit], fields, True)


fix_text_typo = varied("texts", _texts, _misspelt)
