"""The model card of an adapter: what it belongs to, what it was made from, how, and what it cannot do. Knows no files."""

from __future__ import annotations

from typing import Any

from copydesk.adapters.adapter_file import AdapterState
from copydesk_training.card import WEAKNESSES, data_section, figures_section


def adapter_card(
    state: AdapterState,
    base: str,
    *,
    manifest: dict[str, Any] | None = None,
    histories: dict[str, Any] | None = None,
    figures: dict[str, Any] | None = None,
) -> str:
    """Markdown. base: its name. manifest: of the corpus; histories: the record of mined repositories; figures: measured."""
    format = state.format
    head = (
        "---\nlibrary_name: copydesk\nlicense: apache-2.0\npipeline_tag: text-generation\n"
        f"tags: [code, code-editing, lora]\n---\n\n# An adapter that makes {base} write copydesk's programs\n"
    )
    about = (
        "Low-rank updates of every linear layer (LoRA, arXiv 2106.09685) and rows for the edit format's tokens. Merged with its "
        "base it writes copy/gen programs: which numbered lines stay, and what the others become. It is read by copydesk, which "
        "lets it say nothing but legal programs; on its own it is of little use.\n\n"
        f"- Base: `{base}`, tensors with SHA-256 `{state.base}`.\n"
        f"- Rank {state.rank}, int8 with a scale for each direction; {len(state.tokens)} tokens of its own, bf16.\n"
        f"- Edit format: `{format.get('kind')}`, pages of up to {format.get('page_lines')} lines and a header of up to "
        f"{format.get('header_lines')}, context after a copy: {format.get('after_copy')}.\n"
    )
    recipe = (
        "## Training\n\n"
        f"- {state.requests:,} requests, {state.tokens_seen / 1e6:.2f}M tokens, {state.steps:,} steps in "
        f"{state.seconds / 60:.0f} minutes. AdamW; the loss is the cross-entropy of what the model chooses.\n"
        f"- To go on from here: `copydesk train run --model {base} --init adapter.safetensors` on shards made by `copydesk train "
        f"shards --model {base}`; seed {state.seed}, data cursor inside the file.\n"
    )
    parts = [
        head,
        about,
        data_section(manifest),
        _histories(histories),
        recipe,
        figures_section(figures or {}),
    ]
    return "\n".join(part for part in parts if part) + WEAKNESSES


def _histories(record: dict[str, Any] | None) -> str:
    if not record:
        return ""
    rows = "\n".join(
        f"| {row['repository']} | {row['commit']} | {row['licence']} | {row['kept']} |"
        for row in record["repositories"]
    )
    return (
        f"Real edits: {record['edits']:,} commits that change one function or class, from public repositories under permissive "
        "licences; no text of theirs is kept.\n\n| Repository | Commit | Licence | Edits |\n| --- | --- | --- | --- |\n"
        f"{rows}\n"
    )
