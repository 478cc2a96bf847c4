"""The state that the services of one client share: its capabilities, folders, documents and settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copydesk.text.document import Encoding
from copydesk_server.engine_process.messages import EngineSettings
from copydesk_server.lsp.capabilities import dig, listed
from copydesk_server.lsp.client_capabilities import ClientCapabilities
from copydesk_server.lsp.documents import Documents
from copydesk_server.lsp.options import Options
from copydesk_server.lsp.settings import SettingsStore
from copydesk_server.lsp.uris import name_of, path_of, uri_of


@dataclass(frozen=True, slots=True)
class SessionState:
    """folders: the workspace's, names by URI. encoding: the position encoding agreed on with the client."""

    options: Options
    capabilities: ClientCapabilities
    encoding: Encoding
    folders: dict[str, str]
    settings: SettingsStore
    documents: Documents

    @property
    def untrusted(self) -> bool:
        """Whether files of a folder may not choose how copydesk works: no project file, no configuration of ruff."""
        return self.capabilities.untrusted or self.settings.of(None).untrusted

    @property
    def outer_folders(self) -> tuple[Path, ...]:
        """The opened folders' paths, without those inside others."""
        found = {Path(os.path.abspath(path)) for uri in self.folders if (path := path_of(uri)) is not None}
        inner = {one for one in found if any(one != other and one.is_relative_to(other) for other in found)}
        return tuple(sorted(found - inner))

    @property
    def log_level(self) -> str:
        """The command line's, or else the settings'."""
        return self.options.log_level or self.settings.of(None).log_level

    def engine_settings(self) -> EngineSettings:
        """What the engine runs with: the client's settings, and where they leave it open the command line."""
        settings, options = self.settings.of(None), self.options
        return EngineSettings(
            model=settings.model or options.model,
            device=settings.device if settings.device != "auto" else options.device,
            dtype=settings.dtype if settings.dtype != "auto" else options.dtype,
            cache_bytes=settings.cache_bytes,
            log_file=options.log_file,
            log_level=self.log_level,
            command=settings.engine_command or None,
            served_model=settings.served_model or options.served_model,
        )


def workspace_folders(params: Mapping[str, Any]) -> dict[str, str]:
    """The workspace's folders in `initialize`'s params, by URI; older clients have one root, or none."""
    found: dict[str, str] = {}
    for folder in listed(params.get("workspaceFolders")):
        uri, name = dig(folder, "uri"), dig(folder, "name")
        if isinstance(uri, str):
            found[uri] = name if isinstance(name, str) else uri
    root, path = params.get("rootUri"), params.get("rootPath")
    if not root and isinstance(path, str) and Path(path).is_absolute():
        root = uri_of(Path(path))
    if not found and isinstance(root, str) and root:
        found[root] = name_of(root)
    return found
