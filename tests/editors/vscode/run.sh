#!/usr/bin/env bash
# The tests in VS Code: installs what they need, builds the extension with the server's wheel inside, and runs them.
#
#   run.sh PYTHON [FILE...]      PYTHON: of the environment with copydesk; FILE: some test files (default: all)
#
# COPYDESK_PICTURES=DIR keeps pictures, among them those of the READMEs and the walkthrough.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../../.." && pwd)"
python="$1"
shift

"$here/install.sh"
editors="$("$here/install.sh" --root)"
node="$editors/node/bin/node"

"$here/build.sh" "$python"
if [ -z "${COPYDESK_COMMAND:-}" ]; then
    COPYDESK_COMMAND="[\"$(dirname "$python")/copydesk\"]"
    export COPYDESK_COMMAND
fi
if [ $# -eq 0 ]; then
    set -- "$here"/ui/*.test.ts
fi
failed="$(mktemp)"
trap 'rm -f "$failed"' EXIT

run() {
    "$node" --test --test-concurrency=2 --disable-warning=ExperimentalWarning \
        --test-reporter=spec --test-reporter-destination=stdout \
        --test-reporter="$here/failed_files.ts" --test-reporter-destination="$failed" "$@"
}

# The files that something failed in are run once more, as the Makefile says.
if ! run "$@"; then
    mapfile -t again <"$failed"
    [ ${#again[@]} -gt 0 ] || exit 1
    echo "editors/vscode: once more, the files that something failed in" >&2
    run "${again[@]}"
fi
