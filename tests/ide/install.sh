#!/usr/bin/env bash
# Installs the stock clients of the IDE tests, as far as this machine can have them: npm packages,
# pinned by package-lock.json, into build/ide, and Emacs with dap-mode from Debian's packages where
# this runs as root. What cannot be had is named; its tests are then skipped with the reason.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
modules=$here/../../build/ide

if ! command -v npm >/dev/null; then
	echo "npm is not installed: the tests with Microsoft's DebugClient will be skipped" >&2
elif ! cmp -s "$here/package-lock.json" "$modules/package-lock.json" || [ ! -d "$modules/node_modules" ]; then
	rm -rf "$modules"
	mkdir -p "$modules"
	cp "$here/package.json" "$here/package-lock.json" "$modules"
	if ! (cd "$modules" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error); then
		rm -rf "$modules"
		echo "npm could not install: the tests with Microsoft's DebugClient will be skipped" >&2
	fi
fi

has_dap_mode() { command -v emacs >/dev/null && emacs --batch --eval "(require 'dap-ui)" >/dev/null 2>&1; }
packages="emacs-nox elpa-dap-mode"
if ! has_dap_mode; then
	if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
		export DEBIAN_FRONTEND=noninteractive
		{ apt-get update -qq && apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends $packages; } >/dev/null ||
			echo "apt-get could not install $packages: the tests with dap-mode will be skipped" >&2
	else
		echo "Emacs with dap-mode is not installed (Debian, Ubuntu: apt-get install $packages): its tests will be skipped" >&2
	fi
fi
