"""The facade: documents, requests, events.

    editor = Editor.load()                        # the standard model if installed; or a name, a directory, a hub id
    document = editor.open("a.py", text)          # warms in the background
    document.splice(start, end, new_text)         # as the person types; re-warms from the first changed line
    result = document.edit(EditRequest(scope=[(10, 14)], instruction="use a context manager"))
    result.status, result.edits, result.text, result.counts

The editor reads the clock and keeps files in the user's cache folder, so that nothing below it has to. Calls may come from any
thread; the model runs one forward at a time, and whoever waits to change a document waits for one forward at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from platformdirs import user_cache_path

from copydesk.cache import PageCache
from copydesk.errors import (
    CacheError,
    ContextLengthError,
    CopydeskError,
    DocumentTooLargeError,
    EditorClosedError,
    OutOfMemoryError,
)
from copydesk.models.pace import UNBOUNDED, Pace, measured
from copydesk.paging.layout import PageLayout
from copydesk.request import EditRequest, Range
from copydesk.results import EditResult, Event
from copydesk.served.address import is_served
from copydesk.serving.batch import Batch, Prepared, Supply
from copydesk.serving.fair_lock import FairLock
from copydesk.serving.interpreter_exit import stop_at_exit
from copydesk.serving.loaded_model import LoadedModel
from copydesk.serving.plan import LIMITS, Plan, make_plan, page_prefix
from copydesk.serving.served_batch import ServedBatch
from copydesk.serving.served_loading import load_served
from copydesk.serving.snapshot import Snapshot
from copydesk.serving.warming import Warmer
from copydesk.syntax.tree import LiveSyntax
from copydesk.text.document import Encoding, Position, TextLines, split_lines
from copydesk.text.languages import LANGUAGES
from copydesk.text.limits import Limits, byte_count

CACHE_BYTES = 1 << 30
"""Default budget of the KV cache on a CPU, at most."""
LEAST_CACHE_BYTES = 3 << 26
"""At least: some 11 warm pages of `standard`, 60 of the embedded model, with room for a request on each."""
LONG_PAGES = 4
"""So many of a model's longest pages have room in between, by `TOKENS_A_LINE`."""
TOKENS_A_LINE = 16
CUDA_SHARE = 0.5
"""Share of the free memory of a CUDA device that the KV cache may take."""

FORWARD_SECONDS = 0.055
"""What a person does not notice: a keystroke waits for one forward at most. Aimed at: one in a hundred takes a tenth longer."""


class CancelFlag(Protocol):
    """`threading.Event` is one."""

    def is_set(self) -> bool: ...


class Editor:
    """One model, its KV cache and the documents open on it. As a context manager it is closed at the end; so it is when the
    interpreter ends.
    """

    def __init__(
        self,
        loaded_model: LoadedModel,
        *,
        cache_bytes: int | None = None,
        warm: bool = True,
        limits: Limits = LIMITS,
        pace: Pace = UNBOUNDED,
    ) -> None:
        """limits: larger texts are refused by name. pace: how long a forward may take.

        `warm`: keep a thread that warms pages while nobody asks for anything; without it call `warm_step`."""
        self.loaded_model = loaded_model
        self.limits = limits
        self.lock = FairLock()
        budget = cache_bytes if cache_bytes is not None else _default_budget(loaded_model)
        self.cache = PageCache(loaded_model.model, budget, pace)
        self.documents: dict[int, Document] = {}
        self._next = 1
        self._waiting = set[object]()  # a set: adding and removing are atomic, counting is not
        self._closed = False
        self._warmer = Warmer(self.warm_step, lambda: bool(self._waiting)) if warm else None
        stop_at_exit(self)

    @classmethod
    def load(
        cls,
        model: str | Path | None = None,
        device: str = "auto",
        *,
        dtype: str = "auto",
        cache_bytes: int | None = None,
        warm: bool = True,
        limits: Limits = LIMITS,
        forward_seconds: float | None = FORWARD_SECONDS,
        served_model: str | None = None,
    ) -> Editor:
        """`model`: a name (`mini` is the embedded model), directory or hub id; None: `standard` where it is installed and
        current, else `mini`; or the address of a served one, `llamacpp:http://HOST:PORT`, and then `served_model` is the server's
        name for it. forward_seconds: about how long a forward may take on a CPU at most, which is how long a change or a
        cancel waits; None: as long as it takes, where only the whole counts. Raises ModelError, TokenizerError, FormatError,
        ServerError.
        """
        folder = user_cache_path("copydesk")
        if isinstance(model, str) and is_served(model):
            served = load_served(model, served_model, folder)
            return cls(served, cache_bytes=cache_bytes, warm=warm, limits=limits)
        loaded_model = LoadedModel.load(model, device=device, dtype=dtype, cache_folder=folder)
        return cls(
            loaded_model,
            cache_bytes=cache_bytes,
            warm=warm,
            limits=limits,
            pace=UNBOUNDED if forward_seconds is None else measured(loaded_model.model, forward_seconds),
        )

    def open(self, name: str, text: str, *, language: str | None = None, version: int = 0) -> Document:
        """A document to edit. `name` tells its language where `language` does not.

        Raises DocumentTooLargeError, before anything is made of the text, and EditorClosedError.
        """
        with self.lock:
            self.check_open()
            language = language or LANGUAGES.get(Path(name).suffix.lower(), "")
            document = Document(self, self._next, name, text, language, version)
            self._next += 1
            self.documents[document.id] = document
        self._stir()
        return document

    def edit_all(
        self,
        requests: Sequence[tuple[Document, EditRequest]],
        *,
        cancel: CancelFlag | None = None,
        deadline: float | None = None,
        encoding: Encoding | str = Encoding.UTF16,
    ) -> Iterator[tuple[int, Event]]:
        """Decode several requests together, sharing forwards and, on one page, its prefix. Yields (index, event).

        deadline: seconds from now. A request that cannot be served gets a `failed` result; the others go on.
        """
        plans: list[tuple[Document, Plan | CopydeskError]] = []
        for document, request in requests:
            try:
                with self.lock:
                    plans.append((document, document.plan(request)))
            except CopydeskError as error:
                plans.append((document, error))
        return self.run_plans(plans, cancel=cancel, deadline=deadline, encoding=encoding)

    def run_plans(
        self,
        plans: Sequence[tuple[Document, Plan | CopydeskError]],
        *,
        cancel: CancelFlag | None = None,
        deadline: float | None = None,
        encoding: Encoding | str = Encoding.UTF16,
        lanes: int | None = None,
    ) -> Iterator[tuple[int, Event]]:
        """As `edit_all`, for requests that `Document.plan` has made ready. A plan stands for the version it was made on, however
        its document changes before or while it runs, and may be run again. With `lanes` at most so many run together, as in
        `serve`.
        """
        prepared: list[Prepared] = [(document.id, document.lines, plan) for document, plan in plans]
        waiting = iter(prepared)
        return self._run(lambda: next(waiting, None), cancel, deadline, encoding, lanes)

    def serve(
        self,
        supply: Callable[[], tuple[Document, EditRequest] | None],
        lanes: int,
        *,
        cancel: CancelFlag | None = None,
        encoding: Encoding | str = Encoding.UTF16,
    ) -> Iterator[tuple[int, Event]]:
        """Decode requests as they come, at most `lanes` together: when one ends, another joins those still on their way.

        supply: the next request, or None for now; it is asked again after every result, and the stream ends when it has none
        and nothing is in flight. Yields (index, event), requests counted as they were supplied. Fewer lanes are used where the
        cache has no room for so many pages.
        """

        def prepare() -> Prepared | None:
            given = supply()
            if given is None:
                return None
            document, request = given
            try:
                with self.lock:
                    plan: Plan | CopydeskError = document.plan(request)
            except CopydeskError as error:
                plan = error
            return document.id, document.lines, plan

        return self._run(prepare, cancel, None, encoding, max(1, lanes))

    def _run(
        self,
        supply: Supply,
        cancel: CancelFlag | None,
        deadline: float | None,
        encoding: Encoding | str,
        lanes: int | None = None,
    ) -> Iterator[tuple[int, Event]]:
        ends = None if deadline is None else time.perf_counter() + deadline

        def stop() -> str | None:
            self.lock.give_way()  # between two forwards a document may change: plans stand on versions of their own
            if self._closed:
                return "cancelled"
            if cancel is not None and cancel.is_set():
                return "cancelled"
            return "deadline" if ends is not None and time.perf_counter() >= ends else None

        served = self.loaded_model.served
        batch = (
            Batch(self.loaded_model.model, self.cache, supply, stop, encoding, lanes).run()
            if served is None
            else ServedBatch(served, supply, stop, encoding, lanes).run()
        )
        self._waiting.add(batch)
        try:
            while True:
                with self.lock:
                    event = next(batch, None)
                if event is None:
                    return
                yield event
        finally:
            self._waiting.discard(batch)
            with self.lock:
                batch.close()
            self._stir()

    def warm_step(self) -> bool:
        """Warm one chunk of the page that wants it most; False when every page in sight is warm."""
        with self.lock:
            for document in sorted(self.documents.values(), key=lambda d: -d.touched):
                if document.warm_step():
                    return True
        return False

    def check_integrity(self) -> None:
        """Raises CacheError where the cache's books do not balance."""
        with self.lock:
            self.cache.check_integrity()

    def close(self) -> None:
        """Cancel what runs, stop warming and free the cache; a second call does nothing.

        Waits for one forward at most. Afterwards opening and editing raise EditorClosedError.
        """
        self._closed = True
        if self._warmer is not None:
            self._warmer.close()
        with self.lock:
            for document in list(self.documents.values()):
                document.close()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def check_open(self) -> None:
        """Raises EditorClosedError."""
        if self._closed:
            raise EditorClosedError("the editor is closed")

    def stop_for_exit(self) -> None:
        """Close, and keep the lock for good: a thread that is left waits for it in Python, where it can be ended."""
        self.lock.release_all()  # an interrupt may have left it to the main thread, which has ended
        self.close()
        self.lock.acquire()

    def _stir(self) -> None:
        if self._warmer is not None:
            self._warmer.stir()

    def __enter__(self) -> Editor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Document:
    """One open document. Positions are LSP's, 0-based, in the encoding named with each call."""

    def __init__(self, editor: Editor, id: int, name: str, text: str, language: str, version: int) -> None:
        self._editor = editor
        self.id = id
        self.name = name
        self.language = language
        self.version = version
        self._most = byte_count(text)
        """Bytes it has at most: a recount costs a pass, which is made where this is too many."""
        editor.limits.check_document(self._most)
        self.lines = TextLines(text)
        editor.limits.check_lines(self.lines.lines)
        self.layout = PageLayout(self.lines.lines, editor.loaded_model.format, language)
        self._syntax = LiveSyntax(self.lines.lines, language)
        self.touched = time.monotonic()
        self._sight: tuple[Range, ...] = ((1, 1),)
        self._cold = True

    @property
    def text(self) -> str:
        return self.lines.text

    def splice(
        self,
        start: Position,
        end: Position,
        new_text: str,
        *,
        version: int | None = None,
        encoding: Encoding | str = Encoding.UTF16,
    ) -> None:
        """Replace a range. Costs time in the edit, not in the file; pages re-warm from the first changed line.

        Raises DocumentError for a range turned round, DocumentTooLargeError for a text beyond the limits, and changes nothing.
        """
        editor = self._editor
        with editor.lock:
            self._grow(start, end, new_text, encoding)
            change = self.lines.splice(start, end, new_text, encoding)
            self.version = self.version + 1 if version is None else version
            self._syntax.note(change)
            moved = self.layout.splice(change, self.lines.lines)
            for key in moved.died:
                editor.cache.drop((self.id, key))
            self._sight = ((change.first + 1, change.first + max(1, change.new_count)),)
            self.touched = time.monotonic()
            self._cold = True
        editor._stir()

    def _grow(self, start: Position, end: Position, new_text: str, encoding: Encoding | str) -> None:
        """Raises DocumentTooLargeError where the document would be."""
        limits, added = self._editor.limits, byte_count(new_text)
        if self._most + added > limits.document_bytes:
            kept = sum(map(byte_count, self.lines.lines)) - byte_count(
                self.lines.between(start, end, encoding)
            )
            limits.check_document(kept + added)
            self._most = kept
        if added > limits.line_bytes:
            limits.check_lines(split_lines(new_text))
        self._most += added

    def look_at(self, first: int, last: int, *others: Range) -> None:
        """The person sees lines first..last (1-based), and perhaps others: their pages are warmed, in this order."""
        with self._editor.lock:
            self._sight = ((first, last), *others)
            self._cold = True
        self._editor._stir()

    def edit(
        self,
        request: EditRequest,
        *,
        cancel: CancelFlag | None = None,
        deadline: float | None = None,
        encoding: Encoding | str = Encoding.UTF16,
    ) -> EditResult:
        """Decode a request to its end.

        Raises ScopeError (a scope outside the file, or spread over more than a page shows), ContextLengthError (a line longer
        than the context), RequestError, GrammarError, DocumentTooLargeError (nested too deeply),
        EditorClosedError: document and cache are as before.
        """
        for event in self.stream(request, cancel=cancel, deadline=deadline, encoding=encoding):
            if isinstance(event, EditResult):
                return event
        raise AssertionError("a stream ends with its result")

    def stream(
        self,
        request: EditRequest,
        *,
        cancel: CancelFlag | None = None,
        deadline: float | None = None,
        encoding: Encoding | str = Encoding.UTF16,
    ) -> Iterator[Event]:
        """Hunks as they become final, a retraction if a check fails after that, then the result. Raises as `edit`."""
        with self._editor.lock:
            plan = self.plan(request)
        run = self._editor.run_plans([(self, plan)], cancel=cancel, deadline=deadline, encoding=encoding)
        for _, event in run:
            yield event

    def plan(self, request: EditRequest) -> Plan:
        """`request` made ready on the document as it stands. Raises as `edit`."""
        self._editor.check_open()
        snapshot = Snapshot(
            self.lines.snapshot(), self.version, self.language, self._syntax.parsed(), self.name
        )
        try:
            return make_plan(self._editor.loaded_model, snapshot, self.layout, request, self._editor.limits)
        except RecursionError:
            raise DocumentTooLargeError(
                "the code round the request is nested too deeply to be edited"
            ) from None

    def warm_step(self) -> bool:
        """Forward at most one chunk of a page in sight that is not warm; False when all are."""
        if not self._cold:
            return False
        cache, loaded_model = self._editor.cache, self._editor.loaded_model
        if loaded_model.served is not None:
            self._cold = False  # a server keeps prefixes of its own
            return False
        near = (key for sight in self._sight for key in self.layout.keys_near(*sight))
        for key in dict.fromkeys(near):
            try:
                tokens = page_prefix(loaded_model, self.layout.page(key), self.language, self._editor.limits)
            except ContextLengthError:
                continue
            if len(tokens) >= loaded_model.model.max_positions:
                continue  # a request on it will say so
            try:
                if cache.warm_chunk((self.id, key), tokens):
                    return True
            except (CacheError, OutOfMemoryError):
                break  # no room: requests make their own
        self._cold = False
        return False

    def close(self) -> None:
        """Free the document's pages."""
        with self._editor.lock:
            self._editor.documents.pop(self.id, None)
            self._editor.cache.drop_all(self.id)


def _default_budget(loaded_model: LoadedModel) -> int:
    device = loaded_model.model.device
    if device.type != "cuda":
        model = loaded_model.model
        page = min(model.max_positions, loaded_model.format.page_lines * TOKENS_A_LINE)
        return min(CACHE_BYTES, max(LEAST_CACHE_BYTES, LONG_PAGES * page * model.kv_bytes_per_slot))
    import torch

    free, _ = torch.cuda.mem_get_info(device)
    return int(free * CUDA_SHARE)
