# shellcheck shell=bash disable=SC2154
# Podman's Docker-compatible API on two sockets: one as root, one rootless as the user `podtest`. Started on request.

podman_packages() { echo podman runc uidmap slirp4netns fuse-overlayfs catatonit netavark aardvark-dns && rootfs_packages; }

podman_running() { current_rootfs "$state/podman/images.ready" && alive "$state/podman/root.pid" podman; }

podman_env() {
	echo "HERMES_TEST_PODMAN_HOST=unix://$state/podman/root.sock"
	if alive "$state/podman/rootless.pid" podman; then
		echo "HERMES_TEST_PODMAN_ROOTLESS_HOST=unix://$state/podman/rootless/podman.sock"
	fi
}

podman_start() {
	local folder=$state/podman
	mkdir -p "$folder/rootless/home" "$folder/rootless/run"
	chmod 0711 "$folder"
	mount_cgroups
	# useradd gives it ranges in /etc/subuid and /etc/subgid too.
	id podtest >/dev/null 2>&1 || useradd --no-create-home --home-dir /nonexistent --shell /bin/bash podtest
	chown -R podtest: "$folder/rootless"
	chmod 0700 "$folder/rootless/run"
	if [ -c /dev/net/tun ]; then chmod 0666 /dev/net/tun; fi # as udev has it; slirp4netns opens it as podtest
	write_podman_config >"$folder/containers.conf"
	tar -C "$state/rootfs/host" -cf "$folder/host.tar" .
	chmod 0644 "$folder/host.tar"
	serve_podman root "$folder/root.sock"
	# Rootless needs user namespaces, which some machines forbid: the root service is of use without it.
	(serve_podman rootless "$folder/rootless/podman.sock") || report "rootless podman is left out"
	rm "$folder/host.tar"
	rootfs_version >"$folder/images.ready"
}

# runc, because Debian 12's crun refuses hybrid cgroups when rootless; ulimits no higher than our own hard limits, because a
# root without CAP_SYS_RESOURCE cannot raise them, and soft equal to hard, because Podman 4.3's API swaps the two; netavark, because Debian ships a CNI configuration without its plug-ins.
write_podman_config() {
	local nofile nproc
	nofile=$(limit n 4096)
	nproc=$(limit u 4096)
	cat <<CONFIG
[containers]
default_ulimits = ["nofile=$nofile:$nofile", "nproc=$nproc:$nproc"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
CONFIG
}

# limit LETTER MOST: our own hard limit, or MOST if that is less.
limit() {
	local limit
	limit=$(ulimit "-H$1")
	if [ "$limit" = unlimited ] || [ "$limit" -gt "$2" ]; then limit=$2; fi
	echo "$limit"
}

# Sets the array `podman` to the words that run podman as root or as podtest, with its storage below DIR.
podman_words() {
	local folder=$state/podman
	if [ "$1" = root ]; then
		podman=(env "CONTAINERS_CONF=$folder/containers.conf" podman --root "$folder/data" --runroot "$folder/run")
	else
		podman=(env -C "$folder/rootless" setpriv --reuid podtest --regid podtest --init-groups env -i "PATH=$PATH" USER=podtest
			"HOME=$folder/rootless/home" "XDG_RUNTIME_DIR=$folder/rootless/run" "CONTAINERS_CONF=$folder/containers.conf" podman)
	fi
}

# serve_podman root|rootless SOCKET
serve_podman() {
	local who=$1 folder=$state/podman log=$state/podman/$1.log podman
	podman_words "$who"
	: >"$log"
	"${podman[@]}" import -q -c 'CMD ["/bin/bash"]' -c 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
		"$folder/host.tar" localhost/hermes-test:host >>"$log" 2>&1 </dev/null 3>&- 9>&- || fail "podman ($who)" "the image cannot be imported" "$log"
	if alive "$folder/$who.pid" podman; then return 0; fi
	rm -f "$2"
	launch "$log" "${podman[@]}" system service --time 0 "unix://$2"
	echo $! >"$folder/$who.pid"
	wait_until 20 test -S "$2" || fail "podman ($who)" "the API socket does not appear" "$log"
}

podman_stop() {
	local who podman
	for who in root rootless; do
		if alive "$state/podman/$who.pid" podman; then
			podman_words "$who"
			"${podman[@]}" rm --all --force --time 0 >/dev/null 2>&1 </dev/null || true
			end "$state/podman/$who.pid" podman
		fi
	done
	# Podman keeps a process per exec for five minutes after its end.
	pgrep -f "conmon .*$state/podman/" | xargs -r kill 2>/dev/null || true
	# The process that holds rootless podman's user namespace.
	end "$state/podman/rootless/run/libpod/tmp/pause.pid" ''
	awk -v under="$state/podman/" 'index($2, under) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount -l
}
