"""A request made ready: its page, its prompt, what decoders need, and the way back to the document.

Pure preparation: nothing is forwarded here. Formats of both kinds, programs and rewrites, are told apart here and not in the
facade.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from copydesk.decode.coroutine import Outcome, Steps
from copydesk.decode.drafts import NgramIndex
from copydesk.decode.emitter import Emitter
from copydesk.decode.finite_choice import ChoiceDecoder, ChoiceTask
from copydesk.decode.parsed_text import ParsedText
from copydesk.decode.program_decoder import PageTask
from copydesk.decode.rewrite import RewriteDecoder, RewriteTask
from copydesk.decode.text_automata import InnerMachine, Machine
from copydesk.errors import ContextLengthError, RequestError, ScopeError
from copydesk.grammar.lark import InnerGrammar
from copydesk.grammar.olds import Olds
from copydesk.grammar.rules import Rules
from copydesk.paging.layout import PageLayout
from copydesk.paging.page import Page
from copydesk.program import Program
from copydesk.prompting.codec import Codec
from copydesk.prompting.prompt import PageTokens, page_tokens, request_tokens
from copydesk.prompting.rewrite_prompt import rewrite_prompt, shared_prefix
from copydesk.pushdown.languages import PARSED_LANGUAGES
from copydesk.quickfixes.registry import QuickFixes, quick_fixes
from copydesk.quickfixes.scope import resolve_scope
from copydesk.request import EditRequest, Range
from copydesk.serving.finding_messages import message_as_instruction
from copydesk.serving.loaded_model import LoadedModel
from copydesk.serving.lowering import ListedPrograms, Lowering
from copydesk.serving.narrowing import (
    PageRequest,
    beyond_scope,
    bug_clues,
    instructed_edit,
    listed,
    may_apply,
    narrowed_texts,
    nothing_left,
    refusal,
)
from copydesk.serving.parsing import held_rules
from copydesk.serving.snapshot import Snapshot
from copydesk.syntax.tree import parse
from copydesk.text.limits import Limits

LIMITS = Limits()
SLACK = 64
"""Positions kept free for literals, numbers and lookahead."""
LONGER = 128
"""Tokens by which a rewritten text may be longer than what it replaces, or as many as that has."""
NAMED = 0.1
"""The least probability of an edit that a person is asked about where a tool found something: linters find a lot."""
_NEVER = 1.01
"""The least probability with which nothing is changed where something is to be done for sure."""
TOGETHER = 40
"""Lines that a model which rewrites text is given at most to reach a second part of a scope: it writes all that lies between."""
LEAST = 32
"""Fewer generated tokens than this are not worth a request."""
FOLLOWED = "the selected lines are as the instruction wants them, or have nothing of what it names"
"""What a person is told where the instruction's wording settles that nothing is to be done, and no more is known."""


@dataclass(slots=True)
class Plan:
    """One request over one snapshot of a document.

    prefix: tokens every request on this page shares; they are warm or are warmed first. asked: the request's own, behind them.
    max_tokens: what the context leaves of the request's own budget. begin: starts a decoder's conversation on an emitter.
    """

    snapshot: Snapshot
    request: EditRequest
    scope: list[Range]
    page: Page
    page_scope: list[Range]
    rules: Rules
    prefix: list[int]
    asked: list[int]
    max_tokens: int
    begin: Callable[[Emitter], Steps]
    idle: str | None = None
    """Why nothing is to be done, where the instruction's wording says so."""
    unlearnt: bool = False
    """The model may write, and was not trained on the document's language, on instructions in people's words, or on what the
    finding's tool says: what comes of it is no more than a proposal."""

    @property
    def key(self) -> Hashable:
        """Names the page in the cache. A cold page is known by what it stands for: the same request again finds it warm."""
        page = self.page
        return page.key if page.key is not None else page.spans[0] + page.spans[-1]


def page_prefix(loaded_model: LoadedModel, page: Page, language: str, limits: Limits = LIMITS) -> list[int]:
    """The tokens that may be warmed before there is a request. Raises ContextLengthError for a page beyond the limits."""
    limits.check_page(page.views)
    if loaded_model.codec is not None:
        return page_tokens(loaded_model.codec, page).ids
    assert loaded_model.chat is not None
    text = shared_prefix(page, language, loaded_model.chat.render)
    return loaded_model.chat.encode(text, _page_data(page))


def make_plan(
    loaded_model: LoadedModel,
    snapshot: Snapshot,
    layout: PageLayout,
    request: EditRequest,
    limits: Limits = LIMITS,
) -> Plan:
    """Raises ScopeError, ContextLengthError, RequestError, GrammarError."""
    fixes, scope = _resolved(loaded_model, snapshot, request)
    try:
        page = layout.page_for(scope)
    except ScopeError:
        if not any(diagnostic.fixes for diagnostic in request.diagnostics):
            raise
        # What the tool proposes is spread too far for a page: the model may still know what to do here.
        request = replace(request, diagnostics=[replace(d, fixes=()) for d in request.diagnostics])
        fixes, scope = _resolved(loaded_model, snapshot, request)
        page = layout.page_for(scope)
    limits.check_page(page.views)
    if loaded_model.codec is None:
        return _rewrite_plan(loaded_model, snapshot, request, scope, page)
    return _program_plan(loaded_model, snapshot, request, fixes, scope, page)


def _resolved(
    loaded_model: LoadedModel, snapshot: Snapshot, request: EditRequest
) -> tuple[list[QuickFixes], list[Range]]:
    """The quick fixes of each diagnostic, which are looked for once, and where the request may write."""
    lines, language = snapshot.lines.lines, snapshot.language
    tree = snapshot.parsed.tree if snapshot.parsed is not None else parse(lines, language)
    header = loaded_model.format.header_lines
    fixes = [quick_fixes(each, lines, language, tree, header) for each in request.diagnostics]
    scope = resolve_scope(lines, request, language, header, tree, fixes)
    if loaded_model.codec is None and request.scope is None and request.diagnostics:
        scope = _close_together(scope, [diagnostic.lines for diagnostic in request.diagnostics])
    return fixes, scope


def _close_together(scope: list[Range], found: Sequence[Range]) -> list[Range]:
    """The parts of `scope` at the lines that were `found` where the whole reaches far: the imports above, say."""
    if not scope or scope[-1][1] - scope[0][0] < TOGETHER:
        return scope
    near = [(first, last) for first, last in scope if any(a <= last and first <= b for a, b in found)]
    return near or scope


def script_of(loaded_model: LoadedModel, plan: Plan, program: Program) -> tuple[int, list[int]]:
    """The tokens that spell the document program `program` on the plan's page, and the position of the first: what a
    `ReplayModel` is given to say. Raises ScopeError, ProgramError where the page or the format cannot spell it.
    """
    codec = loaded_model.codec
    assert codec is not None
    lines = page_tokens(codec, plan.page).lines
    on_page = plan.page.from_document(program, plan.snapshot.lines.lines)
    pieces = codec.encode_program(on_page, plan.page.views, lines, open_end=plan.rules.open_end)
    return len(plan.prefix) + len(plan.asked), [token for piece in pieces for token in piece.ids]


def _program_plan(
    loaded_model: LoadedModel,
    snapshot: Snapshot,
    request: EditRequest,
    fixes: Sequence[QuickFixes],
    scope: list[Range],
    page: Page,
) -> Plan:
    codec = loaded_model.codec
    assert codec is not None
    page_scope = page.to_page_scope(scope)
    tokens = page_tokens(codec, page)
    asked = request_tokens(codec, page, page_scope, request)
    copied = _copied(codec, tokens)
    room = _room(loaded_model, len(tokens.ids) + len(asked) + copied, page)
    olds = Olds(codec, page.views, tokens.lines)
    instructed = instructed_edit(snapshot, request, scope)
    rules = Rules(
        len(page),
        tuple(page_scope) if instructed != () and may_apply(request, fixes) else (),
        unterminated=page.unterminated,
        at_end=page.at_end,
        sub=codec.format.sub,
        gen=request.choices is None or any(choice.endswith("\n") for choice in request.choices),
        has_old=olds.has_legal_old,
    )
    assert loaded_model.cost is not None
    lowering = Lowering(codec, loaded_model.cost, rules, page, tokens, snapshot.lines.lines, scope)
    satisfied = None if instructed else nothing_left(snapshot, request, scope)
    clues = bug_clues(snapshot, request, scope) if codec.format.chooses else None
    told = PageRequest(snapshot, request, lowering, fixes, instructed, satisfied, clues)
    beyond = None if instructed else beyond_scope(snapshot, request, scope)
    reason = refusal(request, fixes, scope, clues, beyond)
    begin = partial(_refused, reason) if reason is not None else _decoder(loaded_model, told, asked, olds)
    most = min(request.max_tokens, room)
    idle = satisfied or (FOLLOWED if instructed == () else None)
    others = set(PARSED_LANGUAGES).difference(loaded_model.format.languages)
    if request.instruction is not None:
        free = request.narrow and request.choices is None and request.lark is None and not instructed
        unlearnt = snapshot.language in others or (free and not codec.format.chooses)
    else:
        unlearnt = any(map(_strange, fixes))
    return Plan(
        snapshot, request, scope, page, page_scope, rules, tokens.ids, asked, most, begin, idle, unlearnt
    )


def _strange(fixes: QuickFixes) -> bool:
    """Whether a finding is of no kind that models are trained on: those that quick fixes know, and all that ruff reports."""
    return fixes.context.kind is None and not fixes.context.diagnostic.by_ruff


def _refused(reason: str, emitter: Emitter) -> Steps:
    """No program, and nothing is asked of the model."""
    del emitter
    yield from ()
    return Outcome(None, refusal=reason)


def _decoder(
    loaded_model: LoadedModel, asked: PageRequest, prompt: Sequence[int], olds: Olds
) -> Callable[[Emitter], Steps]:
    """What answers: a choice among listed programs where the request leaves some, else the model, held to the grammar."""
    lowering = asked.lowering
    codec, page, tokens, rules = lowering.codec, lowering.page, lowering.tokens, lowering.rules
    request, found = asked.request, listed(asked)
    choice: ChoiceTask | None = None
    if found is not None:
        known = request.instruction is None
        listed_choice = choice = _choice(loaded_model, asked, found, prompt, known_fix=known)
        if found.rest is None:
            return lambda emitter: ChoiceDecoder(listed_choice, emitter).run()
        rules = replace(rules, scope=found.rest)
    elif (said := message_as_instruction(asked)) is not None and (found := listed(said)) is not None:
        message = request_tokens(codec, page, rules.scope, said.request)
        choice = replace(_choice(loaded_model, said, found, message), least=NAMED, written=prompt)
    inner: Callable[..., Machine] | None = None
    if request.lark is not None:
        inner = partial(InnerMachine, InnerGrammar(request.lark, loaded_model.vocabulary))
    assert loaded_model.tables is not None
    free = request.choices is None and request.lark is None
    held = (
        held_rules(asked.snapshot, page, rules, python=request.hold_python, schemas=request.schemas)
        if free
        else None
    )
    parsed: ParsedText | None = None
    if held is not None:
        masks = loaded_model.masks(held.page.effects)
        rules, parsed = held, ParsedText(codec, loaded_model.tables, masks, held, page.views)
    task = PageTask(
        codec=codec,
        rules=rules,
        bodies=loaded_model.tables,
        olds=olds,
        views=page.views,
        lines=tokens.lines,
        request=prompt,
        page=NgramIndex(tokens.ids),
        choices=request.choices,
        inner=inner,
        narrow=narrowed_texts(asked),
        parsed=parsed,
    )

    def begin(emitter: Emitter) -> Steps:
        free = loaded_model.program_decoder(task, emitter)
        return free.run() if choice is None else ChoiceDecoder(choice, emitter, free).run()

    return begin


def _choice(
    loaded_model: LoadedModel,
    asked: PageRequest,
    found: ListedPrograms,
    prompt: Sequence[int],
    *,
    known_fix: bool = False,
) -> ChoiceTask:
    lowering, request = asked.lowering, asked.request
    return ChoiceTask(
        lowering.codec,
        lowering.page.views,
        lowering.tokens.lines,
        prompt,
        found.programs,
        lowering.rules.open_end,
        found.staged,
        found.offers,
        request.take_likeliest,
        request.candidates,
        settings=replace(loaded_model.choice, sure_of_nothing=_NEVER)
        if found.undone
        else loaded_model.choice,
        known_fix=known_fix,
    )


def _rewrite_plan(
    loaded_model: LoadedModel, snapshot: Snapshot, request: EditRequest, scope: list[Range], page: Page
) -> Plan:
    assert loaded_model.chat is not None
    assert loaded_model.fences is not None
    page_scope = page.to_page_scope(scope)
    if request.choices is not None or request.lark is not None:
        raise RequestError("this model rewrites text: it cannot be held to choices or a grammar")
    asked = rewrite_prompt(page, page_scope, request, snapshot.language, loaded_model.chat.render)
    prompt = loaded_model.chat.encode(asked.prompt, [asked.content])
    opening = _behind(loaded_model, prompt, asked.prompt, asked.opening, asked.content)
    draft = _behind(loaded_model, prompt + opening, asked.prompt + asked.opening, asked.draft, asked.content)
    room = _room(loaded_model, len(prompt) + len(opening), page)
    rules = Rules(len(page), tuple(page_scope), unterminated=page.unterminated, at_end=page.at_end, sub=False)
    task = RewriteTask(
        vocabulary=loaded_model.vocabulary,
        prompt=prompt[-1:],
        opening=opening,
        draft=draft,
        machine=loaded_model.fences.of(len(asked.fence)),
        page=NgramIndex(prompt),
        views=page.views,
        first=asked.lines[0],
        last=asked.lines[1],
        shown=[_as_spelled(loaded_model, line) for line in asked.shown],
        indent=asked.indent,
    )
    longer = min(request.max_tokens, max(LONGER, len(draft)))
    return Plan(
        snapshot,
        request,
        scope,
        page,
        page_scope,
        rules,
        prompt[:-1],
        prompt[-1:],
        min(len(draft) + longer, room),
        lambda emitter: RewriteDecoder(task, emitter).run(),
    )


def _behind(loaded_model: LoadedModel, tokens: list[int], prompt: str, more: str, content: str) -> list[int]:
    """The tokens of `more` behind `prompt`, whose own are `tokens`: tokenised jointly, where that leaves these."""
    assert loaded_model.chat is not None
    joint = loaded_model.chat.encode(prompt + more, [content, more])
    if joint[: len(tokens)] == tokens:
        return joint[len(tokens) :]
    return loaded_model.vocabulary.encode(more)


def _as_spelled(loaded_model: LoadedModel, line: str) -> str:
    """A line as its tokens spell it: a tokenizer may lack some characters, which no answer can have then."""
    return loaded_model.vocabulary.decode(loaded_model.vocabulary.encode(line))


def _room(loaded_model: LoadedModel, used: int, page: Page) -> int:
    """Tokens the context leaves for generation. Raises ContextLengthError before anything is forwarded."""
    room = loaded_model.model.max_positions - used - SLACK
    if room < LEAST:
        longest = max(range(len(page)), key=lambda k: len(page.views[k]), default=0)
        raise ContextLengthError(
            f"the page and the request take {used} tokens of a context of {loaded_model.model.max_positions}"
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
