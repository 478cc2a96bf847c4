"""One example of an edit, as text: what a document says, what it should say, and how the edit is asked for.

Injectors of defects, pairs of releases and templated instructions all yield this; `examples.py` makes tokens of it. Knows
no tokens, no pages and no files.
"""

from __future__ import annotations

from dataclasses import dataclass

from copydesk.request import EditRequest


@dataclass(frozen=True, slots=True)
class Example:
    """`before` and `after` are exact text; equal where there is nothing to fix.

    `kind` names the family it is counted under (`unused_import`, `rename`, …). `located` says whether the request
    points at the place, by a diagnostic or a scope; an example that is not is counted apart.
    """

    before: str
    after: str
    request: EditRequest
    kind: str
    located: bool
