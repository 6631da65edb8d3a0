# shellcheck shell=bash disable=SC2154
# Apptainer for Debian 12: the program of Debian sid beside the libraries it needs, in a folder of its own, and an image.

apptainer_prefix=/opt/apptainer

apptainer_packages() { echo patchelf squashfs-tools uidmap && rootfs_packages; }

apptainer_running() {
	current_rootfs "$state/apptainer/image.ready" && apptainer version >/dev/null 2>&1
}

apptainer_env() {
	printf '%s\n' "HERMES_TEST_APPTAINER_IMAGE=$state/apptainer/host.sif" "HERMES_TEST_APPTAINER_SANDBOX=$state/apptainer/host" \
		"TERMINAL_SINGULARITY_IMAGE=$state/apptainer/host.sif"
}

apptainer_start() {
	local log=$state/apptainer/apptainer.log folder=$state/apptainer
	mkdir -p "$folder"
	: >"$log"
	if ! apptainer version >/dev/null 2>&1; then
		report "unpacking Apptainer"
		unpack_apptainer >>"$log" 2>&1 & # apart, so that `set -e` holds inside
		wait $! || fail apptainer "it cannot be unpacked to $apptainer_prefix" "$log"
	fi
	apptainer version >>"$log" 2>&1 || fail apptainer "the program does not run" "$log"
	report "building the Apptainer image"
	build_image --sandbox "$folder/host" "$state/rootfs/host"
	build_image "$folder/host.sif" "$folder/host"
	rootfs_version >"$folder/image.ready"
}

# build_image [OPTION] TARGET SOURCE: a .sif file, or a folder with --sandbox (a bare root filesystem cannot start an instance).
build_image() {
	local folder=$state/apptainer
	APPTAINER_TMPDIR=$folder APPTAINER_CACHEDIR=$folder/cache apptainer build --force "$@" </dev/null >>"$folder/apptainer.log" 2>&1 3>&- 9>&- ||
		fail apptainer "the image cannot be built" "$folder/apptainer.log"
}

# Debian 12 has no apptainer, and sid's one wants a newer libc: its programs get that libc's loader and folder written into
# them, so the system's own libraries stay untouched.
unpack_apptainer() {
	local work loader libraries program name
	work=$(mktemp -d "$state/apptainer/sid.XXXXXX")
	fetch_from_sid "$work" apptainer libc6 libseccomp2 libsqlite3-0
	rm -rf "$apptainer_prefix"
	mkdir -p "$apptainer_prefix"
	for name in "$work"/archives/*.deb; do dpkg-deb -x "$name" "$apptainer_prefix"; done
	rm -rf "$work"
	loader=$(find "$apptainer_prefix/usr/lib" -name 'ld-linux*.so.*' -print -quit)
	libraries=$(dirname "$(find "$apptainer_prefix/usr/lib" -name libc.so.6 -print -quit)")
	for program in "$apptainer_prefix/usr/bin/apptainer" "$libraries/apptainer/bin/starter"; do
		patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$program"
	done
	# Apptainer looks for etc and var beside the folder it was unpacked to: beside bin for one program, beside lib for the other.
	mkdir -p "$apptainer_prefix"/var/lib/apptainer/mnt/{session,source}
	for name in etc var; do
		ln -sfn "../$name" "$apptainer_prefix/usr/$name"
		ln -sfn "../../$name" "$apptainer_prefix/usr/lib/$name"
	done
	configure_apptainer "$apptainer_prefix/etc/apptainer"
	for name in apptainer singularity; do ln -sf "$apptainer_prefix/usr/bin/apptainer" "/usr/local/bin/$name"; done
}

# fetch_from_sid FOLDER PACKAGE…: into FOLDER/archives, with package lists of its own, from the Debian mirror this machine uses.
fetch_from_sid() {
	local work=$1 mirror options
	shift
	mkdir -p "$work/lists/partial" "$work/archives/partial"
	: >"$work/status"
	# shellcheck disable=SC2016 # apt's own variable
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | grep -v security | head -n 1)
	[ -n "$mirror" ] || { echo "no Debian mirror among this machine's package sources" >&2; return 1; }
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >"$work/sid.list"
	# Check-Valid-Until: a mirror frozen at a date serves an index that counts as expired.
	options=(-q -o "Dir::Etc::SourceList=$work/sid.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$work/lists"
		-o "Dir::State::status=$work/status" -o "Dir::Cache=$work" -o Acquire::Check-Valid-Until=false
		-o Acquire::Languages=none -o APT::Sandbox::User=root)
	apt-get "${options[@]}" update
	(cd "$work/archives" && apt-get "${options[@]}" download "$@")
}

# configure_apptainer FOLDER: cgroups without systemd; and where root lacks a capability (CAP_SYS_RESOURCE in many virtual
# machines) the default "root gets all" fails at instance start, so root is granted by file what it really has.
configure_apptainer() {
	local permitted names granted='' number=0 name
	sed -i -e 's/^ *systemd cgroups *=.*/systemd cgroups = no/' \
		-e 's/^ *root default capabilities *=.*/root default capabilities = file/' "$1/apptainer.conf"
	names="CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST
		NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE
		SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM
		BLOCK_SUSPEND AUDIT_READ"
	permitted=$((0x$(awk '/^CapPrm:/ { print $2 }' /proc/self/status)))
	for name in $names; do
		if ((permitted >> number & 1)); then granted+=${granted:+, }\"CAP_$name\"; fi
		number=$((number + 1))
	done
	echo "{\"users\": {\"root\": [$granted]}}" >"$1/capability.json"
}

# Stops the instances of our images only; a user's other instances are none of our business.
apptainer_stop() {
	local name _ image
	type -P apptainer >/dev/null || return 0
	apptainer instance list 2>/dev/null | tail -n +2 | while read -r name _ image; do
		if [[ $image == *"$state/"* ]]; then apptainer instance stop "$name" >/dev/null 2>&1 </dev/null || true; fi
	done
}
