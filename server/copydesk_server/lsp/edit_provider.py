"""From an edit task to its outcome: at once where the fix was prefetched, else by the engine; one fix, or all of a document.

The light bulb, commands and `copydesk/edit` all come through here.
"""

from __future__ import annotations

from copydesk.request import Diagnostic
from copydesk_server.engine_process.edit_outcome import EditOutcome
from copydesk_server.lsp.edit_errors import modified
from copydesk_server.lsp.edit_service import EditService
from copydesk_server.lsp.edit_task import EditTask
from copydesk_server.lsp.fix_all import FixAll
from copydesk_server.lsp.model_advice import ModelAdvice
from copydesk_server.lsp.prefetch import Prefetch
from copydesk_server.lsp.programs import Programs
from copydesk_server.lsp.rebase import move_diagnostic
from copydesk_server.lsp.renaming import Renaming


class EditProvider:
    """Answers edits a person asked for."""

    def __init__(
        self,
        edits: EditService,
        prefetch: Prefetch,
        fix_all: FixAll,
        programs: Programs,
        renaming: Renaming,
        model_advice: ModelAdvice,
    ) -> None:
        self._edits, self._prefetch, self._fix_all, self._programs = edits, prefetch, fix_all, programs
        self._renaming, self._model_advice = renaming, model_advice

    async def obtain(self, task: EditTask) -> EditOutcome:
        """The outcome, for the document as it stands when this returns. Raises StoppedError."""
        if task.kind == "fixAll":
            return await self._fix_all.run(task)
        instruction, lines = task.request.instruction, task.place
        if instruction is not None and lines is not None:
            refusal = await self._renaming.refusal(task.document, lines, instruction)
            if refusal is not None:
                return EditOutcome("refused", refusal, task.document.version)
            if task.document.version != task.version:
                raise modified()
        outcome = None
        if task.diagnostic is not None and task.request.candidates == 1:
            outcome = self._prefetch.lookup(task.document, task.diagnostic)
        if outcome is None:
            task.title = "copydesk: fixing" if task.kind == "fix" else "copydesk: editing"
            outcome = await self._edits.run(task)
            if task.diagnostic is not None and outcome.status in ("refused", "unchanged"):
                self._learn(task, task.diagnostic, outcome)
        self._programs.made(task.document, outcome)
        self._model_advice.look_at(task, outcome)
        return outcome

    def _learn(self, task: EditTask, diagnostic: Diagnostic, outcome: EditOutcome) -> None:
        """A fix that came to nothing is not offered again as long as its lines are the same."""
        changes = task.document.changes_since(task.version)
        there = move_diagnostic(diagnostic, changes) if changes is not None else None
        if there is not None and outcome.version == task.document.version:
            self._prefetch.learn(task.document, there, outcome)
