# shellcheck shell=bash disable=SC2154
# A Docker engine with its own socket, data and process files, and three images without a registry.

docker_socket() { echo "unix://$state/docker/docker.sock"; }

# The client is told its engine each time, so that a context or DOCKER_HOST of the user changes nothing.
docker_client() { env -u DOCKER_CONTEXT -u DOCKER_TLS_VERIFY DOCKER_CONFIG="$state/docker/client" docker -H "$(docker_socket)" "$@"; }

docker_packages() { echo docker.io tini iptables iproute2 && rootfs_packages; }

docker_answers() { docker_client version; }

docker_running() {
	[ -S "$state/docker/docker.sock" ] && current_rootfs "$state/docker/images.ready" &&
		alive "$state/docker/docker.pid" dockerd && docker_answers >/dev/null 2>&1
}

docker_env() {
	printf '%s\n' "DOCKER_HOST=$(docker_socket)" TERMINAL_DOCKER_IMAGE=hermes-test:host \
		HERMES_TEST_DOCKER_IMAGE=hermes-test:host HERMES_TEST_DOCKER_IMAGE_SH=hermes-test:sh \
		HERMES_TEST_DOCKER_IMAGE_NOPYTHON=hermes-test:nopython
}

docker_start() {
	mkdir -p "$state/docker/client"
	chmod 0711 "$state/docker"
	if ! alive "$state/docker/docker.pid" dockerd || ! docker_answers >/dev/null 2>&1; then launch_dockerd; fi
	import_images
}

launch_dockerd() {
	local log=$state/docker/dockerd.log network=()
	mount_cgroups
	rm -f "$state/docker/docker.pid"
	end_containerd
	if other_dockerd; then
		# Two engines in one network namespace destroy each other's docker0, even with --bridge=none.
		report "another Docker engine runs here: this one gets a network namespace of its own"
		# shellcheck disable=SC2016 # for the inner sh
		network=(unshare --net sh -c 'ip link set lo up && exec "$@"' sh)
	fi
	: >"$log"
	launch "$log" "${network[@]}" dockerd -H "$(docker_socket)" --data-root "$state/docker/data" --exec-root "$state/docker/exec" \
		--pidfile "$state/docker/docker.pid" --storage-driver "$(storage_driver)"
	wait_until 60 docker_answers_or_died $! || true
	docker_answers >/dev/null 2>&1 || fail docker "the engine does not answer" "$log"
}

docker_answers_or_died() { docker_answers || gone "$1"; }

other_dockerd() {
	local pid
	for pid in $(pgrep -x dockerd); do
		if [[ $(readlink "/proc/$pid/ns/net") == "$(readlink /proc/self/ns/net)" ]]; then return 0; fi
	done
	return 1
}

# Mounts the cgroup controllers as Debian's cgroupfs-mount does, where no init system did.
mount_cgroups() {
	local controller
	if mountpoint -q /sys/fs/cgroup; then return 0; fi
	report "mounting the cgroup controllers"
	mount -t tmpfs -o mode=0755 cgroup /sys/fs/cgroup
	while read -r controller _ _ enabled; do
		if [[ $controller == \#* || $enabled != 1 ]]; then continue; fi
		mkdir "/sys/fs/cgroup/$controller"
		mount -t cgroup -o "$controller" cgroup "/sys/fs/cgroup/$controller" || rmdir "/sys/fs/cgroup/$controller"
	done </proc/cgroups
}

# overlay2 where the data folder's file system can carry an overlay (not inside another container's overlay), else vfs.
storage_driver() {
	local probe=$state/docker/probe driver=vfs
	mkdir -p "$probe"/{lower,upper,work,merged}
	if mount -t overlay overlay -o "lowerdir=$probe/lower,upperdir=$probe/upper,workdir=$probe/work" "$probe/merged" 2>/dev/null; then
		umount "$probe/merged"
		driver=overlay2
	fi
	rm -rf "$probe"
	echo $driver
}

import_images() {
	local ready=$state/docker/images.ready root=$state/rootfs
	if current_rootfs "$ready"; then return 0; fi
	report "importing the images"
	import_image host /bin/bash "$root/host"
	import_image nopython /bin/bash --exclude='python3*' --exclude='lib/python3*' "$root/host"
	import_image sh /bin/sh "$root/sh"
	rootfs_version >"$ready"
}

# import_image TAG SHELL [TAR OPTION…] ROOT
import_image() {
	local tag=$1 shell=$2 root=${*: -1}
	shift 2
	tar -C "$root" "${@:1:$#-1}" -cf - . | docker_client import -c "CMD [\"$shell\"]" \
		-c 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "hermes-test:$tag" >>"$state/docker/import.log" 2>&1 ||
		fail docker "the image hermes-test:$tag cannot be imported" "$state/docker/import.log"
}

# What a killed dockerd leaves: a new one takes even a dead, not yet reaped containerd for a live one and waits for it.
end_containerd() { end "$state/docker/exec/containerd/containerd.pid" "$state/docker/exec"; }

docker_stop() {
	if docker_answers >/dev/null 2>&1; then
		docker_client ps -aq | xargs -r -n 50 docker -H "$(docker_socket)" rm -fv >/dev/null 2>&1 || true
	fi
	end "$state/docker/docker.pid" dockerd
	end_containerd
	awk -v under="$state/docker/" 'index($2, under) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount -l
}
