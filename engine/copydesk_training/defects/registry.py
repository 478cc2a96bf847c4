"""The kinds of defects, their ids and weights, and how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

from copydesk_training.defects import (
    clean,
    comments,
    flow,
    formatting,
    imports,
    impossible,
    indentation,
    logic,
    names,
    rewording,
    semantics,
    signatures,
    style,
    syntax,
    whitespace,
)
from copydesk_training.defects.asks import NoWordingError
from copydesk_training.defects.broken import Defect
from copydesk_training.defects.instructed import (
    branches,
    conditions,
    contexts,
    exceptions,
    heads,
    imported,
    line_edits,
    loops,
    string_styles,
    texts,
    values,
)
from copydesk_training.defects.parsed import ParsedFile
from copydesk_training.example import Example

Injector = Callable[[ParsedFile, Random], Defect | None]

RAREST = 0.15
"""Kinds rarer than this are not made up for in full: a few files would give all their examples."""
CRLF = 0.01
"""The share of examples whose lines end as on Windows."""
NOTHING_TO_DO = 0.14
"""At most this share of examples has nothing to do: such requests never run out, as the places for all others do."""

_OF_THE_SELECTION = frozenset({
    "to_fstring", "early_return", "remove_prints", "remove_comments", "invert_if", "with_block", "exception_type",
    "exception_chain", "exception_log", "comprehension_to_loop", "loop_to_comprehension", "else_after_return",
    "merge_nested_ifs", "split_condition", "keyword_only", "full_type_hints", "pathlib", "string_format",
    "delete_line", "duplicate_line", "reword_text", "fix_text_typo", "add_condition", "add_entry", "change_value",
    "assert_to_raise", "import_use", "sort_entries", "early_continue", "chained_comparison", "ternary_to_if",
    "if_to_ternary", "walrus", "enumerate", "dict_get", "isinstance_merge", "any_all", "augmented_assignment",
    "yield_from", "comment_out",
})  # fmt: skip
"""Instructions ("remove the prints", "use enumerate") that other defects in the selection would give another meaning."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of example. `id` is what shards store and never changes.

    `emphasis`: how often it should be seen beside the others. `inject`: None for kinds that other modules make. `share`: the
    share of files that have a place for it, as measured on the standard library.
    """

    id: int
    name: str
    emphasis: float
    inject: Injector | None = None
    share: float = 1.0

    @property
    def breaks(self) -> bool:
        """Whether its text does not parse."""
        return 20 <= self.id < 40

    @property
    def nothing_to_do(self) -> bool:
        """Whether its text stays as it is."""
        return 180 <= self.id < 185

    @property
    def instruction(self) -> bool:
        """Whether its words say what to do and to what, whatever else is in the selection."""
        return 100 <= self.id < 180 and self.name not in _OF_THE_SELECTION

    @property
    def weight(self) -> float:
        """How often it is tried: what is rare in the wild is tried more often where it can be had."""
        return self.emphasis / max(self.share, RAREST)


_ALL = (
    Kind(1, "undefined_name", 3.0, names.undefined_name),
    Kind(2, "attribute_typo", 2.0, names.attribute_typo),
    Kind(3, "missing_self", 1.5, names.missing_self, 0.63),
    Kind(4, "self_parameter", 1.0, names.self_parameter, 0.72),
    Kind(5, "missing_await", 1.5, names.missing_await, 0.03),
    Kind(6, "variable_misuse", 2.0, names.variable_misuse),
    Kind(7, "rename_leftover", 1.5, names.rename_leftover),
    Kind(8, "missing_import", 2.5, imports.missing_import),
    Kind(9, "unused_import", 0.5, imports.unused_import),
    Kind(20, "missing_colon", 0.5, syntax.missing_colon),
    Kind(21, "missing_bracket", 2.0, syntax.missing_bracket),
    Kind(22, "extra_bracket", 1.0, syntax.extra_bracket),
    Kind(23, "missing_quote", 1.5, syntax.missing_quote),
    Kind(24, "missing_comma", 1.5, syntax.missing_comma),
    Kind(25, "keyword_typo", 0.8, syntax.keyword_typo),
    Kind(26, "assignment_in_condition", 0.4, syntax.assignment_in_condition, 0.73),
    Kind(27, "unexpected_indent", 0.6, indentation.unexpected_indent),
    Kind(28, "missing_indent", 1.2, indentation.missing_indent),
    Kind(29, "unindent_mismatch", 0.4, indentation.unindent_mismatch),
    Kind(40, "wrong_operator", 2.0, logic.wrong_operator),
    Kind(41, "off_by_one", 1.5, logic.off_by_one_remarked),
    Kind(42, "condition_negated", 1.0, logic.condition_negated),
    Kind(43, "loop_word", 0.5, logic.loop_word, 0.47),
    Kind(44, "argument_order", 1.2, logic.argument_order),
    Kind(45, "missing_return", 1.2, logic.missing_return, 0.78),
    Kind(46, "unlocated_bug", 4.0, logic.unlocated_bug),
    Kind(47, "none_comparison", 0.4, semantics.none_comparison, 0.50),
    Kind(48, "true_comparison", 1.0, semantics.true_comparison, 0.72),
    Kind(49, "mutable_default", 0.4, semantics.mutable_default),
    Kind(50, "bare_except", 0.3, semantics.bare_except, 0.60),
    Kind(51, "missing_argument", 1.2, semantics.missing_argument, 0.67),
    Kind(52, "function_bug", 0.0),
    Kind(60, "unused_variable", 0.6, style.unused_variable),
    Kind(61, "fstring_placeholder", 0.4, style.fstring_placeholder),
    Kind(62, "missing_f_prefix", 0.3, style.missing_f_prefix, 0.23),
    Kind(63, "not_in", 0.3, style.not_in, 0.28),
    Kind(64, "not_is", 0.2, style.not_is, 0.42),
    Kind(65, "type_comparison", 0.7, style.type_comparison, 0.33),
    Kind(66, "lambda_assignment", 0.5, style.lambda_assignment, 0.15),
    Kind(67, "trailing_whitespace", 0.2, whitespace.trailing_whitespace),
    Kind(68, "blank_whitespace", 0.2, whitespace.blank_whitespace),
    Kind(69, "blank_lines", 0.8, whitespace.blank_lines),
    Kind(70, "end_of_file", 0.15, whitespace.end_of_file),
    Kind(80, "ruff_fix", 0.0),
    Kind(81, "ruff_unsafe_fix", 0.0),
    Kind(100, "rename", 2.8, rewording.rename),
    Kind(101, "type_hint", 1.88, signatures.type_hint, 0.35),
    Kind(102, "to_fstring", 2.25, formatting.fstring, 0.43),
    Kind(103, "early_return", 1.88, flow.early_return, 0.22),
    Kind(104, "try_block", 1.0, flow.try_block),
    Kind(105, "remove_prints", 3.0, flow.remove_prints),
    Kind(106, "add_print", 0.95, flow.add_print),
    Kind(107, "parameter", 0.9, signatures.parameter),
    Kind(108, "default", 1.12, signatures.default, 0.37),
    Kind(109, "docstring", 1.5, signatures.docstring, 0.35),
    Kind(110, "constant", 1.88, rewording.constant, 0.08),
    Kind(111, "extract", 1.88, rewording.extract, 0.52),
    Kind(112, "inline", 1.5, rewording.inline, 0.52),
    Kind(113, "guard", 1.0, signatures.guard, 0.78),
    Kind(114, "remove_comments", 1.12, comments.remove_comments, 0.62),
    Kind(115, "invert_if", 1.5, flow.invert_if, 0.40),
    Kind(120, "with_block", 1.0, contexts.with_block, 0.16),
    Kind(121, "exception_type", 1.0, exceptions.exception_type),
    Kind(122, "exception_chain", 1.0, exceptions.exception_chain, 0.35),
    Kind(123, "exception_log", 1.0, exceptions.exception_log, 0.78),
    Kind(124, "comprehension_to_loop", 1.0, loops.comprehension_to_loop, 0.40),
    Kind(125, "loop_to_comprehension", 1.2, loops.loop_to_comprehension, 0.40),
    Kind(126, "else_after_return", 1.0, branches.else_after_return),
    Kind(127, "merge_nested_ifs", 0.9, conditions.merge_nested_ifs, 0.78),
    Kind(128, "split_condition", 0.7, conditions.split_condition, 0.78),
    Kind(129, "keyword_only", 1.0, heads.keyword_only),
    Kind(130, "drop_parameter", 1.0, heads.drop_parameter),
    Kind(131, "full_type_hints", 1.0, heads.full_type_hints, 0.05),
    Kind(132, "dataclass_field", 0.8, heads.dataclass_field, 0.05),
    Kind(133, "pathlib", 0.8, imported.pathlib, 0.20),
    Kind(134, "string_format", 1.2, string_styles.string_format, 0.43),
    Kind(135, "replace_name", 1.4, values.replace_name),
    Kind(136, "delete_line", 1.4, line_edits.delete_line),
    Kind(137, "duplicate_line", 1.2, line_edits.duplicate_line),
    Kind(138, "reword_text", 1.4, texts.reword_text),
    Kind(139, "fix_text_typo", 1.2, texts.fix_text_typo),
    Kind(140, "add_condition", 1.4, conditions.add_condition),
    Kind(142, "add_entry", 1.4, values.add_entry, 0.92),
    Kind(143, "change_value", 1.4, values.change_value),
    Kind(144, "add_decorator", 0.8, heads.add_decorator, 0.43),
    Kind(145, "remove_decorator", 0.5, heads.remove_decorator, 0.43),
    Kind(146, "make_async", 0.5, heads.make_async, 0.06),
    Kind(147, "assert_to_raise", 0.7, exceptions.assert_to_raise, 0.35),
    Kind(148, "import_use", 0.9, imported.import_use, 0.65),
    Kind(149, "rename_attribute", 1.0, values.rename_attribute, 0.90),
    Kind(150, "sort_entries", 0.6, values.sort_entries, 0.45),
    Kind(151, "early_continue", 0.9, branches.early_continue, 0.27),
    Kind(152, "chained_comparison", 0.5, conditions.chained_comparison, 0.10),
    Kind(153, "ternary_to_if", 0.9, branches.ternary_to_if, 0.76),
    Kind(154, "if_to_ternary", 0.9, branches.if_to_ternary, 0.76),
    Kind(155, "walrus", 0.7, branches.walrus, 0.88),
    Kind(156, "enumerate", 0.8, loops.enumerate_loop, 0.15),
    Kind(157, "dict_get", 0.6, values.dict_get, 0.24),
    Kind(158, "isinstance_merge", 0.5, conditions.isinstance_merge, 0.12),
    Kind(159, "any_all", 0.7, loops.any_all, 0.15),
    Kind(160, "bail_out", 1.2, heads.bail_out),
    Kind(161, "augmented_assignment", 0.5, values.augmented_assignment, 0.65),
    Kind(162, "yield_from", 0.4, loops.yield_from, 0.15),
    Kind(163, "comment_out", 0.6, line_edits.comment_out),
    Kind(164, "move_line", 0.7, line_edits.move_line, 0.92),
    Kind(179, "comment", 1.2, comments.comment, 0.69),
    Kind(180, "clean_diagnostic", 1.8, clean.stale_diagnostic),
    Kind(181, "clean_bug", 1.5, clean.no_bug),
    Kind(182, "clean_instruction", 9.0, clean.already_done),
    Kind(183, "clean_impossible", 4.0, impossible.impossible),
    Kind(184, "clean_unclear", 1.5, clean.unclear),
    Kind(200, "release", 0.0),
    Kind(201, "history", 0.0),
    Kind(202, "history_diagnostic", 0.0),
    Kind(203, "written", 0.0),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _ALL}
"""Every kind by name. Real pairs of texts (releases, commits) and requests that were written count from 200."""


def for_kind(kind: str, text: str, rng: Random) -> Example | None:
    """One example of that kind from a clean file, or None where the file has no place for it.

    Raises KeyError for an unknown kind, SyntaxError or ValueError for a file that cannot be used.
    """
    return draw(KINDS[kind], ParsedFile(text), rng)


def draw(kind: Kind, file: ParsedFile, rng: Random) -> Example | None:
    """One example of that kind, or None: where the file has no place for it, or nobody would ask for what is there."""
    try:
        defect = kind.inject(file, rng) if kind.inject is not None else None
    except NoWordingError:
        return None
    if defect is None:
        return None
    example = Example(defect.before, defect.after, defect.request, kind.name, defect.located)
    return windows_lines(example) if rng.random() < CRLF else example


def examples(text: str, rng: Random, count: int) -> Iterator[Example]:
    """Up to `count` examples of mixed kinds from one clean file, never the same text twice; none from a file that cannot be
    used.

    A kind that finds no place twice is not tried again, so a file gives what it has.
    """
    try:
        file = ParsedFile(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    kinds = [kind for kind in _ALL if kind.weight > 0]
    weights = [kind.weight for kind in kinds]
    misses = dict.fromkeys(KINDS, 0)
    seen: set[object] = set()
    made = idle = 0
    while made < count and not all(kind.nothing_to_do for kind in kinds):
        k = rng.choices(range(len(kinds)), weights)[0]
        if kinds[k].nothing_to_do and idle > NOTHING_TO_DO * made:
            continue
        example = draw(kinds[k], file, rng)
        if example is None or (key := _identity(example)) in seen:
            misses[kinds[k].name] += 1
            if misses[kinds[k].name] > 1:
                del kinds[k], weights[k]
            continue
        seen.add(key)
        made += 1
        idle += KINDS[example.kind].nothing_to_do
        yield example


def _identity(example: Example) -> object:
    """Equal for what is the same example to a model: a clean text comes with many requests."""
    if example.before == example.after:
        return example.request
    return example.before, example.request.instruction


def windows_lines(example: Example) -> Example:
    r"""The example with every `\n` made `\r\n`; positions count lines and characters and stay."""
    return replace(
        example,
        before=example.before.replace("\n", "\r\n"),
        after=example.after.replace("\n", "\r\n"),
    )
