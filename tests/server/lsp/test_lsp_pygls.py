"""What is assumed of pygls: that its public interface is enough. These fail when a new version changes it."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter

from copydesk_server.lsp import client, protocol
from copydesk_server.lsp.protocol import CopydeskProtocol

OVERRIDDEN = {"notify", "send_request"}


def members(module: object) -> tuple[set[str], set[str]]:
    """The private attributes of `self` that a module sets or defines, and those it uses."""
    tree = ast.parse(Path(str(inspect.getsourcefile(module))).read_text())  # type: ignore[arg-type]
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    used = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            (own if isinstance(node.ctx, ast.Store) else used).add(node.attr)
    return own, used


def test_only_public_methods_of_pygls_are_overridden() -> None:
    found = {name for name in vars(CopydeskProtocol) if hasattr(LanguageServerProtocol, name)}
    assert {name for name in found if not name.startswith("__")} == OVERRIDDEN


@pytest.mark.parametrize("name", sorted(OVERRIDDEN))
def test_they_are_called_as_pygls_calls_them(name: str) -> None:
    ours, theirs = (
        inspect.signature(getattr(cls, name)).parameters for cls in (CopydeskProtocol, LanguageServerProtocol)
    )
    assert list(ours) == list(theirs)


def test_no_private_member_of_pygls_is_used_or_hidden() -> None:
    pygls = LanguageServer("name", "1", converter_factory=default_converter).protocol
    own, used = members(protocol)
    assert used <= own
    assert not {name for name in own if name.startswith("_") and name != "__init__"} & set(dir(pygls))
    own, used = members(client)
    assert used <= own


def test_its_own_features_can_be_taken_out_and_replaced() -> None:
    """They would come before ours, and keep a second copy of every document."""
    server = LanguageServer("name", "1", converter_factory=default_converter)
    assert types.TEXT_DOCUMENT_DID_CHANGE in server.protocol.fm.builtin_features
    server = LanguageServer("name", "1", protocol_cls=CopydeskProtocol, converter_factory=default_converter)
    assert not server.protocol.fm.builtin_features

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def handler(params: types.DidChangeTextDocumentParams) -> None: ...

    assert server.protocol.fm.features[types.TEXT_DOCUMENT_DID_CHANGE] is handler
