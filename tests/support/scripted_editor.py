"""An editor whose edits are a rule of the test: `serve` without a model, at once, in the order asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from copydesk.editor import Document, Editor
from copydesk.errors import CopydeskError
from copydesk.oracle import oracle_program
from copydesk.program import Copy
from copydesk.request import EditRequest
from copydesk.results import EditResult, Event, Status
from copydesk.serving.loaded_model import LoadedModel
from desks import editor

Rule = Callable[[str, EditRequest], str]
"""From a document's text and a request to the text after."""


class ScriptedEditor(Editor):
    def __init__(self, rule: Rule, loaded_model: LoadedModel | None = None) -> None:
        super().__init__(loaded_model or editor().loaded_model, warm=False)
        self.rule = rule
        self.served: list[str] = []
        self.together = 0
        self.unsure: Status | None = None
        """How the model answers where it is unsure: it refuses, or takes the likeliest. None: it is sure."""

    def serve(
        self, supply: Callable[[], Any], lanes: int, *, cancel: Any = None, **_: Any
    ) -> Iterator[tuple[int, Event]]:
        flight: list[tuple[int, Document, EditRequest]] = []
        taken = 0
        while True:
            while len(flight) < lanes and (given := supply()) is not None:
                flight.append((taken, *given))
                taken += 1
            if not flight:
                return
            self.together = max(self.together, len(flight))
            index, document, request = flight.pop(0)
            if cancel is not None and cancel.is_set():
                for number, *_rest in [(index, document), *flight]:
                    yield number, EditResult("cancelled", "", reason="cancelled")
                return
            self.served.append(document.name)
            yield index, self._result(document, request)

    def _result(self, document: Document, request: EditRequest) -> EditResult:
        before = document.text
        try:
            document.layout.page_for(request.scope or [(1, 1)])
            after = self.rule(before, request)
        except CopydeskError as error:
            return EditResult("failed", before, reason=str(error))
        program = oracle_program(before, after)
        edits = tuple(program.edits(before))
        changed = any(not isinstance(op, Copy) for op in program.ops) or before != after
        if self.unsure == "refused":
            return EditResult("refused", before, reason="unsure what to change", unsure=True)
        unsure = self.unsure is not None
        return EditResult(
            "edited" if changed else "unchanged",
            before,
            program=program,
            edits=edits,
            unsure=unsure,
            known_fix=True,
        )
