"""The embedded model's tokenizer: a byte-level BPE trained on code, one line at a time, as it will be asked to encode.

Digits and punctuation stand alone but for operators of several characters, an indentation is one piece, a newline its own
token: old texts of subs and line ends then fall on token boundaries. Knows texts; nothing of where they come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from copydesk.errors import TokenizerError
from copydesk.files.atomic import replacing
from copydesk.prompting.codec import special_tokens
from copydesk.prompting.vocabulary import HFVocabulary

SIZE = 8192
MAX_NUMBER = 127
PATTERN = (
    r"^[ \t]+|\n|\d"
    r"| ?(?:===|!==|\*\*=|//=|<<=|>>=|==|!=|<=|>=|->|=>|:=|\*\*|//|<<|>>|&&|\|\||\"\"\"|'''|\.\.\.|[+\-*/%|&^@]=)"
    r"| ?_*[A-Za-z]+| ?[^\sA-Za-z\d]|[ \t]+(?=[ \t])|\s"
)
_TRAIN_BYTES = 25_000_000


def train_tokenizer(
    texts: Iterable[str],
    path: Path,
    *,
    size: int = SIZE,
    max_number: int = MAX_NUMBER,
    max_bytes: int = _TRAIN_BYTES,
) -> HFVocabulary:
    """Train on the first `max_bytes` of `texts` and save `path` (`tokenizer.json`), special tokens first.

    The same texts give the same file. Raises TokenizerError where they are too few for `size` tokens.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PATTERN), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=special_tokens(max_number),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_batches(texts, max_bytes), trainer)
    if tokenizer.get_vocab_size() != size:
        raise TokenizerError(
            f"the texts give {tokenizer.get_vocab_size()} tokens, not {size}: more text or a smaller size is needed"
        )
    with replacing(path) as partial:
        tokenizer.save(str(partial))
    return (
        HFVocabulary.from_directory(path.parent) if path.name == "tokenizer.json" else HFVocabulary(tokenizer)
    )


def _batches(texts: Iterable[str], max_bytes: int) -> Iterator[list[str]]:
    """Lines with their ends, in batches."""
    used = 0
    for text in texts:
        if used >= max_bytes:
            return
        used += len(text)
        lines = text.split("\n")
        yield [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
