# shellcheck shell=bash disable=SC2154
# What a musl binary needs to run on a glibc machine, for x64 and arm64, in DIR/musl/<arch>: musl itself as `libc.so`, and the
# libstdc++ and libgcc_s built against it. Nothing runs in the background.

musl_packages() { echo debian-archive-keyring python3-pip; }

musl_running() { [[ $(cat "$state/musl/ready" 2>/dev/null) == "$(musl_version)" ]]; }

musl_version() { cksum <"$here/musl.sh"; }

musl_env() { echo "HERMES_TEST_MUSL=$state/musl"; }

musl_start() {
	rm -rf "$state/musl"
	mkdir -p "$state/musl"
	(
		set -e
		fetch_musl amd64 x64
		fetch_musl arm64 arm64
		fetch_cpp_libraries x86_64 x64 7e3cff632c1d78023b15f7e3a81c3745cd3f94c044d1e8fa8efbd6b161997bbc
		fetch_cpp_libraries aarch64 arm64 1aa8a2ab482f09f6c10fba37112af5f957689a79ea598399c85009f2f29898b5
	) >"$state/musl/log" 2>&1 &
	# Waited for by number: `set -e` would be off inside `( … ) || fail`.
	wait $! || fail musl "a library is not to be had" "$state/musl/log"
	musl_version >"$state/musl/ready"
}

# fetch_musl DEBIAN_ARCH ARCH: from Debian 13, with package lists of its own. Debian 12's musl 1.2.3 knows no packed relocations
# (RELR), which the C++ libraries have, and jumps to an address that was never relocated.
fetch_musl() {
	local folder=$state/musl/apt-$2
	mkdir -p "$folder/lists/partial" "$folder/archives/partial"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(debian_mirror) trixie main" >"$folder/sources.list"
	(
		cd "$folder"
		printf '%s\n' "Dir::Etc::sourcelist \"$folder/sources.list\";" 'Dir::Etc::sourceparts "-";' "Dir::State::lists \"$folder/lists\";" \
			"Dir::Cache \"$folder\";" "APT::Architecture \"$1\";" "APT::Architectures { \"$1\"; };" 'APT::Sandbox::User "root";' \
			'Acquire::Languages "none";' >apt.conf
		APT_CONFIG=$folder/apt.conf apt-get -q update
		APT_CONFIG=$folder/apt.conf apt-get -q download musl
		dpkg-deb -x musl_*.deb files
	)
	mkdir "$state/musl/$2"
	cp "$folder"/files/usr/lib/*-linux-musl/libc.so "$state/musl/$2/"
	rm -r "$folder"
}

# Where this machine gets its own packages from.
debian_mirror() {
	# shellcheck disable=SC2016 # for apt-get
	apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' | sed -n 's/^Debian //p' | head -n 1
}

# fetch_cpp_libraries MACHINE ARCH SHA256: Python packages for musl carry the C++ libraries that they were built with; this one is small.
fetch_cpp_libraries() {
	local folder=$state/musl/wheel-$2 target=$state/musl/$2
	mkdir "$folder"
	echo "ujson==5.11.0 --hash=sha256:$3" >"$folder/requirements.txt"
	python3 -m pip --disable-pip-version-check download --no-deps --only-binary=:all: --require-hashes --implementation cp \
		--python-version 3.12 --platform "musllinux_1_2_$1" --dest "$folder" --requirement "$folder/requirements.txt"
	python3 -m zipfile -e "$folder"/*.whl "$folder/files"
	cp "$folder"/files/ujson.libs/libgcc_s-*.so.1 "$target/"
	cp "$folder"/files/ujson.libs/libstdc++-*.so.6* "$target/libstdc++.so.6"
	rm -r "$folder"
}

musl_stop() { :; }
