"""The engine itself in a race: it is made to write an edit's shortest program, over real forwards, cold and warm."""

from __future__ import annotations

from dataclasses import dataclass

from copydesk.editor import Document, Editor
from copydesk.errors import CopydeskError
from copydesk.oracle import oracle_program
from copydesk.oracle.token_cost import CodecCost
from copydesk.program import Program
from copydesk.serving.loaded_model import LoadedModel
from copydesk.serving.plan import Plan, script_of
from copydesk.text.document import Position
from copydesk_benchmarks.documents import Edit
from copydesk_benchmarks.rivals import Run
from copydesk_benchmarks.script import ScriptedModel
from copydesk_benchmarks.timing import stopwatch


@dataclass(frozen=True, slots=True)
class Prepared:
    """An edit that the engine will write: its shortest program, the plan that says on which page, and the program's tokens there
    with the position of the first."""

    plan: Plan
    program: Program
    script: tuple[int, list[int]]


class ScriptedEngine:
    """Edits have to be prepared before they are timed."""

    def __init__(self, loaded_model: LoadedModel) -> None:
        assert loaded_model.codec is not None
        self._timed = stopwatch(loaded_model.model.device)
        self.scripted = ScriptedModel(loaded_model.model)
        loaded_model.model = self.scripted
        self.editor = Editor(loaded_model, warm=False)
        self._cost = CodecCost(loaded_model.codec)

    def prepare(self, edit: Edit) -> Prepared:
        """Put the edit's gold program into the model's mouth."""
        prepared = prepare(self.editor, edit, self._cost)
        self.scripted.say(prepared.plan.asked, prepared.script)
        return prepared

    def cold(self, edit: Edit) -> Run:
        """On a document that was just opened: nothing is computed yet."""
        document = self.editor.open("race.py", edit.before)
        try:
            return self._edited(document, edit)
        finally:
            document.close()

    def warm(self, edit: Edit) -> Run:
        """On an open document whose page is warm, just after somebody typed and took it back: what was parsed is out of
        date."""
        document = self.editor.open("race.py", edit.before)
        try:
            self._settle(document, edit)
            place = Position(edit.scope[0] - 1, 0)
            document.splice(place, place, "#")
            document.splice(place, Position(edit.scope[0] - 1, 1), "")
            self._settle(document, edit)
            return self._edited(document, edit)
        finally:
            document.close()

    def close(self) -> None:
        self.editor.close()

    def _settle(self, document: Document, edit: Edit) -> None:
        document.look_at(*edit.scope)
        document.plan(edit.request)
        while document.warm_step():
            pass

    def _edited(self, document: Document, edit: Edit) -> Run:
        results = []
        before = self.scripted.calls
        seconds = self._timed(lambda: results.append(document.edit(edit.request)))
        (result,) = results
        if result.status != "edited" or result.text != edit.after:
            raise CopydeskError(f"the engine did not write the gold text of {edit.name!r}: {result.reason}")
        counts = result.counts
        spoken = counts.forced + counts.generated + counts.drafted
        return Run(seconds, self.scripted.calls - before, 0, spoken)


def prepare(editor: Editor, edit: Edit, cost: CodecCost, *, subs: bool = True) -> Prepared:
    """The edit's shortest program on the page that the editor would show. subs: else of copies and gens alone."""
    program = oracle_program(edit.before, edit.after, cost=cost, scope=[edit.scope], subs=subs)
    document = editor.open("race.py", edit.before)
    try:
        plan = document.plan(edit.request)
    finally:
        document.close()
    return Prepared(plan, program, script_of(editor.loaded_model, plan, program))
