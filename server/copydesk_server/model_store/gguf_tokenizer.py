"""The tokenizer of a GGUF file as `tokenizer.json` and `tokenizer_config.json`, and back.

A GGUF holds tokens, their kinds and merges, but of the steps before the merges only a name (`tokenizer.ggml.pre`). The steps
behind each name are written down here; a tokenizer with a wrong first step reads most text correctly and some not. Made so,
SmolLM2's is the published `tokenizer.json`, byte for byte (its digest is the catalogue's).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from copydesk_server.errors import ModelStoreError

_NORMAL, _CONTROL, _USER_DEFINED, _UNUSED = 1, 3, 4, 5  # gguf.TokenType
_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
_QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_PRE_TOKENIZERS: dict[str, list[dict[str, Any]]] = {
    # SmolLM and SmolLM2: every digit alone, then GPT-2's pattern, as their tokenizer.json has it.
    "smollm": [{"type": "Digits", "individual_digits": True}, _BYTE_LEVEL],
    "gpt-2": [_BYTE_LEVEL],
    # Qwen2 and Qwen2.5: their own pattern, then bytes.
    "qwen2": [
        {"type": "Split", "pattern": {"Regex": _QWEN2}, "behavior": "Isolated", "invert": False},
        {**_BYTE_LEVEL, "trim_offsets": False, "use_regex": False},
    ],
}
_ROLES = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}


def tokenizer_json(said: Mapping[str, Any]) -> dict[str, Any]:
    """The `tokenizers` library's description of the tokenizer in these GGUF metadata.

    Raises ModelStoreError for a tokenizer that is no byte-level BPE, or whose first steps are not known here.
    """
    if said.get("tokenizer.ggml.model") != "gpt2":
        raise ModelStoreError(
            f"the GGUF's tokenizer is {said.get('tokenizer.ggml.model')!r}, not a byte-level BPE"
        )
    pre = said.get("tokenizer.ggml.pre")
    if pre not in _PRE_TOKENIZERS:
        raise ModelStoreError(f"the GGUF's tokenizer splits text as {pre!r}, which is not known")
    try:
        tokens, kinds = said["tokenizer.ggml.tokens"], said["tokenizer.ggml.token_type"]
        merges = said["tokenizer.ggml.merges"]
    except KeyError as error:
        raise ModelStoreError(f"the GGUF does not say {error.args[0]}") from error
    ids = {token: index for index, token in enumerate(tokens)}
    if len(ids) != len(tokens) or len(kinds) != len(tokens) or {*kinds} - {_NORMAL, _CONTROL, _USER_DEFINED}:
        raise ModelStoreError("the GGUF's list of tokens is not one of a byte-level BPE")
    if any(not _fits(merge, ids) for merge in merges):
        raise ModelStoreError("the GGUF's merges do not fit its tokens")
    steps = _PRE_TOKENIZERS[pre]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": index, "content": tokens[index], "single_word": False, "lstrip": False, "rstrip": False,
                "normalized": False, "special": kind == _CONTROL,
            }
            for index, kind in enumerate(kinds) if kind != _NORMAL
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps} if len(steps) > 1 else steps[0],
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {
            "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
            "vocab": ids, "merges": merges,
        },
    }  # fmt: skip


def gguf_tokenizer(
    tokenizer: Mapping[str, Any], config: Mapping[str, Any], size: int
) -> dict[str, str | int | bool | list[str] | list[int]]:
    """GGUF metadata of a tokenizer; the inverse of `tokenizer_json` and `tokenizer_config`. size: tokens the model has.

    Raises ModelStoreError for a tokenizer whose first steps have no name in GGUF files.
    """
    steps = tokenizer.get("pre_tokenizer") or {}
    first = steps.get("pretokenizers", [steps])
    pre = next((name for name, known in _PRE_TOKENIZERS.items() if known == first), None)
    model = tokenizer.get("model", {})
    if pre is None or model.get("type") != "BPE" or tokenizer.get("normalizer"):
        raise ModelStoreError(
            "the tokenizer is no byte-level BPE whose first steps GGUF files have a name for"
        )
    tokens = [f"[UNUSED{index}]" for index in range(size)]
    kinds = [_UNUSED] * size
    for text, index in model["vocab"].items():
        tokens[index], kinds[index] = text, _NORMAL
    for added in tokenizer["added_tokens"]:
        tokens[added["id"]] = added["content"]
        kinds[added["id"]] = _CONTROL if added["special"] else _USER_DEFINED
    ids = {text: index for index, text in enumerate(tokens)}
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    said: dict[str, str | int | bool | list[str] | list[int]] = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": pre,
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.ggml.add_space_prefix": False,
    }
    for role, named in _ROLES.items():
        if config.get(role) in ids:
            said[f"tokenizer.ggml.{named}_token_id"] = ids[config[role]]
    if "chat_template" in config:
        said["tokenizer.chat_template"] = config["chat_template"]
    return said


def _fits(merge: str, ids: Mapping[str, int]) -> bool:
    left, space, right = merge.partition(" ")
    return bool(space) and {left, right, left + right} <= ids.keys()


def tokenizer_config(said: Mapping[str, Any]) -> dict[str, Any]:
    """What transformers' AutoTokenizer reads beside `tokenizer.json`: which tokens mean what, and the chat template."""
    tokens = said["tokenizer.ggml.tokens"]
    ids = {role: said.get(f"tokenizer.ggml.{named}_token_id") for role, named in _ROLES.items()}
    return {
        # Not GPT2Tokenizer: that class would build its own first steps and drop those of tokenizer.json.
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": said[f"{said['general.architecture']}.context_length"],
        "clean_up_tokenization_spaces": False,
        "add_prefix_space": False,
        **{role: tokens[index] for role, index in ids.items() if index is not None},
        **({"chat_template": said["tokenizer.chat_template"]} if "tokenizer.chat_template" in said else {}),
    }
