"""Verification of fixes off the event loop: parsing and ruff take a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NotRequired, Protocol, TypedDict, Unpack

from copydesk.request import Diagnostic
from copydesk_server.lsp.uris import path_of

if TYPE_CHECKING:
    from copydesk_server.project_imports import Projects
    from copydesk_server.ruff import Ruff
    from copydesk_server.verification import Judgement

REPORT_BYTES = 2 << 20
"""Of ruff's report on one text: some 3,000 findings, for which memory is needed a dozen times over."""


class Given(TypedDict):
    """What is known of a document beside its text. checked: what the engine's result has proved already. schemas: whether JSON is
    held to the schema of its name. known_fix: as in `EditResult`.
    """

    language: str
    path: Path | None
    checked: NotRequired[Sequence[str]]
    schemas: NotRequired[bool]
    known_fix: NotRequired[bool]


class Verify(Protocol):
    """Whether `after` is a fix of all `diagnostics` of `before`."""

    async def __call__(
        self, before: str, after: str, diagnostics: Sequence[Diagnostic], **given: Unpack[Given]
    ) -> Judgement: ...


class BackgroundVerifier:
    """Runs `judge_all` in a thread. ruff is looked for once, and again when other folders are opened.

    opened: the URIs of those folders; no ruff that lies in one is run. isolated: whether ruff runs without any configuration.
    """

    def __init__(
        self, opened: Callable[[], Iterable[str]], isolated: Callable[[], bool] = lambda: False
    ) -> None:
        self._opened = opened
        self._isolated = isolated
        self._ruff: Ruff | None = None
        self._projects: Projects | None = None
        self._looked: frozenset[str] | None = None

    async def __call__(
        self, before: str, after: str, diagnostics: Sequence[Diagnostic], **given: Unpack[Given]
    ) -> Judgement:
        """Whether `after` is a fix of all `diagnostics` of `before`. Raises: never."""

        def judge() -> Judgement:
            # Not before it is needed: the parsers take longer to import than `initialize` may take.
            from copydesk_server.project_imports import Projects
            from copydesk_server.verification import judge_all

            self._projects = self._projects or Projects(once=False)
            return judge_all(before, after, diagnostics, ruff=self.ruff(), projects=self._projects, **given)

        return await asyncio.to_thread(judge)

    def ruff(self) -> Ruff | None:
        """The ruff there is. Looks through folders the first time, so not on the event loop."""
        opened = frozenset(self._opened())
        if opened != self._looked:
            from copydesk_server.ruff import Ruff

            folders = [path for uri in opened if (path := path_of(uri)) is not None]
            self._ruff, self._looked = Ruff.find(folders), opened
        return (
            replace(self._ruff, isolated=self._isolated(), most_bytes=REPORT_BYTES)
            if self._ruff is not None
            else None
        )
