# shellcheck shell=bash
# Podman's Docker-compatible API on two sockets: one as root, one rootless as the user `podtest`. Started on request.

podman_packages() { echo podman runc uidmap slirp4netns fuse-overlayfs catatonit netavark aardvark-dns && rootfs_packages; }

podman_running() {
	[ -e "$state/podman/images.ready" ] && [[ $(cat "$state/podman/images.ready") == "$(cat "$state/rootfs/host.ready" 2>/dev/null)" ]] &&
		alive "$state/podman/root.pid" podman
}

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
	id podtest >/dev/null 2>&1 || useradd --no-create-home --home-dir /nonexistent --shell /bin/bash podtest # fills /etc/subuid too
	chown -R podtest: "$folder/rootless"
	chmod 0700 "$folder/rootless/run"
	write_podman_config >"$folder/containers.conf"
	tar -C "$state/rootfs/host" -cf "$folder/host.tar" .
	chmod 0644 "$folder/host.tar"
	serve_podman root "$folder/root.sock"
	# Rootless needs user namespaces, which some machines forbid: the root service is of use without it.
	(serve_podman rootless "$folder/rootless/podman.sock") || report "rootless podman is left out"
	rm "$folder/host.tar"
	cp "$state/rootfs/host.ready" "$folder/images.ready"
}

# runc, because Debian 12's crun refuses hybrid cgroups when rootless; ulimits no higher than our own hard limits, because a
# root without CAP_SYS_RESOURCE cannot raise them.
write_podman_config() {
	cat <<CONFIG
[containers]
default_ulimits = ["nofile=1024:$(ulimit -Hn)", "nproc=4096:8192"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
CONFIG
}

# podman_as root|rootless COMMAND…: with storage below DIR.
podman_as() {
	local who=$1 folder=$state/podman
	shift
	if [ "$who" = root ]; then
		env CONTAINERS_CONF="$folder/containers.conf" podman --root "$folder/data" --runroot "$folder/run" "$@"
	else
		(cd "$folder/rootless" && setpriv --reuid podtest --regid podtest --init-groups env -i PATH="$PATH" USER=podtest HOME="$folder/rootless/home" \
			XDG_RUNTIME_DIR="$folder/rootless/run" CONTAINERS_CONF="$folder/containers.conf" podman "$@")
	fi
}

# serve_podman root|rootless SOCKET
serve_podman() {
	local who=$1 folder=$state/podman log=$state/podman/$1.log
	if alive "$folder/$who.pid" podman; then return 0; fi
	podman_as "$who" import -q -c 'CMD ["/bin/bash"]' -c 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
		"$folder/host.tar" localhost/hermes-test:host >"$log" 2>&1 </dev/null 3>&- 9>&- || fail "podman ($who)" "the image cannot be imported" "$log"
	launch "$log" bash -c "$(declare -f podman_as); state=\$1; podman_as \$2 system service --time 0 unix://\$3" bash "$state" "$who" "$2"
	wait_until 20 test -S "$2" || fail "podman ($who)" "the API socket does not appear" "$log"
	pgrep -f -- "podman .*system service --time 0 unix://$2" | tail -n 1 >"$folder/$who.pid"
}

podman_stop() {
	local who
	for who in root rootless; do
		if alive "$state/podman/$who.pid" podman; then
			podman_as "$who" rm --all --force --time 0 >/dev/null 2>&1 </dev/null || true
			end "$state/podman/$who.pid" podman
		fi
	done
	awk -v under="$state/podman/" 'index($2, under) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount -l
}
