"""Decoding a program op by op on one page.

Depends on the page, its rules and its codec, not on documents, caches or clocks.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from copydesk.decode.coroutine import Decided, Outcome, Steps
from copydesk.decode.drafts import Draft, NgramIndex, RunDraft
from copydesk.decode.emitter import Emitter
from copydesk.decode.laws.look_ahead import LOCAL
from copydesk.decode.lookahead import Tree, leading
from copydesk.decode.parsed_text import ParsedText
from copydesk.decode.text_automata import BodyTables, Machine, OldMachine
from copydesk.grammar.olds import Olds
from copydesk.grammar.rules import Rules, State
from copydesk.grammar.trie import MAX_NODES, finite_choices
from copydesk.program import Copy, Gen, Op, Program, Sub, SubSpan, sub_span
from copydesk.prompting.codec import Codec, Ids

MAX_AHEAD = MAX_NODES - 1
"""Tokens of lookahead fed at an op boundary. Beyond, a forward of its own is cheaper."""


@dataclass(slots=True)
class PageTask:
    """All a decoder needs to know of its page and request.

    views, lines: the page's lines as view text and as raw tokens. request: tokens behind the page's prefix, up to and
    with `program_open`. narrow: the new texts a diagnostic leaves for a sub, from its line and the
    offsets of its old text. choices: the finite list new text is chosen from. inner: the machine of an inner grammar for new
    text (`InnerMachine` behind its grammar), from the text's start state and its closing literal. parsed: new text that leaves
    the document parsable, where `rules` are held to that.
    """

    codec: Codec
    rules: Rules
    bodies: BodyTables
    olds: Olds
    views: Sequence[str]
    lines: Sequence[Ids]
    request: Sequence[int]
    page: NgramIndex
    choices: Sequence[str] | None = None
    inner: Callable[[BodyTables, int, Ids], Machine] | None = None
    narrow: Callable[[int, int, int], Sequence[str]] | None = None
    parsed: ParsedText | None = None
    drafts: bool = True


class ProgramDecoder:
    """One decoder: `run()` is its conversation with the scheduler."""

    def __init__(self, task: PageTask, emitter: Emitter) -> None:
        self.task = task
        self.emitter = emitter
        self.ops: list[Op] = []
        self._known_fix = task.narrow is not None

    def run(self) -> Steps:
        self.emitter.pending.extend(self.task.request)
        return (yield from self.behind_request())

    def behind_request(self) -> Steps:
        """As `run`, where the request is written already."""
        return (yield from self._from(self.task.rules.start()))

    def first_copies(self) -> list[Copy]:
        """Every copy the program may begin with."""
        rules = self.task.rules
        state = rules.start()
        starts = rules.copy_starts(state)
        return [Copy(i, j) for i in starts for run in rules.copy_ends(state, i) for j in run]

    def behind(self, copied: Copy) -> Steps:
        """As `run`, where request and first copy are written already."""
        state = self._copied(self.task.rules.start(), copied.start, copied.end)
        return (yield from self._from(state))

    def _from(self, state: State) -> Steps:
        task, emitter, rules = self.task, self.emitter, self.task.rules
        literals = task.codec.literals
        opening = {
            "copy": literals.copy_open,
            "gen": literals.gen_open,
            "sub": literals.sub_open,
            "end": literals.end,
        }
        while True:
            options = rules.options(state)
            if emitter.truncated:
                op = rules.closing(state)
                emitter.force(opening[op])
            else:
                ahead = self._ahead(state, options)
                chosen = yield from emitter.choose(
                    [opening[name] for name in options], law=LOCAL, ahead=ahead
                )
                op = options[chosen]
            if op == "end":
                break
            if op == "copy":
                state = yield from self._copy(state)
            elif op == "gen":
                state = yield from self._gen(state)
            else:
                state = yield from self._sub(state)
        return Outcome(
            Program(tuple(self.ops)),
            exact=emitter.exact,
            law=emitter.law,
            mask_error=emitter.mask_error,
            truncated=emitter.truncated,
            looped=emitter.looped,
            log_likelihood=emitter.sampler.log_likelihood,
            known_fix=self._known_fix and self._position() == rules.lines,
        )

    def _ahead(self, state: State, options: Sequence[str]) -> list[Sequence[int]]:
        """What each op would ask the model next, as far as that is few tokens: up to a gen's first token, a sub's old text, a
        copy's last number. Then the op and the decision behind it share one forward.
        """
        rules, codec = self.task.rules, self.task.codec
        literals = codec.literals
        groups: list[list[Sequence[int]]] = []
        if "gen" in options:
            groups.append([literals.gen_open])
        if "sub" in options:
            lines = rules.sub_starts(state)
            groups.append([(*literals.sub_open, *codec.sub_start(start)) for start in lines[:MAX_AHEAD]])
        if "copy" in options:
            starts = rules.copy_starts(state)
            spans = self._whole_spans(state, starts)
            if spans is None:
                groups.append([(*literals.copy_open, *codec.copy_start(i)) for i in starts[:MAX_AHEAD]])
            else:
                groups.append([(*literals.copy_open, *self._spelled(i, j)[:-1]) for i, j in spans])
        if state.previous in ("gen", "sub"):
            groups.reverse()  # behind a change a copy comes first to mind, behind a copy a change
        paths: list[Sequence[int]] = []
        for group in groups:
            distinct = list(dict.fromkeys(map(tuple, group)))
            if len(distinct) <= MAX_AHEAD and len(Tree([*paths, *distinct])) <= MAX_AHEAD:
                paths += distinct
        return paths

    def _whole_spans(self, state: State, starts: Sequence[int]) -> list[tuple[int, int]] | None:
        """Every legal span, or None where their trie has too many nodes to be scored in one forward."""
        if len(starts) > self.emitter.max_nodes:
            return None
        spans = [(i, j) for i in starts for run in self.task.rules.copy_ends(state, i) for j in run]
        if len(starts) > 1:
            scored = leading((self._spelled(i, j) for i, j in spans), self.emitter.max_nodes - 1)
            return spans if len(scored) == len(spans) else None
        return spans

    def _spelled(self, start: int, end: int) -> Ids:
        return self.task.codec.copy_start(start) + self.task.codec.copy_end(end)

    # -- copy ----------------------------------------------------------------------------------------------------

    def _copy(self, state: State) -> Generator[Any, Any, State]:
        task, emitter, rules = self.task, self.emitter, self.task.rules
        codec = task.codec
        starts = rules.copy_starts(state)
        if emitter.truncated:
            start, end = rules.closing_span(state)
            emitter.force((*codec.copy_start(start), *codec.copy_end(end)))
        else:
            if len(starts) == 1:
                yield from self._decided(starts[0])
            start, end = yield from self._span(state, starts)
        return self._copied(state, start, end)

    def _copied(self, state: State, start: int, end: int) -> State:
        """A copy whose numbers are written: its span enters the context where something follows."""
        task, emitter, rules = self.task, self.emitter, self.task.rules
        codec, last = task.codec, rules.lines
        self._known_fix &= start == self._position() + 1
        self.ops.append(Copy(start, end))
        if end < last or rules.open_end:
            span = codec.span(task.lines, start, end)
            emitter.pending.extend(span)
            emitter.counts.copied += len(span)
        emitter.counts.covered += sum(len(line) for line in task.lines[start - 1 : end])
        return rules.after_copy(state, start, end)

    def _span(self, state: State, starts: Sequence[int]) -> Generator[Any, Any, tuple[int, int]]:
        """Choose a span as a whole; where that takes too many nodes, its start by how its ends may begin, and then its end."""
        emitter, rules, codec = self.emitter, self.task.rules, self.task.codec
        spans = self._whole_spans(state, starts)
        if spans is not None:
            index = yield from emitter.choose([self._spelled(i, j) for i, j in spans])
            if len(starts) > 1:
                yield from self._decided(spans[index][0])
            return spans[index]
        heads = [codec.copy_start(start) for start in starts]
        chosen: int | None = 0
        if len(starts) == 1:
            emitter.force(heads[0])
        elif len(starts) > emitter.max_nodes:
            chosen = None
        else:
            chosen = yield from emitter.choose_head(
                [self._begun(state, start, head) for start, head in zip(starts, heads, strict=True)], heads
            )
        if chosen is None:
            chosen = yield from emitter.choose(heads)
            emitter.laws.add("local")
        start = starts[chosen]
        if len(starts) > 1:
            yield from self._decided(start)
        ends = [end for run in rules.copy_ends(state, start) for end in run]
        chosen = yield from emitter.choose([codec.copy_end(end) for end in ends])
        return start, ends[chosen]

    def _begun(self, state: State, start: int, head: Ids) -> list[Ids]:
        """The copies from `start`, up to the first token of their ends."""
        ends = (end for run in self.task.rules.copy_ends(state, start) for end in run)
        return [(*head, token) for token in dict.fromkeys(self.task.codec.copy_end(end)[0] for end in ends)]

    # -- gen -----------------------------------------------------------------------------------------------------

    def _gen(self, state: State) -> Generator[Any, Any, State]:
        task, emitter, rules = self.task, self.emitter, self.task.rules
        close = task.codec.literals.gen_close
        self._known_fix = False
        if task.choices and not emitter.truncated:
            text = yield from self._chosen(task.choices, close, ends_line=True)
        else:
            machine: Machine = task.bodies.gen(rules.may_drop_eol(state))
            if task.inner:
                machine = task.inner(task.bodies, task.bodies.bodies.gen(), close)
            elif task.parsed:
                machine = task.parsed.gen(state) or machine
            replaced = [
                token
                for line in task.lines[
                    state.position : max(state.position, rules.sub_limit(state.position + 1))
                ]
                for token in line
            ]
            ids = yield from emitter.text(machine, self._draft(replaced))
            text = task.codec.read_body(ids[: len(ids) - len(close)])
        self.ops.append(Gen(text))
        return rules.after_gen(state, not text.endswith("\n"), text)

    # -- sub -----------------------------------------------------------------------------------------------------

    def _sub(self, state: State) -> Generator[Any, Any, State]:
        task, emitter, rules = self.task, self.emitter, self.task.rules
        codec, literals = task.codec, task.codec.literals
        starts = list(rules.sub_starts(state))
        chosen = yield from emitter.choose([codec.sub_start(start) for start in starts])
        start = starts[chosen]
        limit = rules.sub_reach(state, start)
        reach = task.lines[start - 1 : min(limit, start - 1 + codec.format.sub_lines)]
        draft = RunDraft([token for line in reach for token in line]) if task.drafts else self._draft(())
        ids = yield from emitter.text(OldMachine(task.olds, start, limit), draft, quoted=True)
        run = ids[: len(ids) - len(literals.sub_to)]
        old = codec.vocabulary.decode(run)
        found = sub_span(task.views, start, old, max_lines=codec.format.sub_lines)
        assert found is not None, "the grammar let an old text through that is not legal"
        narrowed = self._narrowed(state, start, found)
        self._known_fix &= bool(narrowed) and not emitter.truncated
        choices = task.choices or narrowed
        if choices and not emitter.truncated:
            new = yield from self._chosen(choices, literals.sub_close, ends_line=found.ends_line)
        else:
            machine: Machine = task.bodies.new(found.ends_line)
            if task.inner:
                machine = task.inner(task.bodies, task.bodies.bodies.sub(found.ends_line), literals.sub_close)
            elif task.parsed:
                machine = task.parsed.new(state, start, found, old) or machine
            ids = yield from emitter.text(machine, self._draft(run))
            new = codec.read_fragment(ids[: len(ids) - len(literals.sub_close)])
        op = Sub(start, found.end_line, old, new)
        self.ops.append(op)
        kept = task.views[op.end - 1][found.end_offset :]
        changed = task.views[start - 1][: found.offset] + new + kept
        return rules.after_sub(state, op.end, not (kept or new).endswith("\n"), changed)

    # -- shared --------------------------------------------------------------------------------------------------

    def _narrowed(self, state: State, line: int, found: SubSpan) -> list[str]:
        """The finite list that a diagnostic leaves for a sub inside one line, best guesses first, as long as one forward can
        score it."""
        if self.task.narrow is None or found.end_line != line:
            return []
        codec, texts = self.task.codec, self.task.narrow(line, found.offset, found.end_offset)
        if self.task.parsed is not None:
            texts = [text for text in texts if self.task.parsed.takes(state, line, found, text)]
        spelled = (codec.fragment(text) + codec.literals.sub_close for text in texts)
        return list(texts[: len(leading(spelled, self.emitter.max_nodes - 1))])

    def _chosen(self, choices: Sequence[str], close: Ids, *, ends_line: bool) -> Generator[Any, Any, str]:
        texts, trie = finite_choices(self.task.codec, choices, close, ends_line=ends_line)
        index = yield from self.emitter.choose(trie.sequences)
        return texts[index]

    def _draft(self, source: Sequence[int]) -> Draft:
        return Draft(source, self.task.page) if self.task.drafts else Draft((), self.task.page, 0)

    def _decided(self, start: int) -> Generator[Any, Any, None]:
        """The next copy starts at page line `start`: what lies before it is final."""
        if (self.ops and not isinstance(self.ops[-1], Copy)) or start > self._position() + 1:
            yield Decided(Program((*self.ops, Copy(start, self.task.rules.lines))))

    def _position(self) -> int:
        return max((op.end for op in self.ops if not isinstance(op, Gen)), default=0)
