"""A request made ready: its page, its prompt, what decoders need, and the way back to the document.

Pure preparation: nothing is forwarded here. Knows formats of both kinds, programs and rewrites, so that the facade need not.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from copydesk.additions import Answers, import_programs
from copydesk.choices import Narrowed, narrow
from copydesk.codec import Codec, own_run
from copydesk.codec_cost import CodecCost
from copydesk.decode.drafts import NgramIndex
from copydesk.decode.machines import InnerMachine, Machine
from copydesk.decode.pick import PickDecoder, PickTask
from copydesk.decode.program_decoder import PageTask, ProgramDecoder
from copydesk.decode.repair import RepairDecoder, RepairTask
from copydesk.decode.rewrite import RewriteDecoder, RewriteTask
from copydesk.decode.speaker import Speaker
from copydesk.decode.steps import Steps
from copydesk.document import TextLines, content
from copydesk.errors import ContextLengthError, RequestError, ScopeError
from copydesk.grammar.lark import InnerGrammar
from copydesk.grammar.olds import Olds
from copydesk.grammar.rules import Rules
from copydesk.holds import holds
from copydesk.layout import PageLayout
from copydesk.oracle.single import line_sub
from copydesk.page import Page
from copydesk.program import Program, Sub
from copydesk.prompt import PageTokens, page_tokens, request_tokens
from copydesk.proposals import proposed_exchanges
from copydesk.repairs import Repair, repairs
from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.rewrite_prompt import rewrite_prompt, shared_prefix
from copydesk.rewritten import listed_programs, rewritten_programs
from copydesk.scope import resolve_scope
from copydesk.syntax import Parsed
from copydesk.toolkit import Toolkit
from copydesk.ways import ways

SLACK = 64
"""Positions kept free for literals, numbers and lookahead."""
LEAST = 32
"""Fewer generated tokens than this are not worth a request."""


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a document, untouched by later edits. parsed: None for a language without a grammar."""

    lines: TextLines
    number: int
    language: str
    parsed: Parsed | None


@dataclass(slots=True)
class Plan:
    """One request over one version of a document.

    prefix: tokens every request on this page shares; they are warm or are warmed first. asked: the request's own, behind them.
    max_tokens: what the context leaves of the request's own budget. begin: makes a decoder's conversation from a speaker.
    """

    version: Version
    request: EditRequest
    scope: list[Range]
    page: Page
    page_scope: list[Range]
    rules: Rules
    prefix: list[int]
    asked: list[int]
    max_tokens: int
    begin: Callable[[Speaker], Steps]

    @property
    def key(self) -> Hashable:
        """Names the page in the cache. A cold page is known by what it stands for: the same request again finds it warm."""
        page = self.page
        return page.key if page.key is not None else page.spans[0] + page.spans[-1]


def page_prefix(toolkit: Toolkit, page: Page, language: str) -> list[int]:
    """The tokens that may be warmed before there is a request."""
    if toolkit.codec is not None:
        return page_tokens(toolkit.codec, page).ids
    assert toolkit.chat is not None
    text = shared_prefix(page, language, toolkit.chat.render)
    return toolkit.chat.encode(text, _page_data(page))


def make_plan(toolkit: Toolkit, version: Version, layout: PageLayout, request: EditRequest) -> Plan:
    """Raises ScopeError, ContextLengthError, RequestError, GrammarError."""
    tree = version.parsed.tree if version.parsed is not None else None
    header = toolkit.format.header_lines
    scope = resolve_scope(version.lines.lines, request, version.language, header, tree)
    try:
        page = layout.page_for(scope)
    except ScopeError:
        if not any(diagnostic.fixes for diagnostic in request.diagnostics):
            raise
        # What the tool proposes is spread too far for a page: the model may still know what to do here.
        request = replace(request, diagnostics=[replace(d, fixes=()) for d in request.diagnostics])
        scope = resolve_scope(version.lines.lines, request, version.language, header, tree)
        page = layout.page_for(scope)
    make = _rewrite_plan if toolkit.codec is None else _program_plan
    return make(toolkit, version, request, scope, page)


def script_of(toolkit: Toolkit, plan: Plan, program: Program) -> tuple[int, list[int]]:
    """The tokens that spell the document program `program` on the plan's page, and the position of the first: what a
    `ReplayModel` is given to say. Raises ScopeError, ProgramError where the page or the format cannot spell it.
    """
    codec = toolkit.codec
    assert codec is not None
    lines = page_tokens(codec, plan.page).lines
    on_page = plan.page.from_document(program, plan.version.lines.lines)
    pieces = codec.encode_program(on_page, plan.page.views, lines, open_end=plan.rules.open_end)
    return len(plan.prefix) + len(plan.asked), [token for piece in pieces for token in piece.ids]


def _program_plan(
    toolkit: Toolkit, version: Version, request: EditRequest, scope: list[Range], page: Page
) -> Plan:
    codec, tables = toolkit.codec, toolkit.tables
    assert codec is not None
    assert tables is not None
    page_scope = page.to_page_scope(scope)
    tokens = page_tokens(codec, page)
    asked = request_tokens(codec, page, page_scope, request)
    copied = _copied(codec, tokens)
    room = _room(toolkit, len(tokens.ids) + len(asked) + copied, page)
    olds = Olds(codec, page.views, tokens.lines)
    rules = Rules(
        len(page),
        tuple(page_scope) if _believed(version, request) else (),
        unterminated=page.unterminated,
        at_end=page.at_end,
        sub=codec.format.sub,
        gen=request.choices is None or any(choice.endswith("\n") for choice in request.choices),
        has_old=olds.has_legal_old,
    )
    answers = _answers(codec, version, request, scope, page, tokens, rules, toolkit.format.header_lines)
    if answers is not None:
        ways = PickTask(codec, page.views, tokens.lines, asked, answers.programs, rules.open_end)
        if answers.rest is None:
            return Plan(
                version, request, scope, page, page_scope, rules, tokens.ids, asked, min(request.max_tokens, room),
                lambda speaker: PickDecoder(ways, speaker).run(),
            )  # fmt: skip
    subs: dict[int, list[Sub]] = {}
    if answers is None and rules.scope:
        subs = _repairs(codec, version, request, scope, page, tokens)
    if subs:
        way = RepairTask(codec, page.views, tokens.lines, asked, subs, rules.open_end)
        return Plan(
            version, request, scope, page, page_scope, rules, tokens.ids, asked, min(request.max_tokens, room),
            lambda speaker: RepairDecoder(way, speaker).run(),
        )  # fmt: skip
    inner: Callable[..., Machine] | None = None
    if request.lark is not None:
        inner = partial(InnerMachine, InnerGrammar(request.lark, toolkit.vocabulary))
    task = PageTask(
        codec=codec,
        rules=rules if answers is None or answers.rest is None else replace(rules, scope=answers.rest),
        bodies=tables,
        olds=olds,
        views=page.views,
        lines=tokens.lines,
        request=asked,
        page=NgramIndex(tokens.ids),
        choices=request.choices,
        inner=inner,
        narrow=_narrowing(version, request, page),
    )

    def begin(speaker: Speaker) -> Steps:
        free = ProgramDecoder(task, speaker)
        return free.run() if answers is None else PickDecoder(ways, speaker, free).run()

    return Plan(
        version,
        request,
        scope,
        page,
        page_scope,
        rules,
        tokens.ids,
        asked,
        min(request.max_tokens, room),
        begin,
    )


def _believed(version: Version, request: EditRequest) -> bool:
    """Whether some diagnostic of the request may still be true: what is out of date leaves nothing to change."""
    if not request.narrow or request.instruction is not None or not request.diagnostics:
        return True
    lines = version.lines.lines
    return any(holds(diagnostic, lines, version.language) for diagnostic in request.diagnostics)


def _answers(
    codec: Codec,
    version: Version,
    request: EditRequest,
    scope: Sequence[Range],
    page: Page,
    tokens: PageTokens,
    rules: Rules,
    header_lines: int,
) -> Answers | None:
    """The programs that answer the one diagnostic in several places; None where it does not narrow the edit to a list."""
    if not _narrows_to_one(request) or not rules.scope:
        return None
    lines = version.lines.lines
    (diagnostic,) = request.diagnostics
    tree = version.parsed.tree if version.parsed is not None else None
    known = proposed_exchanges(diagnostic, lines)
    if not known and tree is not None and version.language == "python":
        known = ways(diagnostic, lines, tree)
    found = listed_programs(codec, rules, page, tokens, known, lines)
    if found is not None or version.language != "python":
        return found
    found = import_programs(codec, rules, page, tokens, request, scope, lines, header_lines)
    if found is None and tree is not None:
        found = rewritten_programs(codec, rules, page, tokens, diagnostic, lines, tree)
    return found


def _narrows_to_one(request: EditRequest) -> bool:
    """Whether one diagnostic alone says what is asked, and nothing else says what new text may be."""
    free = request.choices is None and request.lark is None and request.instruction is None
    return request.narrow and free and len(request.diagnostics) == 1


def _repairs(
    codec: Codec,
    version: Version,
    request: EditRequest,
    scope: Sequence[Range],
    page: Page,
    tokens: PageTokens,
) -> dict[int, list[Sub]]:
    """The subs that answer the request's one diagnostic, by page line; none where it does not narrow the edit to a list."""
    if not codec.format.sub or not _narrows_to_one(request):
        return {}
    cost = CodecCost(codec)
    found: dict[int, list[Sub]] = {}
    diagnostic, lines = request.diagnostics[0], version.lines.lines
    for repair in repairs(diagnostic, lines, scope, version.language) or _named(
        diagnostic, lines, scope, version.language
    ):
        number = page.page_line(repair.line)
        if number is None:
            continue
        view = page.views[number - 1]
        sub = line_sub(view, repair.text + ("\n" if view.endswith("\n") else ""), cost)
        if sub is not None and own_run(codec, page.views, tokens.lines, number, sub.old) is not None:
            found.setdefault(number, []).append(Sub(number, number, sub.old, sub.new))
    return found


def _named(
    diagnostic: Diagnostic, lines: Sequence[str], scope: Sequence[Range], language: str
) -> list[Repair]:
    """The lines that another name in the wrong one's place makes; none where an import may be the answer."""
    found = narrow(diagnostic, lines, language)
    if found is None or found.added or not any(s <= found.line <= e for s, e in scope):
        return []
    text = content(lines[found.line - 1])
    return [Repair(found.line, text[: found.start] + name + text[found.end :]) for name in found.texts]


def _narrowing(
    version: Version, request: EditRequest, page: Page
) -> Callable[[int, int, int], Sequence[str]] | None:
    """What the request's diagnostics leave for a sub to say, by page line and the offsets of its old text."""
    if not request.narrow or request.lark is not None:
        return None
    lines = version.lines.lines
    places: dict[int, list[Narrowed]] = {}
    for diagnostic in request.diagnostics:
        found = narrow(diagnostic, lines, version.language)
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


def _rewrite_plan(
    toolkit: Toolkit, version: Version, request: EditRequest, scope: list[Range], page: Page
) -> Plan:
    assert toolkit.chat is not None
    page_scope = page.to_page_scope(scope)
    if request.choices is not None or request.lark is not None:
        raise RequestError("this model rewrites text: it cannot be held to choices or a grammar")
    asked = rewrite_prompt(page, page_scope, request, version.language, toolkit.chat.render)
    prompt = toolkit.chat.encode(asked.prompt, [asked.content])
    joint = toolkit.chat.encode(asked.prompt + asked.draft, [asked.content, asked.draft])
    draft = joint[len(prompt) :] if joint[: len(prompt)] == prompt else toolkit.vocabulary.encode(asked.draft)
    draft += sorted(toolkit.stops)[:1]
    room = _room(toolkit, len(prompt), page)
    rules = Rules(len(page), tuple(page_scope), unterminated=page.unterminated, at_end=page.at_end, sub=False)
    task = RewriteTask(
        vocabulary=toolkit.vocabulary,
        prompt=prompt[-1:],
        draft=draft,
        page=NgramIndex(prompt),
        read=asked.read,
        stops=toolkit.stops,
        views=page.views,
        first=asked.lines[0],
        last=asked.lines[1],
    )
    return Plan(
        version,
        request,
        scope,
        page,
        page_scope,
        rules,
        prompt[:-1],
        prompt[-1:],
        min(request.max_tokens + len(draft), room),
        lambda speaker: RewriteDecoder(task, speaker).run(),
    )


def _room(toolkit: Toolkit, used: int, page: Page) -> int:
    """Tokens the context leaves for generation. Raises ContextLengthError before anything is forwarded."""
    room = toolkit.model.max_positions - used - SLACK
    if room < LEAST:
        longest = max(range(len(page)), key=lambda k: len(page.views[k]), default=0)
        raise ContextLengthError(
            f"the page and the request take {used} tokens of a context of {toolkit.model.max_positions}"
            + (
                f"; line {page.spans[longest][0]} alone has {len(page.views[longest])} characters"
                if len(page)
                else ""
            )
        )
    return room


def _copied(codec: Codec, tokens: PageTokens) -> int:
    """The most span tokens a program can put into the context."""
    if codec.format.after_copy == "program":
        return 0
    return sum(map(len, tokens.lines))


def _page_data(page: Page) -> list[str]:
    text = "".join(page.views)
    return [text] if text else []
