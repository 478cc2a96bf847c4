"""Languages by the ending of a file's name, as LSP calls them."""

from __future__ import annotations

LANGUAGES = {
    ".py": "python", ".pyi": "python", ".pyw": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript",
    ".jsx": "javascriptreact", ".ts": "typescript", ".tsx": "typescriptreact", ".json": "json", ".jsonc": "jsonc",
}  # fmt: skip
DATA_LANGUAGES = frozenset({"json", "jsonc"})
"""Those of data: a folder's files are not edited unless somebody names them."""
