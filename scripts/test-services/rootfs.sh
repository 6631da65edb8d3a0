# shellcheck shell=bash disable=SC2154
# Root filesystems for the images, made of this machine's own Debian packages: nothing is pulled from a registry.

rootfs_packages() {
	echo bash bsdutils busybox-static coreutils dash debianutils diffutils findutils gawk git grep gzip hostname less libc-bin mawk \
		ncurses-base ncurses-bin procps python3-minimal python3 ripgrep sed tar util-linux vim-tiny
}

# Makes $state/rootfs/host (everything) and $state/rootfs/sh (static busybox alone), once per version of this file.
rootfs_ready() {
	if current_rootfs "$state/rootfs/ready"; then return 0; fi
	report "building the root filesystems"
	rm -rf "$state/rootfs"
	mkdir -p "$state/rootfs"
	chmod 0711 "$state/rootfs"
	skeleton "$state/rootfs/host" /bin/bash
	fill_host "$state/rootfs/host"
	skeleton "$state/rootfs/sh" /bin/sh
	fill_busybox "$state/rootfs/sh"
	check_host "$state/rootfs/host" >"$state/rootfs/check.log" 2>&1 ||
		fail "the root filesystem" "a program in it does not run" "$state/rootfs/check.log"
	rootfs_version >"$state/rootfs/ready"
}

rootfs_version() { cksum <"$here/rootfs.sh"; }

# current_rootfs FILE: FILE says that what lies beside it was made from this version of the root filesystems.
current_rootfs() { [[ $(cat "$1" 2>/dev/null) == "$(rootfs_version)" ]]; }

# check_host ROOT: runs its main programs, with the machine's /dev mounted for the moment of the check.
check_host() {
	# shellcheck disable=SC2016 # for the inner sh
	unshare --mount sh -c 'mount --bind /dev "$1/dev" && exec chroot "$1" /bin/bash -c "$2"' sh "$1" \
		'python3 -c "import ssl, socket, json, pty, hashlib, sqlite3" && git --version && rg --version && vim --version && gawk 1' </dev/null
}

# skeleton ROOT SHELL: folders, users and profile of a merged-/usr system.
skeleton() {
	local root=$1 name
	mkdir -p "$root"/{dev,etc,home/user,proc,root,run,sys,tmp,usr/bin,usr/sbin,usr/lib,usr/lib64,usr/local/bin,var/tmp,workspace}
	for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
	chmod 1777 "$root/tmp" "$root/var/tmp"
	chmod 0700 "$root/root"
	chown 1000:1000 "$root/home/user"
	printf '%s\n' "root:x:0:0:root:/root:$2" "user:x:1000:1000:user:/home/user:$2" \
		nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin >"$root/etc/passwd"
	printf '%s\n' root:x:0: tty:x:5: user:x:1000: nogroup:x:65534: >"$root/etc/group"
	printf '%s\n' 'passwd: files' 'group: files' 'hosts: files dns' >"$root/etc/nsswitch.conf"
	echo 'export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' >"$root/etc/profile"
	cp /etc/os-release "$root/etc/"
}

# fill_host ROOT: the packages' programs and run-time files (no documentation), then the libraries they load.
fill_host() {
	local root=$1 python
	python=$(basename "$(readlink -f /usr/bin/python3)")
	# shellcheck disable=SC2046 # one word per package
	dpkg -L $(rootfs_packages) "$python-minimal" "lib$python-minimal" "lib$python-stdlib" |
		grep -E '^/(usr/)?(bin|sbin|lib|libexec)/|^/usr/share/(awk|git-core|vim)/' |
		grep -vE '/lib/(binfmt.d|mime|sysctl.d|systemd|valgrind)/|/(locale|gconv)/|/lib/python3/dist-packages|/python3[^/]*/(test|idlelib|lib2to3|ensurepip|pydoc_data|config-[^/]*)(/|$)|/__pycache__' |
		grep -vE '/git-core/git-(daemon|http-.*|imap-send|remote-.*|shell)$|/busybox$|/(fsck|mkfs|mkswap|fdisk|sfdisk|cfdisk)[^/]*$' |
		sort -u | copy_files "$root"
	ln -sf mawk "$root/usr/bin/awk"
	ln -sf vim.tiny "$root/usr/bin/vim"
	ln -sf vim.tiny "$root/usr/bin/vi"
	ln -sf which.debianutils "$root/usr/bin/which"
	ln -sf less "$root/usr/bin/pager"
	find "$root"/usr/{bin,sbin,lib} -type f \( -perm -100 -o -name '*.so' \) -print0 | xargs -0 ldd 2>/dev/null |
		grep -oE '/[^ ):]+\.so[^ ):]*' | grep -vF "$root" | sort -u | copy_files "$root" --dereference
	# getpwnam and getaddrinfo load these by name, ldd does not see them.
	find /lib/*-linux-gnu -maxdepth 1 -name 'libnss_*.so.2' | copy_files "$root" --dereference
	cp -a --parents /usr/lib/locale/C.utf8 "$root" 2>/dev/null || true
}

# copy_files ROOT [TAR OPTION]: the files and links (not folders) whose paths come on stdin, under ROOT.
copy_files() {
	local root=$1 path
	shift
	while read -r path; do
		if [ -L "$path" ] || [ -f "$path" ]; then echo "${path#/}"; fi
	done | tar -C / --no-recursion "$@" -T - -cf - | tar -C "$root" --keep-directory-symlink -xf -
}

# fill_busybox ROOT: static busybox under the names of its applets; no bash, no python3, no shared library.
fill_busybox() {
	local root=$1 applet
	cp "$(type -P busybox)" "$root/usr/bin/busybox"
	for applet in $("$root/usr/bin/busybox" --list); do
		if [ "$applet" != busybox ]; then ln -s busybox "$root/usr/bin/$applet"; fi
	done
}
