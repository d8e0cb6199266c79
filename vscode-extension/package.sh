#!/usr/bin/env bash
# Builds the extension as one .vsix, the same bytes from the same sources: fixed times, fixed modes,
# tools pinned by package-lock.json. usage: package.sh [OUT.vsix]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-$here/../build/vsix/state-program-debugger.vsix}

if ! command -v npm >/dev/null; then
	echo "npm is not installed: it is needed to build the extension (Node.js 20 or newer)" >&2
	exit 1
fi
cd "$here"
if ! cmp -s package-lock.json node_modules/.state-program-lock.json; then
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	cp package-lock.json node_modules/.state-program-lock.json
fi
node esbuild.mjs

mkdir -p "$(dirname "$out")"
out=$(cd "$(dirname "$out")" && pwd)/$(basename "$out")
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cp -R package.json README.md ../LICENSE dist media "$stage"
echo 'package-lock.json' >"$stage/.vscodeignore"
find "$stage" -type d -exec chmod 755 {} +
find "$stage" -type f -exec chmod 644 {} +
vsce=$here/node_modules/.bin/vsce
(cd "$stage" && TZ=UTC SOURCE_DATE_EPOCH=1767225600 "$vsce" package --no-dependencies \
	--allow-missing-repository --no-rewrite-relative-links --out "$out" >/dev/null)
echo "$out"
