"""What a request leaves open: nothing, a list the model chooses from, some texts at some place, or everything in its scope.

A diagnostic often settles what the new text can be. Asks those who know the rules, and puts what they find into the ops of one
page; knows nothing of models or decoding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from copydesk.grammar.rules import Rules
from copydesk.oracle.single import line_sub
from copydesk.oracle.token_cost import CodecCost
from copydesk.paging.page import Page
from copydesk.program import Sub
from copydesk.prompting.codec import Codec, own_run
from copydesk.prompting.prompt import PageTokens
from copydesk.quickfixes.handlers.linter_fix import proposed_exchanges
from copydesk.quickfixes.handlers.unresolved_name import Narrowed, narrow
from copydesk.quickfixes.repairs import Repair, repairs
from copydesk.quickfixes.staleness import holds
from copydesk.quickfixes.ways import ways
from copydesk.refactorings.phrases import told_exchanges
from copydesk.request import EditRequest, Range
from copydesk.serving.import_programs import Answers, import_programs
from copydesk.serving.lowering import listed_programs, rewritten_programs
from copydesk.serving.snapshot import Version
from copydesk.text.document import content
from copydesk.text.line_edit import Exchange


@dataclass(frozen=True, slots=True)
class Asked:
    """One request on the page that shows its scope. scope: document ranges; `rules` hold the page's. told: what `told` says."""

    codec: Codec
    version: Version
    request: EditRequest
    scope: Sequence[Range]
    page: Page
    tokens: PageTokens
    rules: Rules
    told: tuple[Exchange, ...] | None


def told(version: Version, request: EditRequest, scope: Sequence[Range]) -> tuple[Exchange, ...] | None:
    """What an instruction alone says that the lines of `scope` become, nothing where it is followed already; None where it leaves
    that to the model.
    """
    free = request.choices is None and request.lark is None and not request.diagnostics
    wanted = request.narrow and request.phrases and free and version.language == "python"
    if request.instruction is None or not wanted:
        return None
    tree = version.parsed.tree if version.parsed is not None else None
    return told_exchanges(request.instruction, version.lines.lines, scope, tree) if tree is not None else None


def believed(version: Version, request: EditRequest) -> bool:
    """Whether some diagnostic of the request may still be true: what is out of date leaves nothing to change."""
    if not request.narrow or request.instruction is not None or not request.diagnostics:
        return True
    lines = version.lines.lines
    return any(holds(diagnostic, lines, version.language) for diagnostic in request.diagnostics)


def answers(asked: Asked) -> Answers | None:
    """The programs that answer the one diagnostic in several places; None where it does not narrow the edit to a list."""
    codec, rules, page, tokens = asked.codec, asked.rules, asked.page, asked.tokens
    lines, language = asked.version.lines.lines, asked.version.language
    if asked.told:
        return listed_programs(codec, rules, page, tokens, [asked.told], lines)
    if not _narrows_to_one(asked.request) or not asked.rules.scope:
        return None
    tree = asked.version.parsed.tree if asked.version.parsed is not None else None
    (diagnostic,) = asked.request.diagnostics
    known = proposed_exchanges(diagnostic, lines)
    if not known and tree is not None and language == "python":
        known = ways(diagnostic, lines, tree)
    found = listed_programs(codec, rules, page, tokens, known, lines)
    if found is not None or language != "python":
        return found
    header = codec.format.header_lines
    found = import_programs(codec, rules, page, tokens, asked.request, asked.scope, lines, header)
    if found is None and tree is not None:
        found = rewritten_programs(codec, rules, page, tokens, diagnostic, lines, tree)
    return found


def repairing_subs(asked: Asked) -> dict[int, list[Sub]]:
    """The subs that answer the one diagnostic, by page line; none where it does not narrow the edit to a list."""
    codec, page, tokens = asked.codec, asked.page, asked.tokens
    if not codec.format.sub or not _narrows_to_one(asked.request) or not asked.rules.scope:
        return {}
    cost = CodecCost(codec)
    found: dict[int, list[Sub]] = {}
    for repair in _repairs(asked) or _named(asked):
        number = page.page_line(repair.line)
        if number is None:
            continue
        view = page.views[number - 1]
        sub = line_sub(view, repair.text + ("\n" if view.endswith("\n") else ""), cost)
        if sub is not None and own_run(codec, page.views, tokens.lines, number, sub.old) is not None:
            found.setdefault(number, []).append(Sub(number, number, sub.old, sub.new))
    return found


def narrowed_texts(asked: Asked) -> Callable[[int, int, int], Sequence[str]] | None:
    """What the request's diagnostics leave for a sub to say, by page line and the offsets of its old text."""
    request, page = asked.request, asked.page
    if not request.narrow or request.lark is not None:
        return None
    lines = asked.version.lines.lines
    places: dict[int, list[Narrowed]] = {}
    for diagnostic in request.diagnostics:
        found = narrow(diagnostic, lines, asked.version.language)
        number = page.page_line(found.line) if found is not None else None
        if found is not None and number is not None:
            places.setdefault(number, []).append(found)
    if not places:
        return None

    def texts(line: int, begin: int, stop: int) -> list[str]:
        text = content(page.views[line - 1])
        news = (new for found in places.get(line, ()) for new in found.new_texts(text, begin, stop))
        return list(dict.fromkeys(news))

    return texts


def _narrows_to_one(request: EditRequest) -> bool:
    """Whether one diagnostic alone says what is asked, and nothing else says what new text may be."""
    free = request.choices is None and request.lark is None and request.instruction is None
    return request.narrow and free and len(request.diagnostics) == 1


def _repairs(asked: Asked) -> list[Repair]:
    version = asked.version
    return repairs(asked.request.diagnostics[0], version.lines.lines, asked.scope, version.language)


def _named(asked: Asked) -> list[Repair]:
    """The lines that another name in the wrong one's place makes; none where an import may be the answer."""
    lines = asked.version.lines.lines
    found = narrow(asked.request.diagnostics[0], lines, asked.version.language)
    if found is None or found.added or not any(s <= found.line <= e for s, e in asked.scope):
        return []
    text = content(lines[found.line - 1])
    return [Repair(found.line, text[: found.start] + name + text[found.end :]) for name in found.texts]
