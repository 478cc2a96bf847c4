"""What a model that was not trained to write programs is asked: the new text of the scope, in a code fence, through
its chat template.

The page comes first and as plain text, so that its part of the KV cache serves every request on it; then the
request, which quotes the lines to rewrite without the indentation they have in common; then the answer's opening fence, which the
model does not choose. One range at a time: where a scope has several, the lines from the
first to the last are asked for, and an answer that changes those between them is to be refused (`Program` and
scope decide that, not this module). Prompt and draft are strings, to be tokenised jointly
as the model's template does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from copydesk.errors import ScopeError
from copydesk.paging.page import Page
from copydesk.prompting.prompt import describe, located
from copydesk.request import EditRequest, Range, show_range
from copydesk.text.document import view_text

Messages = list[Mapping[str, str]]
Render = Callable[[Messages], str]
"""A chat template with the opening of the assistant's turn: `apply_chat_template(..., tokenize=False,
add_generation_prompt=True)`.
"""

SYSTEM = (
    "You edit source code. You are shown a file and asked to rewrite some of its lines. Change as little as the "
    "request needs and keep every other line exactly as it is. Answer with the new text of those lines in one "
    "fenced code block and nothing else."
)

_BACKTICKS = re.compile(r"`+")


@dataclass(frozen=True, slots=True)
class RewritePrompt:
    """A prompt and what a model that changes nothing would answer.

    The answer begins with `opening`, which is written for the model. `shown` are the lines asked for as they are quoted: without
    `indent`, which they have in common, and each with a newline. `lines` are their numbers, 1-based inclusive in the
    page, (k, k - 1) for an insertion point. `content` is the person's
    turn in it, text from outside; `shared` is how many characters of `prompt` every request on this page has in
    common.
    """

    prompt: str
    content: str
    shared: int
    fence: str
    opening: str
    shown: tuple[str, ...]
    indent: str
    lines: Range

    @property
    def draft(self) -> str:
        """What a model that changes nothing would write behind `opening`."""
        return "".join(self.shown) + self.fence


def rewrite_prompt(
    page: Page, page_scope: Sequence[Range], request: EditRequest, language: str, render: Render
) -> RewritePrompt:
    """The prompt for `page_scope` (page lines, `Page.to_page_scope`) of `page`. Raises ScopeError for an
    empty scope, and for one that spans the lines a page hides.
    """
    if not page_scope:
        raise ScopeError("an empty scope leaves nothing to rewrite")
    start, end = page_scope[0][0], page_scope[-1][1]
    if page.skip is not None and start <= page.skip <= end:
        raise ScopeError("a rewrite cannot span hidden lines")
    lines = [line if line.endswith("\n") else line + "\n" for line in page.views[start - 1 : end]]
    indent = common_indent(lines)
    shown = tuple(line.removeprefix(indent) for line in lines)
    own = "".join(shown)
    fence = fence_for(own)
    document = _document(page, language)
    content = document + _request(page, (start, end), own, fence, request, language)
    prompt = render([{"role": "system", "content": SYSTEM}, {"role": "user", "content": content}])
    shared = _shared(prompt, document)
    return RewritePrompt(prompt, content, shared, fence, f"{fence}{language}\n", shown, indent, (start, end))


def shared_prefix(page: Page, language: str, render: Render) -> str:
    """The part of the prompt that all requests on this page have in common: what may be computed before there
    is a request.
    """
    document = _document(page, language)
    prompt = render(
        [{"role": "system", "content": SYSTEM}, {"role": "user", "content": document + "Rewrite"}]
    )
    return prompt[: _shared(prompt, document)]


def common_indent(lines: Sequence[str]) -> str:
    """The white space that all lines begin with but empty ones, which have none to take off or put back."""
    heads = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line != "\n"]
    low, high = min(heads, default=""), max(heads, default="")
    return low[: next((k for k, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))]


def fence_for(text: str) -> str:
    """The shortest code fence longer than any run of backticks in `text`, of three or more (CommonMark 0.31,
    4.5).
    """
    return "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))


def _document(page: Page, language: str) -> str:
    text = "".join(page.views)
    if text and not text.endswith("\n"):
        text += "\n"
    fence = fence_for(text)
    return f"The file:\n{fence}{language}\n{text}{fence}\n\n"


def _request(page: Page, lines: Range, own: str, fence: str, request: EditRequest, language: str) -> str:
    start, end = lines
    parts: list[str] = []
    for number, diagnostic in located(page, request.diagnostics):
        parts.append(f"Line {number} (`{page.views[number - 1].strip()}`): {describe(diagnostic)}\n")
    if request.instruction is not None:
        parts.append(view_text(request.instruction).strip() + "\n")
    if end < start:
        place = f"after the line `{page.views[end - 1].strip()}`" if end else "at the start of the file"
        parts.append(
            f"\nWrite the new lines to insert {place}, in a code block that opens and closes with {fence}."
        )
    else:
        parts.append(f"\nRewrite {show_range(lines)}:\n{fence}{language}\n{own}{fence}\n")
        parts.append(f"Answer with their new text in a code block that opens and closes with {fence}.")
    return "".join(parts)


def _shared(prompt: str, document: str) -> int:
    """Where the document part ends in the rendered prompt. A template that rewrites the text shares nothing."""
    at = prompt.find(document)
    return 0 if at < 0 else at + len(document)
