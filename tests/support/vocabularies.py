"""Tokenizers for tests: small byte-level BPEs trained on the standard library at first use, and bytes.
Cached, deterministic.

`qwen_like` merges across what humans see as boundaries (`><`, `/></`, `):\\n`, `\\n\\n`); `line_tokens` has
the special tokens of the `lines` format, single digits and lone newlines; `llama3_like` has numbers of up
to three digits as single tokens. `standard_base` is SmolLM2's, where it is installed.
"""

from __future__ import annotations

import sysconfig
from functools import cache
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from copydesk.models.installed import installed_directory
from copydesk.prompting.codec import Codec, special_tokens
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.vocabulary import ByteVocabulary, HFVocabulary, Vocabulary

_FILES = (
    "argparse",
    "dataclasses",
    "textwrap",
    "inspect",
    "html/parser",
    "json/decoder",
    "pathlib",
    "functools",
)
_QWEN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_LLAMA3 = _QWEN.replace(r"\p{N}|", r"\p{N}{1,3}|", 1)
_LINES = r"\n|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|[^\S\n]+(?!\S)|[^\S\n]+"
# Markup and numbers, so that tags and digit runs merge as they do in large vocabularies.
_MARKUP = (
    '<ul><li><br/></li></ul>\n</p>\n</div>\n\n<gen>\n</gen>\n<copy lines="12-340"/>\n</old>\n<sub line="7">\n'
    "<noeol/>\n</sub>\n</program>\n100 101 117 200 255 256 404 500 999 12 34 64 128\n"
) * 40


@cache
def corpus() -> tuple[str, ...]:
    """A few hundred kilobytes of Python."""
    root = Path(sysconfig.get_paths()["stdlib"])
    return tuple((root / f"{name}.py").read_text(encoding="utf-8")[:40_000] for name in _FILES)


def _train(pattern: str, size: int, extra: str) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator([*corpus(), extra], trainer)
    return tokenizer


@cache
def qwen_like() -> HFVocabulary:
    tokenizer = _train(_QWEN, 3000, _MARKUP)
    tokenizer.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    return HFVocabulary(tokenizer, size=3072)


@cache
def llama3_like() -> HFVocabulary:
    tokenizer = _train(_LLAMA3, 2500, _MARKUP)
    tokenizer.add_special_tokens(["<|begin_of_text|>", "<|eot_id|>"])
    return HFVocabulary(tokenizer)


@cache
def line_tokens() -> HFVocabulary:
    tokenizer = _train(_LINES, 2000, "")
    tokenizer.add_special_tokens([AddedToken(s, special=True, normalized=False) for s in special_tokens(127)])
    return HFVocabulary(tokenizer)


@cache
def plain_bytes() -> ByteVocabulary:
    return ByteVocabulary()


@cache
def line_bytes() -> ByteVocabulary:
    return ByteVocabulary(special_tokens(127))


@cache
def standard_base() -> HFVocabulary:
    """SmolLM2's tokenizer, of the installed model `standard-base`."""
    directory = installed_directory("standard-base")
    assert directory is not None
    return HFVocabulary.from_directory(directory)


@cache
def standard_base_lines() -> HFVocabulary:
    """The same, with the special tokens of the `lines` format behind its own."""
    tokenizer = Tokenizer.from_str(standard_base().tokenizer.to_str())
    tokenizer.add_special_tokens([AddedToken(s, special=True, normalized=False) for s in special_tokens(127)])
    return HFVocabulary(tokenizer)


TAGS = EditFormat(kind="tags")
LINES = EditFormat(kind="lines")

CODECS: dict[str, tuple[EditFormat, object]] = {
    "qwen_like": (TAGS, qwen_like),
    "llama3_like": (TAGS, llama3_like),
    "line_tokens": (LINES, line_tokens),
    "bytes": (TAGS, plain_bytes),
    "line_bytes": (LINES, line_bytes),
}


INSTALLED: dict[str, tuple[EditFormat, object]] = {
    "standard_base_tags": (TAGS, standard_base),
    "standard_base_lines": (LINES, standard_base_lines),
}
"""For tests with the fixture `standard_base`."""


@cache
def codec(name: str) -> Codec:
    """The codec of one of `CODECS` or `INSTALLED`."""
    format, vocabulary = (CODECS | INSTALLED)[name]
    assert callable(vocabulary)
    made: Vocabulary = vocabulary()
    return Codec(format, made)
