"""What the engine adds to a forward pass: one token at a time through the whole loop, beside the bare forward.

    python -m copydesk_benchmarks overhead [--dtype fp32|bf16] [--threads 2] [--tokens 64] [--rounds 9]

The model is a Qwen2 shape of about 20M parameters with random weights behind a 1,024-token page. Both sides run the same
forwards over the same row and take turns within one run. "Engine" is the decoder writing a gen body without drafts: grammar,
choice of the token, lane, counts, scheduler. "Bare" feeds as many single tokens and takes the plain argmax. Target: the engine
adds at most 10% (median).
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from importlib.metadata import version
from statistics import median

import torch
from transformers import Qwen2Config

from copydesk.decode.coroutine import Lane, Outcome, Steps
from copydesk.decode.counts import Counts
from copydesk.decode.drafts import Draft, NgramIndex
from copydesk.decode.sampling import Sampler
from copydesk.decode.schedule import Job, run
from copydesk.decode.text_automata import BodyTables
from copydesk.decode.token_emitter import TokenEmitter
from copydesk.grammar.bodies import Bodies
from copydesk.models.feed import Feed
from copydesk.models.random_weights import random_model
from copydesk.prompting.codec import Codec, special_tokens
from copydesk.prompting.edit_format import EditFormat
from copydesk.prompting.vocabulary import ByteVocabulary
from copydesk_benchmarks.facts import hardware

PREFIX = 1024
VOCABULARY = 8192


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--dtype", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    config = Qwen2Config(
        vocab_size=VOCABULARY, hidden_size=384, intermediate_size=1280, num_hidden_layers=8,
        num_attention_heads=6, num_key_value_heads=6, max_position_embeddings=4096, tie_word_embeddings=True,
    )  # fmt: skip
    dtype = torch.float32 if args.dtype == "fp32" else torch.bfloat16
    model = random_model(config, dtype=dtype)
    names = special_tokens(127)
    filler = [f"<unused{k}>" for k in range(VOCABULARY - 256 - len(names))]
    codec = Codec(EditFormat(), ByteVocabulary([*names, *filler]))
    tables = BodyTables(Bodies.build(codec))
    row = model.new_row(PREFIX + args.tokens + 8)
    model.forward([Feed(row, 0, [65] * PREFIX, range(PREFIX))])

    def bare() -> float:
        token, at = 65, PREFIX
        start = time.perf_counter()
        for _ in range(args.tokens):
            (logits,) = model.forward([Feed(row, 1, [token], [at], None, [0])])
            token, at = int(logits[0].argmax()), at + 1
        took = time.perf_counter() - start
        row.release(1)
        return took / args.tokens

    def engine() -> float:
        counts = Counts()
        emitter = TokenEmitter(Lane(row, 1, PREFIX), Sampler(), counts, args.tokens)
        emitter.pending.append(codec.literals.gen_open[0])

        def steps() -> Steps:
            yield from emitter.text(tables.gen(False), Draft((), NgramIndex(()), 0))
            return Outcome(None)

        start = time.perf_counter()
        for _ in run(model, [Job(emitter.lane, steps())], lambda: None):
            pass
        return (time.perf_counter() - start) / counts.forwards

    bare(), engine()
    pairs = [(bare(), engine()) for _ in range(args.rounds)]
    ratios = [e / b - 1 for b, e in pairs]
    parameters = sum(p for p in _sizes(config))
    print(f"`python -m copydesk_benchmarks overhead {' '.join(sys.argv[1:])}`\n")
    print(
        f"{hardware()}, {args.threads} threads; {args.dtype}, batch 1, prefix {PREFIX}; "
        f"Qwen2 shape of {parameters / 1e6:.1f}M parameters, random weights; Python {platform.python_version()}, "
        f"torch {version('torch')}; {args.rounds} rounds of {args.tokens} tokens\n"
    )
    print("| per decode step | min | median |\n|---|---|---|")
    print(
        f"| bare forward + argmax | {min(b for b, _ in pairs) * 1e3:.2f} ms | {median(b for b, _ in pairs) * 1e3:.2f} ms |"
    )
    print(
        f"| engine | {min(e for _, e in pairs) * 1e3:.2f} ms | {median(e for _, e in pairs) * 1e3:.2f} ms |"
    )
    print(f"| engine adds | {min(ratios):.1%} | {median(ratios):.1%} |")
    return 0


def _sizes(config: Qwen2Config) -> list[int]:
    d, f, n = config.hidden_size, config.intermediate_size, config.num_hidden_layers
    return [config.vocab_size * d, n * (4 * d * d + 3 * d + 3 * d * f + 2 * d), d]
