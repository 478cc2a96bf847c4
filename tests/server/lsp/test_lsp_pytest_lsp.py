"""Once through a client that is not ours: pytest-lsp's, with the real engine and the embedded model. And once on a GPU.

pytest-lsp 1.0.1 fails on progress whose value is a list; ours never is. Its checks are warnings, and errors here.
"""

from __future__ import annotations

import asyncio
import sys
import warnings

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp.checks import LspSpecificationWarning

from copydesk.text.document import Position, TextEdit, apply_edits
from lsp_client import DEADLINE, FULL, LspClient, environment
from lsp_desk import applied

URI = "untitled:a.py"
TEXT = "def first(x, y):\n    if x == None:\n        return y\n    return x\n"
FIXED = TEXT.replace("== None", "is None")
MESSAGE = "Comparison to `None` should be `cond is None`"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["neovim@v0.11.0", "visual-studio-code@v1.65.2"])
def test_open_list_resolve_apply(name: str) -> None:
    async def main() -> None:
        async with asyncio.timeout(2 * DEADLINE):
            client = pytest_lsp.make_test_lsp_client()
            client.set_configuration({"precompute": False}, section="copydesk")
            await client.start_io(sys.executable, "-m", "copydesk_server", "lsp", env=environment())
            params = types.InitializeParams(pytest_lsp.client_capabilities(name))
            initialized = await client.initialize_session(params)
            assert initialized.server_info is not None
            assert initialized.server_info.name == "copydesk"
            item = types.TextDocumentItem(uri=URI, language_id="python", version=1, text=TEXT)
            client.text_document_did_open(types.DidOpenTextDocumentParams(item))
            found = types.Diagnostic(
                range=types.Range(types.Position(1, 7), types.Position(1, 16)),
                message=MESSAGE,
                code="E711",
                source="Ruff",
                severity=types.DiagnosticSeverity.Warning,
            )
            actions = await client.text_document_code_action_async(
                types.CodeActionParams(
                    text_document=types.TextDocumentIdentifier(URI),
                    range=found.range,
                    context=types.CodeActionContext(
                        diagnostics=[found], only=[types.CodeActionKind.QuickFix]
                    ),
                )
            )
            assert actions is not None
            (action,) = actions
            assert isinstance(action, types.CodeAction)
            assert (action.kind, action.edit) == ("quickfix", None)
            assert list(action.diagnostics or ()) == [found]
            resolved = await client.code_action_resolve_async(action)
            assert _text_after(resolved) == FIXED
            assert not client.messages
            assert all(reports for reports in client.progress_reports.values())
            await client.shutdown_session()
            assert client._server is not None
            assert client._server.returncode == 0
            await client.stop()

    with warnings.catch_warnings():
        warnings.simplefilter("error", LspSpecificationWarning)
        asyncio.run(main())


def _text_after(action: types.CodeAction) -> str:
    assert action.edit is not None
    assert action.edit.document_changes is not None
    (change,) = action.edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    assert (change.text_document.uri, change.text_document.version) == (URI, 1)
    edits = []
    for one in change.edits:
        assert isinstance(one, types.TextEdit)
        start, end = (Position(p.line, p.character) for p in (one.range.start, one.range.end))
        edits.append(TextEdit(start, end, one.new_text))
    return apply_edits(TEXT, edits)


@pytest.mark.cuda
def test_the_quick_fix_on_a_gpu() -> None:
    with LspClient("--device", "cuda", host=None) as client:
        client.settings = {"precompute": False}
        client.initialize(FULL)
        client.open(URI, TEXT)
        span = {"start": {"line": 1, "character": 7}, "end": {"line": 1, "character": 16}}
        found = {"range": span, "message": MESSAGE, "code": "E711", "source": "Ruff", "severity": 2}
        params = {
            "textDocument": {"uri": URI},
            "range": span,
            "context": {"diagnostics": [found], "only": ["quickfix"]},
        }
        (action,) = client.request("textDocument/codeAction", params)
        resolved = client.request("codeAction/resolve", action)
        assert applied(TEXT, resolved["edit"], 1, URI) == FIXED
        assert client.request("copydesk/status")["device"].startswith("cuda")
