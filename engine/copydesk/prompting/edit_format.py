"""How a model spells programs and numbers lines: a declaration, read from a model directory's `copydesk.json`.

Copy-as-Decode (arXiv 2604.18170) fixes the mechanism and leaves the spelling open. Here it is a property of the model: `lines`
(special tokens, one for each line number; for models trained here), `tags` (plain text tags; for a model fine-tuned with any
tokenizer) and `rewrite` (for models that were not trained on programs). Tokens are in `codec.py`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from copydesk.errors import FileRefusedError, FormatError
from copydesk.files.regular_file import read_regular_text

Kind = Literal["lines", "tags", "rewrite"]
AfterCopy = Literal["span", "tail", "program"]

FILE_NAME = "copydesk.json"
MAX_BYTES = 1 << 20
MAX_LINES = 1_000_000


@dataclass(frozen=True, slots=True)
class EditFormat:
    """One model's edit format. Raises FormatError where values contradict each other.

    Lengths are in lines. `page_lines` is the most that a page shows. `warm_lines` is the length of pages that are kept warm (0:
    `page_lines`): shorter pages take less memory, and a request that needs more gets a page of its own. `after_copy` is what
    follows a copy in the model's context: the whole span, its last `tail_lines` lines, or the program alone. `chooses`:
    whether the model was trained to judge the candidates of an instruction by their descriptions.
    """

    kind: Kind = "lines"
    page_lines: int = 64
    page_overlap: int = 32
    warm_lines: int = 0
    header_lines: int = 16
    after_copy: AfterCopy = "span"
    tail_lines: int = 2
    sub: bool = True
    sub_lines: int = 4
    max_number: int = 127
    languages: tuple[str, ...] = ("python",)
    chooses: bool = False

    def __post_init__(self) -> None:
        if self.kind not in ("lines", "tags", "rewrite"):
            raise FormatError(f"unknown edit format kind {self.kind!r}")
        if self.after_copy not in ("span", "tail", "program"):
            raise FormatError(f"after_copy is one of span, tail, program, not {self.after_copy!r}")
        # Tables are made of this length.
        if not 0 <= self.max_number <= MAX_LINES:
            raise FormatError(f"max_number is from 0 to {MAX_LINES}")
        if not 2 <= self.page_lines <= MAX_LINES or not 0 <= self.page_overlap < self.page_lines:
            raise FormatError("a page has at least 2 lines and overlaps by less than its length")
        if self.warm_lines and not 2 <= self.warm_lines <= self.page_lines:
            raise FormatError("warm pages have at least 2 lines and no more than a page")
        if self.header_lines < 0 or self.tail_lines < 1 or self.sub_lines < 1:
            raise FormatError("header_lines, tail_lines and sub_lines must be positive")
        if max(self.header_lines, self.tail_lines, self.sub_lines) > MAX_LINES:
            raise FormatError(f"header_lines, tail_lines and sub_lines are {MAX_LINES} at most")
        # A page shows its header, one line that stands for the hidden lines, and its window.
        if self.kind == "lines" and self.numbers_needed > self.max_number:
            raise FormatError(
                f"a page can number {self.numbers_needed} lines, but line tokens end at {self.max_number}"
            )

    @property
    def numbers_needed(self) -> int:
        """The highest line number a page may show."""
        return self.header_lines + 1 + self.page_lines

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> EditFormat:
        """Raises FormatError on unknown keys or values of the wrong type."""
        known = {f.name: f for f in fields(cls)}
        values: dict[str, Any] = {}
        for key, value in data.items():
            if key not in known:
                raise FormatError(f"unknown key {key!r} in the edit format")
            default = known[key].default
            if isinstance(default, tuple):
                if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
                    raise FormatError(f"{key} must be a list of strings")
                value = tuple(value)
            elif type(value) is not type(default):
                raise FormatError(f"{key} must be of type {type(default).__name__}, not {value!r}")
            values[key] = value
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        data = asdict(self)
        data["languages"] = list(self.languages)
        return data

    @classmethod
    def load(cls, directory: str | Path) -> EditFormat:
        """The format a model directory declares; `rewrite` with long pages where it declares none. Raises FormatError."""
        path = Path(directory) / FILE_NAME
        try:
            data = json.loads(read_regular_text(path, MAX_BYTES))
        except FileNotFoundError:
            return REWRITE
        except (OSError, ValueError, RecursionError, FileRefusedError) as error:
            raise FormatError(f"{path} cannot be read: {error}") from error
        if not isinstance(data, dict) or not isinstance(data.get("format"), dict):
            raise FormatError(f"{path} has no object under the key 'format'")
        return cls.from_dict(data["format"])

    def save(self, directory: str | Path) -> None:
        path = Path(directory) / FILE_NAME
        path.write_text(json.dumps({"format": self.to_dict()}, indent=2) + "\n", encoding="utf-8")


# A model from the hub sees most files as one page; its own context length limits the prompt further.
REWRITE = EditFormat(
    kind="rewrite", page_lines=400, page_overlap=200, header_lines=0, sub=False, max_number=1_000_000
)
