#!/usr/bin/env bash
# Installs the stock clients of the IDE tests, as far as this machine can have them: npm packages,
# pinned by package-lock.json, into build/ide; the VS Code workbench, as code-server packages it;
# Chromium, and Emacs with dap-mode, from Debian's packages where this runs as root. Then builds our
# extension. What cannot be had is named; its tests are then skipped with the reason.
# WORKBENCHES: the releases to install, "1.139" without it; "1.139 1.100" for the oldest one, too.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
modules=$here/../../build/ide
mkdir -p "$modules"

has_dap_mode() { command -v emacs >/dev/null && emacs --batch --eval "(require 'dap-ui)" >/dev/null 2>&1; }
has_chromium() { command -v "${CHROMIUM:-chromium}" >/dev/null; }

install_packages() {
	packages=()
	has_dap_mode || packages+=(emacs-nox elpa-dap-mode)
	has_chromium || packages+=(chromium)
	[ ${#packages[@]} -eq 0 ] && return
	if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
		export DEBIAN_FRONTEND=noninteractive
		{ apt-get update -qq && apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${packages[@]}"; } >/dev/null ||
			echo "apt-get could not install ${packages[*]}: their tests will be skipped" >&2
	else
		echo "Not installed (Debian, Ubuntu: apt-get install ${packages[*]}): their tests will be skipped" >&2
	fi
}

install_clients() {
	if ! cmp -s "$here/package-lock.json" "$modules/package-lock.json" || [ ! -d "$modules/node_modules" ]; then
		rm -rf "$modules/node_modules"
		cp "$here/package.json" "$here/package-lock.json" "$modules"
		if ! (cd "$modules" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error); then
			rm -rf "$modules/node_modules"
			echo "npm could not install: the tests with Microsoft's DebugClient and with VS Code will be skipped" >&2
		fi
	fi
}

install_workbench() {
	if ! "$here/install_workbench.sh" "$modules/workbench-$1" "$1" >"$modules/workbench-$1.log" 2>&1; then
		tail -5 "$modules/workbench-$1.log" >&2
		echo "VS Code's workbench $1 could not be installed: its tests will be skipped" >&2
	fi
}

install_packages &
if command -v npm >/dev/null; then
	install_clients
	for release in ${WORKBENCHES:-1.139}; do
		install_workbench "$release"
	done
	"$here/../../vscode-extension/package.sh" ||
		echo "The extension could not be built: the tests with VS Code will be skipped" >&2
else
	echo "npm is not installed: the tests with Microsoft's DebugClient and with VS Code will be skipped" >&2
fi
wait
