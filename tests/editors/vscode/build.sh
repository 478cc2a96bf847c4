#!/usr/bin/env bash
# Builds dist/copydesk.vsix with the server's wheel inside, and the tests' own extension.
#
#   build.sh PYTHON
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../../.." && pwd)"
client="$root/vscode-client"
python="$1"
PATH="$("$here/install.sh" --root)/node/bin:$PATH" # the tools ask for a Node that is not too old
export PATH

if ! cmp -s "$client/package-lock.json" "$client/node_modules/.package-lock.copy"; then
    (cd "$client" && npm ci --loglevel=error --no-audit --no-fund --ignore-scripts)
    cp "$client/package-lock.json" "$client/node_modules/.package-lock.copy"
fi
rm -rf "$client/bundle"
mkdir -p "$client/bundle"
"$python" -m pip --disable-pip-version-check wheel --quiet --no-deps --wheel-dir "$client/bundle" "$root"
cp "$root/constraints.txt" "$client/bundle/"
(cd "$client" && mkdir -p dist && npm run --silent package >dist/package.log 2>&1) || { cat "$client/dist/package.log" >&2; exit 1; }
mkdir -p "$here/linter/dist"
(cd "$here/linter" && "$client/node_modules/.bin/vsce" package --no-dependencies --allow-missing-repository --skip-license \
    --out dist/linter.vsix >dist/package.log 2>&1) || { cat "$here/linter/dist/package.log" >&2; exit 1; }
"$client/node_modules/.bin/esbuild" "$here/host/main.ts" --bundle --platform=node --target=node20 --format=cjs \
    --external:vscode --outdir="$here/host/dist" --log-level=warning
