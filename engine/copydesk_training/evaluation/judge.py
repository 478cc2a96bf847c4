"""How good a model is, asked through the engine itself: the same pages, grammar, decoding and checks a person gets.

Several models, with lists and without, answer the same requests; requests on the same text share its warm pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from copydesk.editor import Document, Editor
from copydesk.results import EditResult
from copydesk_training.evaluation.verdict import Verdict, Verify, verdict_of
from copydesk_training.example import Example

TOGETHER = 8
"""Requests decoded side by side: they share forwards."""


def judge(
    editor: Editor, examples: Iterable[Example], verify: Verify, *, together: int = TOGETHER
) -> Iterator[Verdict]:
    """Decode each example greedily, as its request says, and compare. A request that cannot be served counts as refused."""
    waiting = enumerate(examples)
    while batch := list(islice(waiting, together)):
        yield from _judge_batch(editor, batch, (None,), verify)


def judge_all_models(
    editors: Sequence[Editor],
    rounds: Sequence[Sequence[Example]],
    verify: Verify,
    *,
    modes: Sequence[bool],
    phrases: bool = True,
    together: int = TOGETHER,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[int, list[Verdict]]]:
    """Ask every model about every example once for each of `modes`, the values of `EditRequest.narrow`; without
    `phrases` no instruction is applied by rules.

    Yields (index of the editor, verdicts of one batch). `stop` is asked before each batch, and a batch that has begun is asked
    of all models, so that they have always answered the same examples.
    """
    number = 0
    for examples in rounds:
        for start in range(0, len(examples), together):
            if stop():
                return
            batch = [_with_phrases(example, phrases) for example in examples[start : start + together]]
            numbered = list(enumerate(batch, number))
            number += len(numbered)
            for index, editor in enumerate(editors):
                yield index, _judge_batch(editor, numbered, modes, verify)


def _judge_batch(
    editor: Editor,
    batch: Sequence[tuple[int, Example]],
    modes: Sequence[bool | None],
    verify: Verify,
) -> list[Verdict]:
    """Verdicts of one batch, in each mode in turn (None: as the requests say)."""
    documents: dict[str, Document] = {}
    try:
        for _, example in batch:
            if example.before not in documents:
                documents[example.before] = editor.open("example.py", example.before)
        found: list[Verdict] = []
        for mode in modes:
            found += _ask(editor, documents, [(n, _greedy(example, mode)) for n, example in batch], verify)
        return found
    finally:
        for document in documents.values():
            document.close()


def _ask(
    editor: Editor, documents: dict[str, Document], batch: Sequence[tuple[int, Example]], verify: Verify
) -> list[Verdict]:
    requests = [(documents[example.before], example.request) for _, example in batch]
    results: dict[int, EditResult] = {}
    for index, event in editor.edit_all(requests):
        if isinstance(event, EditResult):
            results[index] = event
    # All pages of a batch are warmed before it is decoded: without that, times are those of warm pages.
    warming = sum(result.ms.get("prefill", 0.0) for result in results.values())
    return [
        verdict_of(
            editor,
            documents[example.before],
            number,
            example,
            results[k],
            verify,
            max(0.0, results[k].ms.get("total", 0.0) - warming),
        )
        for k, (number, example) in enumerate(batch)
    ]


def _with_phrases(example: Example, phrases: bool) -> Example:
    return example if phrases else replace(example, request=replace(example.request, phrases=False))


def _greedy(example: Example, narrow: bool | None) -> Example:
    request = replace(example.request, temperature=0.0, candidates=1)
    return replace(example, request=request if narrow is None else replace(request, narrow=narrow))
