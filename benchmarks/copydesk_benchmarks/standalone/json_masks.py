"""Masks of JSON and of JSON Schemas: what a step costs with pushdown automata, llguidance and xgrammar, and what is made before.

    OMP_NUM_THREADS=1 python -m copydesk_benchmarks json_masks [--batches 1 16 128 512] [--strings 10000]
        [--schemas package.json tsconfig.json nest-cli.json]

Every sequence of a batch is a JSON text of its own, tokenised as the model would write it; a step fills one mask for each
sequence, in one thread, and then every sequence takes its token. Each is warmed by one text that is not measured: so is a server.
xgrammar is measured where it is installed (`pip install copydesk[rivals]`). `--strings` compares the language with llguidance's,
on valid JSON with up to three random changes. Of a schema the texts are random ones that are valid, their keys in the schema's
order, which is the only one that llguidance takes; a library that does not take a schema, or a text, is said not to.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from statistics import mean, median
from typing import Any, Protocol

import numpy as np
from tokenizers import Tokenizer

from copydesk.models.installed import installed_directory
from copydesk.prompting.vocabulary import HFVocabulary
from copydesk.pushdown.automaton import ACCEPTED, Automaton, Config
from copydesk.pushdown.effects import Effects
from copydesk.pushdown.goals import Goal
from copydesk.pushdown.interfaces import GoalMasks
from copydesk.pushdown.json_grammar import JSON
from copydesk.pushdown.json_schema.automaton import schema_automaton
from copydesk.pushdown.token_masks import TokenMasks
from copydesk.schemas.catalogue import Schema, schema_for
from copydesk.schemas.problems import valid
from copydesk_benchmarks.facts import hardware

STEPS = 64
LARK = r"""
start: WS? value WS?
value: object | array | STRING | NUMBER | "true" | "false" | "null"
object: "{" "}" | "{" pair ("," pair)* "}"
pair: STRING ":" value
array: "[" "]" | "[" value ("," value)* "]"
STRING: /"([^"\\\x00-\x1f]|\\(["\\\/bfnrt]|u[0-9a-fA-F]{4}))*"/
NUMBER: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/
WS: /[ \t\r\n]+/
%ignore /[ \t\r\n]+/
"""
"""JSON for llguidance: its own, of the empty schema, has fewer escapes."""


WORDS = ("name", "version", "^1.2.0", "scripts", "src/index.js", "true", "é", 'a "quoted" one', "jest --all")


class Subject(Protocol):
    """One library: `fill` fills a mask for each sequence of a batch, `take` gives each its token."""

    prepared: float

    def begin(self, count: int) -> None: ...
    def fill(self) -> None: ...
    def take(self, tokens: Sequence[int]) -> None: ...


class Pushdown:
    """copydesk's automaton. The masks are copied into one array, as the others write them."""

    def __init__(self, vocabulary: HFVocabulary, schema: Any = None) -> None:
        began = time.process_time()
        effects = Effects(Automaton.of(JSON) if schema is None else schema_automaton(schema))
        self.masks = TokenMasks(effects, vocabulary.token_bytes)
        self.prepared = time.process_time() - began
        targets = {
            state: {old for old, new in cases if new == (ACCEPTED,)}
            for state, (_, cases) in effects.end.behind.items()
        }
        self.known = GoalMasks(Goal(effects.automaton, targets))
        self.words = (vocabulary.size + 31) // 32

    def begin(self, count: int) -> None:
        self.configs: list[Config] = [self.masks.automaton.start] * count
        self.rows = np.zeros((count, self.words), np.uint32)

    def fill(self) -> None:
        for k, config in enumerate(self.configs):
            self.rows[k] = self.masks.row(self.known, config)

    def take(self, tokens: Sequence[int]) -> None:
        for k, token in enumerate(tokens):
            after = self.masks.advance(self.configs[k], token)
            assert after is not None
            self.configs[k] = after


class LLGuidance:
    """llguidance's matcher, its masks written where they are wanted. lenient: what it does not know of a schema is left out."""

    def __init__(self, vocabulary: HFVocabulary, schema: Any = None, lenient: bool = False) -> None:
        import llguidance

        from copydesk.grammar.lark import _Hashed, _tokenizer

        _tokenizer.cache_clear()
        began = time.process_time()
        self.tokenizer = _tokenizer(_Hashed(vocabulary))
        grammar = (
            llguidance.LLMatcher.grammar_from_lark(LARK)
            if schema is None
            else llguidance.LLMatcher.grammar_from_json_schema(
                json.dumps(schema), defaults={"lenient": True} if lenient else None
            )
        )
        self.first = llguidance.LLMatcher(self.tokenizer, grammar, log_level=0)
        self.prepared = time.process_time() - began
        if self.first.is_error():
            raise ValueError(self.first.get_error())
        self.words = (vocabulary.size + 32) // 32

    def begin(self, count: int) -> None:
        self.matchers = [self.first.deep_copy() for _ in range(count)]
        self.rows = np.zeros((count, self.words), np.int32)

    def fill(self) -> None:
        for matcher, row in zip(self.matchers, self.rows, strict=True):
            matcher.unsafe_compute_mask_ptr(row.ctypes.data, row.nbytes)

    def take(self, tokens: Sequence[int]) -> None:
        for matcher, token in zip(self.matchers, tokens, strict=True):
            if matcher.try_consume_tokens([token]) != 1:
                raise ValueError("it does not take a valid text")

    def accepts(self, tokens: list[int]) -> bool:
        matcher = self.first.deep_copy()
        return bool(matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting())


class XGrammar:
    """xgrammar's matchers, a batch in one call and one thread."""

    def __init__(self, vocabulary: HFVocabulary, schema: Any = None) -> None:
        import xgrammar

        self.library: Any = xgrammar
        began = time.process_time()
        spelled = [text or f"<special {n}>".encode() for n, text in enumerate(vocabulary.token_bytes)]
        info = xgrammar.TokenizerInfo(spelled, xgrammar.VocabType.RAW, stop_token_ids=[0])
        compiler = xgrammar.GrammarCompiler(info, max_threads=1)
        self.grammar = (
            compiler.compile_builtin_json_grammar()
            if schema is None
            else compiler.compile_json_schema(json.dumps(schema), any_whitespace=True, strict_mode=False)
        )
        self.prepared = time.process_time() - began
        self.size = vocabulary.size

    def begin(self, count: int) -> None:
        self.matchers = [self.library.GrammarMatcher(self.grammar) for _ in range(count)]
        self.batch = self.library.BatchGrammarMatcher(max_threads=1)
        self.rows = self.library.allocate_token_bitmask(count, self.size)

    def fill(self) -> None:
        if len(self.matchers) == 1:
            self.matchers[0].fill_next_token_bitmask(self.rows)
        else:
            self.batch.batch_fill_next_token_bitmask(self.matchers, self.rows)

    def take(self, tokens: Sequence[int]) -> None:
        for matcher, token in zip(self.matchers, tokens, strict=True):
            if not matcher.accept_token(token):
                raise ValueError("it does not take a valid text")


def some_json(rng: random.Random, depth: int = 0) -> Any:
    """A value as configuration files have them."""
    words = WORDS
    kind = rng.random()
    if depth < 4 and kind < 0.35 + 0.4 * (depth == 0):
        return {rng.choice(words) + str(k): some_json(rng, depth + 1) for k in range(rng.randint(0, 5))}
    if depth < 4 and kind < 0.5 + 0.5 * (depth == 0):
        return [some_json(rng, depth + 1) for _ in range(rng.randint(0, 5))]
    return rng.choice([*words, rng.randint(-99, 9999), rng.random() * 1e3, True, False, None])


def texts(vocabulary: HFVocabulary, count: int, rng: random.Random) -> list[list[int]]:
    """Token sequences of at least STEPS tokens, each the beginning of a JSON text."""
    found: list[list[int]] = []
    while len(found) < count:
        value = {f"k{k}": some_json(rng) for k in range(8)}
        tokens = vocabulary.encode(json.dumps(value, indent=rng.choice([None, 2]), ensure_ascii=False))
        if len(tokens) >= STEPS:
            found.append(tokens[:STEPS])
    return found


def measured(subject: Subject, sequences: list[list[int]]) -> tuple[list[float], list[float]]:
    """Microseconds of processor time a sequence that each step's masks and tokens took, all threads together."""
    subject.begin(len(sequences))
    masks, steps = [], []
    for tokens in zip(*sequences, strict=True):
        began = time.process_time()
        subject.fill()
        filled = time.process_time()
        subject.take(tokens)
        ended = time.process_time()
        masks.append((filled - began) * 1e6 / len(sequences))
        steps.append((ended - filled) * 1e6 / len(sequences))
    return masks, steps


def changed(text: str, rng: random.Random) -> str:
    """The text with up to three random changes."""
    for _ in range(rng.randint(0, 3)):
        at = rng.randint(0, len(text))
        new = rng.choice(
            ['"', "\\", "{", "}", "[", "]", ",", ":", "0", "-", ".", "e", " ", "\n", "u12", "t", ""]
        )
        text = text[:at] + new + text[at + rng.randint(0, 2) :]
    return text


def compare(vocabulary: HFVocabulary, count: int, rng: random.Random) -> tuple[int, int]:
    """How many of `count` strings are JSON, and on how many the two libraries differ."""
    theirs, automaton = LLGuidance(vocabulary), Automaton.of(JSON)
    valid = differ = 0
    for _ in range(count):
        text = changed(
            json.dumps(some_json(rng), indent=rng.choice([None, 1]), ensure_ascii=rng.random() < 0.5), rng
        )
        config = automaton.run(automaton.start, text.encode())
        ours = config is not None and automaton.accepts(config)
        valid += ours
        differ += ours != theirs.accepts(vocabulary.encode(text))
    return valid, differ


def makers(vocabulary: HFVocabulary, schema: Any) -> dict[str, Callable[[], Subject]]:
    """The libraries by name and version, as they are made; xgrammar only where it is installed."""
    found: dict[str, Callable[[], Subject]] = {"copydesk": lambda: Pushdown(vocabulary, schema)}
    found[f"llguidance {version('llguidance')}"] = lambda: LLGuidance(vocabulary, schema)
    if schema is not None:
        found[f"llguidance {version('llguidance')}, lenient"] = lambda: LLGuidance(vocabulary, schema, True)
    try:
        found[f"xgrammar {version('xgrammar')}"] = lambda: XGrammar(vocabulary, schema)
    except PackageNotFoundError:
        print("\nxgrammar is not installed: it is left out.")
    return found


def compare_masks(vocabulary: HFVocabulary, name: str | None, batches: Sequence[int], rounds: int) -> None:
    """Prints the table of JSON, or of a schema by a file's name."""
    found = schema_for(name) if name is not None else None
    schema = found.definition if found is not None else None
    subjects: dict[str, Subject] = {}
    refused: dict[str, str] = {}

    def texts_of(count: int, seed: int) -> list[list[int]]:
        if found is None:
            return texts(vocabulary, count, random.Random(seed))
        return valid_texts(vocabulary, found, count, random.Random(seed))

    for library, make in makers(vocabulary, schema).items():
        try:
            subjects[library] = make()
            measured(subjects[library], texts_of(4, -1))
        except (ValueError, RuntimeError) as error:
            subjects.pop(library, None)
            refused[library] = str(error).split("\n")[0]
    print(f"\n## {name or 'JSON'}\n")
    print("| library | made before, s | " + " | ".join(f"mask, batch {n}" for n in batches) + " | token |")
    print("|---|---|" + "---|" * (len(batches) + 1))
    cells: dict[str, list[str]] = {library: [] for library in subjects}
    taken: dict[str, list[float]] = {library: [] for library in subjects}
    for count in batches:
        spent: dict[str, list[float]] = {library: [] for library in subjects}
        for turn in range(rounds):
            sequences = texts_of(count, turn * 1000 + count)
            # In turns, so that a busy machine is busy for all of them.
            for library, subject in list(subjects.items()):
                try:
                    masks, steps = measured(subject, sequences)
                except ValueError as error:
                    refused[library] = str(error)
                    del subjects[library]
                    continue
                spent[library] += masks
                taken[library] += steps
        for library, some in spent.items():
            cells[library].append(f"{median(some):.1f} ({mean(some):.1f})" if some else "")
    for library, subject in subjects.items():
        row = " | ".join([*cells[library], f"{median(taken[library]):.1f}"])
        print(f"| {library} | {subject.prepared:.2f} | {row} |")
    for library, reason in refused.items():
        print(f"| {library} | {reason} |" + " |" * (len(batches) + 1))


def valid_texts(vocabulary: HFVocabulary, schema: Schema, count: int, rng: random.Random) -> list[list[int]]:
    """As `texts`, of texts that are valid under a schema."""
    found: list[list[int]] = []
    while len(found) < count:
        value = instance(schema.definition, schema.definition, rng)
        text = json.dumps(value, indent=rng.choice([None, 2]), ensure_ascii=False)
        tokens = vocabulary.encode(text)
        if len(tokens) >= STEPS and valid(schema, text):
            found.append(tokens[:STEPS])
    return found


def instance(schema: Any, root: Any, rng: random.Random, depth: int = 0) -> Any:
    """A value that fits most of a schema, its keys in the schema's order."""
    while isinstance(schema, dict) and "$ref" in schema:
        target = root
        for part in schema["$ref"].split("/")[1:]:
            target = target[part]
        schema = target
    if not isinstance(schema, dict):
        return rng.choice(WORDS)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    parts = [instance(each, root, rng, depth) for each in schema.get("allOf", ())]
    if parts and all(isinstance(part, dict) for part in parts):
        return {key: value for part in parts for key, value in part.items()}
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return instance(rng.choice(schema[keyword]), root, rng, depth)
    kinds = schema.get("type", "object" if "properties" in schema else "string")
    kind = rng.choice(kinds) if isinstance(kinds, list) else kinds
    if kind == "object":
        keys = list(schema.get("properties", ()))
        chosen = sorted(rng.sample(range(len(keys)), min(len(keys), 3 if depth else 8)))
        if depth < 5:
            named = {keys[k]: instance(schema["properties"][keys[k]], root, rng, depth + 1) for k in chosen}
            rest = schema.get("additionalProperties", bool(schema.get("patternProperties")))
            if rest and not keys:
                named |= {rng.choice(WORDS): instance(rest, root, rng, depth + 1) for _ in range(3)}
            return named
        return {}
    if kind == "array":
        items = schema.get("items", True)
        return [instance(items, root, rng, depth + 1)] if isinstance(items, dict | bool) else []
    plain = {
        "boolean": rng.random() < 0.5,
        "null": None,
        "integer": rng.randint(0, 9),
        "number": rng.randint(0, 99),
    }
    return plain[kind] if kind in plain else rng.choice(WORDS)


def main() -> int:
    parser = argparse.ArgumentParser(description="Masks of JSON and of schemas, by three libraries.")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 16, 128, 512])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--strings", type=int, default=10_000)
    parser.add_argument("--schemas", nargs="*", default=["package.json", "tsconfig.json", "nest-cli.json"])
    parser.add_argument("--tokenizer", default="standard-base", help="an installed model or a directory")
    args = parser.parse_args()
    directory = installed_directory(args.tokenizer)
    assert directory is not None, f"{args.tokenizer} is not installed"
    size = Tokenizer.from_file(str(directory / "tokenizer.json")).get_vocab_size()
    vocabulary = HFVocabulary.from_directory(directory, size)
    print(f"{hardware()}, one thread; {size:,} tokens; {STEPS} steps of each text, {args.rounds} rounds.\n")
    print(
        "Microseconds of processor time a sequence: the median step, and the mean in brackets; `token`: to take one."
    )
    for name in (None, *args.schemas):
        compare_masks(vocabulary, name, args.batches, args.rounds)
    if args.strings:
        valid, differ = compare(vocabulary, args.strings, random.Random(7))
        print(
            f"\nOf {args.strings:,} strings {valid:,} are JSON; copydesk and llguidance differ on {differ}."
        )
    return 0
