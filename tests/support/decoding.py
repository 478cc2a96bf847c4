"""Decoding without an editor: a page, a request and a model, for the tests of the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from copydesk.decode.coroutine import Decided, Lane, Outcome
from copydesk.decode.counts import Counts
from copydesk.decode.drafts import NgramIndex
from copydesk.decode.parsed_text import ParsedText
from copydesk.decode.program_decoder import PageTask, ProgramDecoder
from copydesk.decode.sampling import Sampler
from copydesk.decode.schedule import Job, run
from copydesk.decode.text_automata import BodyTables
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.grammar.bodies import Bodies
from copydesk.grammar.olds import Olds
from copydesk.grammar.parsed_rules import ParsedRules
from copydesk.grammar.rules import Rules
from copydesk.models.feed import Feed
from copydesk.models.row import SHARED, Row
from copydesk.paging.page import Page
from copydesk.prompting.codec import Codec, special_tokens
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.prompt import PageTokens, page_tokens, request_tokens
from copydesk.prompting.vocabulary import ByteVocabulary
from copydesk.pushdown.interfaces import LanguageMasks, TextEffects
from copydesk.pushdown.languages import masks_for
from copydesk.request import EditRequest
from copydesk.schemas.catalogue import Schema
from copydesk.serving.parsing import held_page
from copydesk.text.document import split_lines, view_line


@cache
def byte_codec(kind: str = "lines", after_copy: str = "span", sub: bool = True) -> Codec:
    """A codec over single bytes: the smallest vocabulary there is."""
    format = EditFormat(kind=kind, after_copy=after_copy, sub=sub)  # type: ignore[arg-type]
    return Codec(format, ByteVocabulary(special_tokens(127) if kind == "lines" else ()))


_TABLES: dict[int, BodyTables] = {}


def tables(codec: Codec) -> BodyTables:
    if id(codec) not in _TABLES:
        _TABLES[id(codec)] = BodyTables(Bodies.build(codec))
    return _TABLES[id(codec)]


@cache
def masks(codec: Codec, effects: TextEffects[Any]) -> LanguageMasks:
    return masks_for(effects, codec.vocabulary.token_bytes)


@dataclass
class Desk:
    """One page of one document, ready to decode requests on a model."""

    codec: Codec
    page: Page
    tokens: PageTokens
    document_scope: list[tuple[int, int]]
    rules: Rules
    task: PageTask

    @classmethod
    def of(
        cls,
        codec: Codec,
        text: str,
        scope: Sequence[tuple[int, int]],
        *,
        instruction: str | None = None,
        choices: Sequence[str] | None = None,
        inner: Callable[..., Any] | None = None,
        drafts: bool = True,
        window: tuple[int, int] | None = None,
        header: tuple[int, int] | None = None,
        language: str = "",
        schema: Schema | None = None,
    ) -> Desk:
        """`scope` is in document lines; the page shows `window` behind `header`, by default the whole text. language: where an
        automaton knows it, programs keep the document parsable. schema: and what its automaton holds of it.
        """
        lines = split_lines(text)
        page = Page.of(lines, window or (1, len(lines)), header)
        document_scope, scope = list(scope), page.to_page_scope(scope)
        tokens = page_tokens(codec, page)
        views = page.views
        olds = Olds(codec, views, tokens.lines)
        rules = Rules(
            len(page),
            tuple(scope),
            unterminated=page.unterminated,
            at_end=page.at_end,
            sub=codec.format.sub,
            has_old=olds.has_legal_old,
        )
        request = EditRequest(instruction=instruction)
        held, parsed = rules, None
        of_parser = held_page(language, [view_line(line) for line in lines], page, schema)
        if of_parser is not None:
            held = ParsedRules.of(rules, of_parser)
            parsed = ParsedText(codec, tables(codec), masks(codec, of_parser.effects), held, views)
        task = PageTask(
            codec=codec,
            rules=held,
            bodies=tables(codec),
            olds=olds,
            views=views,
            lines=tokens.lines,
            request=request_tokens(codec, page, list(rules.scope), request),
            page=NgramIndex(tokens.ids),
            choices=choices,
            inner=inner,
            drafts=drafts,
            parsed=parsed,
        )
        return cls(codec, page, tokens, document_scope, rules, task)

    def warm(self, model: Any, row: Row | None = None) -> Row:
        row = row or model.new_row(len(self.tokens.ids) + 256)
        model.forward([Feed(row, SHARED, self.tokens.ids, range(len(self.tokens.ids)))])
        return row

    def job(
        self, row: Row, *, owner: int = 1, sampler: Sampler | None = None, max_tokens: int = 200
    ) -> tuple[Job, TokenEmitter]:
        lane = Lane(row, owner, len(self.tokens.ids))
        emitter = TokenEmitter(lane, sampler or Sampler(), Counts(), max_tokens)
        return Job(lane, ProgramDecoder(self.task, emitter).run()), emitter

    def decode(
        self, model: Any, row: Row | None = None, *, sampler: Sampler | None = None, max_tokens: int = 200
    ) -> tuple[Outcome, Counts, list[Decided]]:
        job, emitter = self.job(row or self.warm(model), sampler=sampler, max_tokens=max_tokens)
        events = [event for _, event in run(model, [job], lambda: None)]
        assert job.outcome is not None
        return job.outcome, emitter.counts, [event for event in events if isinstance(event, Decided)]
