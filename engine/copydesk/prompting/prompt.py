"""What a model trained for programs reads: a page (header, numbered lines), then the request.

The page comes first and depends only on its lines, so that its part of the KV cache survives every request and every edit after
it. Everything is tokenised line by line, as data: no text of the document, a diagnostic or an instruction becomes a special
token. Pages come from `paging/layout.py`; models with a chat template get their prompts from `rewrite_prompt.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from copydesk.paging.page import Page
from copydesk.prompting.codec import Codec, Ids
from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.text.document import split_lines, view_line

MESSAGE_CHARACTERS = 200
"""Longer messages are cut: those of type checkers can fill pages."""


@dataclass(frozen=True, slots=True)
class PageTokens:
    """A page in tokens.

    `ids`: the prompt's first part. Line k of the page's M lines (from 1) is `ids[starts[k - 1]:starts[k]]`,
    so `starts` has M + 1 entries and the last is `len(ids)`. `lines[k - 1]` are line k's tokens without its
    number, as a copy's span repeats them.
    """

    ids: list[int]
    starts: list[int]
    lines: list[Ids]


def page_tokens(codec: Codec, page: Page) -> PageTokens:
    """The page's part of the prompt. For two pages it is equal up to the first line in which they differ."""
    ids = list(codec.literals.document_open)
    starts = [len(ids)]
    lines: list[Ids] = []
    for n, view in enumerate(page.views, 1):
        if n == page.skip:
            ids += codec.skipped(n)
            lines.append(codec.literals.skip)
        else:
            ids += codec.numbered(n, view)
            lines.append(codec.line(view))
        starts.append(len(ids))
    return PageTokens(ids, starts, lines)


def request_tokens(codec: Codec, page: Page, page_scope: Sequence[Range], request: EditRequest) -> list[int]:
    """The request's part of the prompt, up to the start of the program.

    `page_scope` is in page lines (`Page.to_page_scope`). Diagnostics on lines that the page does not show are
    left out.
    """
    lit, encode = codec.literals, codec.vocabulary.encode
    ids = [*lit.document_close, *lit.request_open]
    for start, end in page_scope:
        ids += lit.scope
        ids += encode(f"{start}-{end}\n") if codec.tagged else codec.number(start) + codec.number(end)
    for line, diagnostic in located(page, request.diagnostics):
        text = " " + describe(diagnostic) + "\n"
        ids += lit.at
        ids += encode(f"{line}{text}") if codec.tagged else [*codec.number(line), *encode(text)]
    if request.instruction is not None:
        ids += lit.instruction
        for text in split_lines(request.instruction.rstrip()) or [""]:
            ids += encode(view_line(text).removesuffix("\n") + "\n")
    return [*ids, *lit.program_open]


def located(page: Page, diagnostics: Sequence[Diagnostic]) -> list[tuple[int, Diagnostic]]:
    """The diagnostics the page shows, each with its page line, in the order of those lines."""
    found: list[tuple[int, Diagnostic]] = []
    for diagnostic in diagnostics:
        line = diagnostic.start.line + 1
        if page.at_end and line == page.last + 1:
            line = page.last  # after the final terminator there is an empty line, which pages do not number
        number = page.page_line(line)
        if number is not None:
            found.append((number, diagnostic))
    return sorted(found, key=lambda pair: pair[0])


def describe(diagnostic: Diagnostic) -> str:
    """A diagnostic in one line: "[source code] message"."""
    tool = " ".join(part for part in (diagnostic.source, diagnostic.code) if part)
    message = " ".join(diagnostic.message.split())
    if len(message) > MESSAGE_CHARACTERS:
        message = message[: MESSAGE_CHARACTERS - 1] + "…"
    return f"[{' '.join(tool.split())}] {message}" if tool else message
