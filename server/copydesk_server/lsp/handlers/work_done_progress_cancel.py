"""`window/workDoneProgress/cancel`: the person pressed a progress bar's cancel."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from copydesk_server.lsp.progress import ProgressBars


def work_done_progress_cancel(bars: ProgressBars) -> Callable[[types.WorkDoneProgressCancelParams], None]:
    """Tokens of no bar are ignored."""

    def handle(params: types.WorkDoneProgressCancelParams) -> None:
        if isinstance(params.token, int | str):  # LSP's types let anything through
            bars.cancelled(params.token)

    return handle
