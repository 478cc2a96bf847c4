"""One file on its way: what is asked of it, round by round, and what came of it.

Fixes whose scopes do not touch go together; the others wait for the next round, on the changed text, and are never merged. Each
fix is judged on its own and then together with the rest; what makes things worse is dropped. Knows documents, verdicts and ruff;
nothing of batches, and it writes nothing.
"""

from __future__ import annotations

import time
from bisect import bisect_left, insort
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Sequence
from dataclasses import replace

from copydesk.decode.counts import Counts
from copydesk.editor import Document, Editor
from copydesk.errors import CopydeskError, RequestError
from copydesk.quickfixes.scope import resolve_scope
from copydesk.request import Diagnostic, EditRequest, Range
from copydesk.results import EditResult
from copydesk.syntax.tree import parse
from copydesk.text.document import TextEdit, TextLines
from copydesk_server.headless.changes import Changes, Moves
from copydesk_server.headless.models import FileStatus, Fix, Rules
from copydesk_server.headless.source import Source
from copydesk_server.headless.verifier import Jury, by_ruff, refuse
from copydesk_server.project_imports import is_undefined_name, with_project_imports
from copydesk_server.verification import ERRORS, Judgement, finding

LEAST_TOKENS = 96
CHARACTERS_A_TOKEN = 2
"""Of a scope, for the budget of a fix: tokens have three or four, so it may grow by half and `LEAST_TOKENS`."""
ROUNDS = 100
"""That may change one file; what still waits then is left. Of those that change nothing there are no more than fixes."""


class FileTask:
    """A file and what is asked of it. `ready` are the requests to decode now; `answer` takes their results."""

    def __init__(
        self,
        source: Source,
        language: str,
        requests: Sequence[EditRequest],
        rules: Rules,
        editor: Editor,
        *,
        take: int | None = None,
    ) -> None:
        """take: the alternative that a person takes of an unsure answer, counted from 1."""
        self.source = source
        self.language = language
        self.rules = rules
        self.changes = Changes(source.text)
        self.fixes = [Fix(request) for request in requests]
        self.ms = dict.fromkeys(("load", "prefill", "decode", "total"), 0.0)
        self.ready: deque[Fix] = deque()
        self.error: str | None = None
        """Why nothing more can be done with it, and nothing of what was done is to be kept."""
        self._editor = editor
        self._take = take
        self._document: Document | None = None
        self._jury = Jury(source.target, language, rules)
        self._waiting = list(self.fixes)
        self._flight: list[Fix] = []
        self._round = 0
        self._changed = 0
        self._resolved: tuple[int, dict[Fix, Sequence[Range]]] | None = None
        self._left = 0
        self._answered = 0
        self._started = time.perf_counter()
        self._begin_round()

    @property
    def done(self) -> bool:
        return not self._flight

    @property
    def share(self) -> float:
        """How much of what is known to be asked is answered, from 0 to 1."""
        return self._answered / max(1, len(self.fixes), self._answered)

    @property
    def document(self) -> Document:
        if self._document is None:
            self._document = self._editor.open(
                str(self.source.path), self.changes.text, language=self.language
            )
        return self._document

    @property
    def status(self) -> FileStatus:
        if any(fix.applied for fix in self.fixes):
            return "edited"
        if any(fix.judgement is not None and fix.verdict == "refused" for fix in self.fixes):
            return "refused"
        return "unchanged"

    @property
    def counts(self) -> Counts:
        total = Counts()
        for fix in self.fixes:
            total += fix.counts
        return total

    def close(self) -> None:
        """Free what the model holds of it."""
        if self._document is not None:
            self._document.close()
            self._document = None
        self.ms["total"] = (time.perf_counter() - self._started) * 1e3

    # -- rounds --------------------------------------------------------------------------------------------------

    def _begin_round(self) -> None:
        """Take as many of those waiting as do not touch each other."""
        while self._waiting and not self.ready:
            if self._changed >= ROUNDS:
                refuse(self._waiting, f"still pending after {ROUNDS} changes; run the command again")
                self._waiting = []
                break
            self._round += 1
            taken = _Taken()
            later: list[Fix] = []
            for fix, scope in self._scopes():
                if taken.touch(scope):
                    later.append(fix)
                    continue
                taken.take(scope)
                fix.scope, fix.round = tuple(scope), self._round
                fix.request = _bounded(self._informed(fix.request), self.document.lines.lines, scope)
                self.ready.append(fix)
            self._waiting = later
        self._flight = list(self.ready)
        self._left = len(self._flight)

    def _scopes(self) -> list[tuple[Fix, Sequence[Range]]]:
        """Those waiting, and what each may change of the text as it stands; who has no place there is refused."""
        if self._resolved is None or self._resolved[0] != self._changed:
            self._resolved = self._changed, {}
        known, lines, tree = self._resolved[1], self.document.lines.lines, None
        found = list[tuple[Fix, Sequence[Range]]]()
        for fix in self._waiting:
            if fix not in known:
                tree = tree or parse(lines, self.language)
                try:
                    header = self._editor.loaded_model.format.header_lines
                    known[fix] = resolve_scope(lines, fix.request, self.language, header, tree)
                except CopydeskError as error:
                    refuse([fix], str(error))
                    continue
            found.append((fix, known[fix]))
        return found

    def _informed(self, request: EditRequest) -> EditRequest:
        """With the imports that the project is known to have for an undefined name."""
        projects, path = self.rules.projects, self.source.target
        if (
            projects is None
            or self.language != "python"
            or not any(map(is_undefined_name, request.diagnostics))
        ):
            return request
        return replace(
            request,
            diagnostics=with_project_imports(request.diagnostics, path, self.changes.text, projects.of(path)),
        )

    def answer(self, fix: Fix, result: EditResult) -> None:
        """A request's result. With the last of a round the file is to be settled."""
        if self._take is not None:
            result = _taken(result, self._take)
        fix.result = result
        fix.counts, fix.program = result.counts, result.program
        fix.law, fix.confidence, fix.alternatives = result.law, result.confidence, result.alternatives
        fix.known_fix = result.known_fix
        for key in ("prefill", "decode"):
            self.ms[key] += result.ms.get(key, 0.0)
        self._left -= 1
        self._answered += 1

    @property
    def answered(self) -> bool:
        """Whether the round has all its results and waits for `settle`."""
        return bool(self._flight) and not self._left

    def settle(self) -> None:
        """Judge the round and begin the next. It blocks while ruff runs, touches nothing but this file, and may be done in any
        thread while other files are decoded. A text that cannot be edited any more, because fixes made it too large, is `error`.
        """
        try:
            self._judge_round()
            self._begin_round()
        except CopydeskError as error:
            self.error = str(error)
            self.ready.clear()
            self._flight, self._waiting, self._left = [], [], 0

    def _judge_round(self) -> None:
        kept, leftovers = self._jury.hear(self.changes.text, self._flight, self._rules_asked)
        for number, fixes in enumerate(filter(None, (kept, *leftovers))):
            if number:
                self._round += 1
                self.fixes += fixes
            for fix in fixes:
                fix.round = self._round
            behind = [fix for step in leftovers[number : number + 1] for fix in step]
            self._apply(fixes, [found for fix in behind for found in fix.request.diagnostics])

    def _apply(self, fixes: Sequence[Fix], handled: Collection[Diagnostic]) -> None:
        """handled: findings that are new behind them, and gone with the next."""
        self._changed += 1
        for fix in fixes:
            fix.applied = True
        edits = [edit for fix in fixes for edit in fix.edits]
        before = TextLines(self.changes.text)
        self.changes.apply(edits)
        document = self.document
        for edit in sorted(edits, key=lambda e: e.start, reverse=True):
            document.splice(edit.start, edit.end, edit.new_text)
        self._move(before, edits, handled)

    @property
    def _rules_asked(self) -> tuple[str, ...]:
        """Rules that count besides the configuration's: those asked about, and those whose findings are to be fixed."""
        if self.rules.lint:
            # The findings are the configuration's, or those asked about.
            return (*self.rules.extend, *ERRORS) if self.rules.select else ()
        codes = {fix.diagnostic.code or "" for fix in self.fixes if fix.diagnostic and fix.diagnostic.by_ruff}
        return tuple(sorted({*self.rules.extend, *codes, *ERRORS}))

    # -- between rounds ------------------------------------------------------------------------------------------

    def _move(self, before: TextLines, edits: Sequence[TextEdit], handled: Collection[Diagnostic]) -> None:
        """Those waiting follow the text; ruff says which of its own are left, and what came to light."""
        after = self.document.lines
        tried = Counter(
            finding(fix.diagnostic)
            for fix in filter(_came_to_nothing, self.fixes)
            if fix.diagnostic is not None
        )
        said: list[Diagnostic] | None = None
        if self.rules.lint:
            said = self._jury.findings(after.text, select=self.rules.select)
        elif any(map(by_ruff, self._waiting)):
            said = self._jury.findings(after.text, extend=self._rules_asked)
        known = _Findings(said) if said is not None else None
        moves = Moves(before, edits, after)
        waiting: list[Fix] = []
        for fix in self._waiting:
            diagnostic = fix.diagnostic
            place = moves.moved(diagnostic) if diagnostic is not None else None
            if known is not None and diagnostic is not None and diagnostic.by_ruff:
                place = known.take(place or diagnostic, exact=place is not None)
                if place is None:
                    _gone(fix)
                    continue
            if place is None:
                refuse([fix], "another fix changed the same code; run the command again")
                continue
            fix.request = self.rules.request(place, fix.request.seed)
            waiting.append(fix)
        if known is not None and self.rules.lint:
            mended = set(handled)
            for diagnostic in known.left():
                key = finding(diagnostic)
                if tried[key]:
                    tried[key] -= 1
                elif diagnostic not in mended:
                    fix = Fix(self.rules.request(diagnostic))
                    self.fixes.append(fix)
                    waiting.append(fix)
            for fix in filter(_came_to_nothing, self.fixes):
                diagnostic = fix.diagnostic
                if diagnostic is not None and diagnostic.by_ruff and tried[finding(diagnostic)]:
                    tried[finding(diagnostic)] -= 1  # it is not there any more
                    _gone(fix)
        self._waiting = waiting


def _came_to_nothing(fix: Fix) -> bool:
    return fix.judgement is not None and not fix.applied and not fix.gone


def _gone(fix: Fix) -> None:
    """Its finding is not there any more."""
    fix.judgement = Judgement("confirmed", "gone with another fix", ("ruff",))
    fix.gone = True


def _taken(result: EditResult, number: int) -> EditResult:
    """The result with that alternative taken; refused where it has none such. What was refused or failed stays so."""
    if result.status in ("failed", "cancelled") or (result.status == "refused" and not result.unsure):
        return result
    try:
        return result.taken(number)
    except RequestError as error:
        return replace(result, status="refused", reason=str(error), edits=(), unsure=False)


class _Findings:
    """What ruff says of a text, each finding to be taken once."""

    def __init__(self, said: Sequence[Diagnostic]) -> None:
        self._left = dict(enumerate(said))
        self._at: dict[object, list[int]] = defaultdict(list)
        self._alike: dict[object, list[int]] = defaultdict(list)
        for number, diagnostic in self._left.items():
            self._at[diagnostic.code, diagnostic.start].append(number)
            self._alike[finding(diagnostic)].append(number)

    def take(self, diagnostic: Diagnostic, *, exact: bool) -> Diagnostic | None:
        """The same finding; where its place was edited, the nearest of its kind. It is not left then."""
        same = self._at[diagnostic.code, diagnostic.start] if exact else self._alike[finding(diagnostic)]
        left = (number for number in same if number in self._left)
        if exact:
            number = next(left, None)
        else:
            line = diagnostic.start.line
            number = min(left, key=lambda one: abs(self._left[one].start.line - line), default=None)
        return self._left.pop(number) if number is not None else None

    def left(self) -> list[Diagnostic]:
        """Those that nobody has taken, in order."""
        return list(self._left.values())


def _bounded(request: EditRequest, lines: Sequence[str], scope: Sequence[Range]) -> EditRequest:
    """A fix is about as long as what it changes; a model that goes on and on says so early, or one request costs more than all
    others of its file."""
    if not request.diagnostics:
        return request
    characters = sum(len(line) for first, last in scope for line in lines[first - 1 : last])
    most = LEAST_TOKENS + characters // CHARACTERS_A_TOKEN
    return replace(request, max_tokens=min(request.max_tokens, most))


class _Taken:
    """Ranges of lines that do not touch: no two share a line, and no insertion point lies in or at the edge of another."""

    def __init__(self) -> None:
        self._ranges: list[Range] = []

    def touch(self, scope: Sequence[Range]) -> bool:
        """Whether a range of `scope` touches one of these."""
        return any(
            _touch(one, other)
            for one in scope
            for at in (bisect_left(self._ranges, one),)
            for other in self._ranges[max(0, at - 2) : at + 2]
        )

    def take(self, scope: Sequence[Range]) -> None:
        for one in scope:
            insort(self._ranges, one)


def _touch(one: Range, other: Range) -> bool:
    """Whether two ranges share a line, or an insertion point lies in or at the edge of the other."""
    first, second = sorted((one, other))
    if first[1] < first[0] or second[1] < second[0]:
        return second[0] <= first[1] + 1
    return second[0] <= first[1]
