# Sourced from the project's folder by the other scripts: puts the pinned Bun first on PATH and installs the packages.
# A Bun of another version is left alone. Nothing is written outside the project; root is not needed.

bun_version=$(sed -n 's/.*"packageManager": *"bun@\([^"]*\)".*/\1/p' package.json)

# True when "$1" is a Bun of the pinned version that runs here.
is_pinned_bun() {
	[ "$("$1" --version 2>/dev/null)" = "$bun_version" ]
}

# Links .tools/bin/bun to the first installed candidate that runs. npm may be told (npm 11: by default) to run no
# postinstall script; bun/bin/bun.exe is then a placeholder, and the real program is in the platform's own package.
link_installed_bun() {
	for candidate in .tools/node_modules/bun/bin/bun.exe .tools/node_modules/@oven/bun-*/bin/bun; do
		if [ -x "$candidate" ] && is_pinned_bun "$candidate"; then
			mkdir -p .tools/bin
			ln -sf "$PWD/$candidate" .tools/bin/bun
			return 0
		fi
	done
	return 1
}

# npm by preference; a Bun of another version can fetch the pinned one too.
install_bun() {
	mkdir -p .tools
	echo '{ "private": true }' >.tools/package.json
	echo "Installing Bun $bun_version into .tools (needed once)" >&2
	if command -v npm >/dev/null 2>&1; then
		(cd .tools && npm install --no-audit --no-fund --no-package-lock --loglevel=error "bun@$bun_version") >&2
	elif command -v bun >/dev/null 2>&1; then
		(cd .tools && bun add --exact "bun@$bun_version") >&2
	else
		echo "Cannot install Bun $bun_version: neither npm nor bun is on PATH; install Node.js or Bun first" >&2
		return 1
	fi
}

if ! is_pinned_bun bun; then
	link_installed_bun || install_bun || exit 1
	link_installed_bun || {
		echo "Cannot set up Bun $bun_version: no working program in .tools; remove .tools and try again" >&2
		exit 1
	}
	PATH="$PWD/.tools/bin:$PATH"
	export PATH
fi

bun install --frozen-lockfile >&2 || exit 1
