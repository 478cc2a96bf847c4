#!/usr/bin/env bash
# The CUDA part of the benchmarks, in some twelve minutes, where there is a GPU and no network:
#
#   benchmarks/on_cuda.sh [--out DIR] [--try] [--only kernel|edit|serve|adapter]
#
# kernel (135M, 1.5B and 7B shapes, random weights), edit (135M and 1.5B), serve (1.5B) and the training of adapters (135M); results in
# DIR (default: benchmarks/results). What is wanted of each is in benchmarks/CUDA.md.
# --only: one part, where a machine is lent for less time; several times for several. --try: the same steps at a tiny size on the CPU, to find out that everything is there before a GPU is.
#
# Needs Python 3.11 or newer with torch >= 2.11, transformers >= 5.17, numpy, rich, psutil and platformdirs; pygls and llguidance are not
# used. edit and serve need tree-sitter, tree-sitter-python, tree-sitter-javascript, rapidfuzz and pathspec besides: where they are
# missing they come as wheels from the folder that COPYDESK_WHEELS names; without it these steps are left out, and that is said.
#
#   pip download --no-deps --only-binary=:all: --python-version 3.12 --implementation cp --platform manylinux_2_28_x86_64 \
#       --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 -d WHEELS \
#       tree-sitter tree-sitter-python tree-sitter-javascript rapidfuzz pathspec
#
# PYTHON names the interpreter (default: python3). Exits with 1 where a step failed or missed a target; later steps run all the same.

set -u
here="$(cd "$(dirname "$0")/.." && pwd)"
python="${PYTHON:-python3}"
out="$here/benchmarks/results"
device=cuda size=cuda parts=
kernel_shapes=(--shape 135m --shape 1.5b --shape 7b) edit_shapes=(135m 1.5b) serve_shape=1.5b adapter=(--batch-tokens 16384)

while [ $# -gt 0 ]; do
    case "$1" in
        --out) out="$2"; shift 2 ;;
        --only) parts="$parts $2"; shift 2 ;;
        --try) device=cpu size=tiny kernel_shapes=(--shape tiny) edit_shapes=(tiny) serve_shape=tiny
               adapter=(--shape tiny --steps 2 --batch-tokens 256); shift ;;
        *) echo "usage: benchmarks/on_cuda.sh [--out DIR] [--try] [--only kernel|edit|serve|adapter]" >&2; exit 2 ;;
    esac
done

export PYTHONPATH="$here/engine:$here/server:$here/benchmarks${PYTHONPATH:+:$PYTHONPATH}"
export PYTHONUNBUFFERED=1 HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false
mkdir -p "$out"
started=$SECONDS
failed=0

has() { "$python" - "$@" <<'PY'
import sys
from importlib.util import find_spec
sys.exit(any(find_spec(name) is None for name in sys.argv[1:]))
PY
}

needed=(tree_sitter tree_sitter_python tree_sitter_javascript rapidfuzz pathspec)
if ! has "${needed[@]}" && [ -n "${COPYDESK_WHEELS:-}" ]; then
    site="$(mktemp -d)"
    trap 'rm -rf "$site"' EXIT
    "$python" -m pip install --quiet --no-index --no-deps --no-compile --no-cache-dir --target "$site" "$COPYDESK_WHEELS"/*.whl \
        && export PYTHONPATH="$PYTHONPATH:$site"
fi

# step SECONDS WHAT ARGS...: one benchmark, stopped when it takes too long; what it wrote by then stays.
step() {
    local limit="$1"; shift
    echo "== $1, at most $limit s ($((SECONDS - started)) s so far)"
    timeout --signal=INT --kill-after=10 "$limit" "$python" -m copydesk_server bench "$@" --device "$device" --size "$size" --out "$out"
    ended "$1" $?
}

ended() {
    if [ "$2" -ne 0 ]; then
        failed=1
        echo "== $1 ended with $2 (1: a target was missed, or it broke off; 2: it could not begin; 124 or 130: it was stopped)"
    fi
}

wanted() { [ -z "$parts" ] || [[ " $parts " == *" $1 "* ]]; }

if wanted kernel; then step 200 kernel "${kernel_shapes[@]}"; fi
if wanted edit || wanted serve; then
    if has "${needed[@]}"; then
        if wanted edit; then
            for shape in "${edit_shapes[@]}"; do step 240 edit --shape "$shape" --tag "$shape"; done
        fi
        if wanted serve; then step 90 serve --shape "$serve_shape"; fi
    else
        failed=1
        echo "== edit and serve are left out: $(printf '%s ' "${needed[@]}")are not all installed (see COPYDESK_WHEELS in this script)"
    fi
fi
if wanted adapter; then
    echo "== adapter_speed, at most 90 s ($((SECONDS - started)) s so far)"
    timeout --kill-after=10 90 "$python" -m copydesk_benchmarks adapter_speed --device "$device" "${adapter[@]}" \
        | tee "$out/adapter-speed-$device.md"
    ended adapter_speed "${PIPESTATUS[0]}"
fi
echo "== $((SECONDS - started)) s"
exit $failed
