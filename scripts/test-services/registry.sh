# shellcheck shell=bash disable=SC2154
# A local image registry, open on one loopback port and with a password on another, over the same storage.

registry_packages() {
	# Not in every Debian release: its absence must not stop the other services.
	if apt-cache show docker-registry >/dev/null 2>&1; then echo docker-registry; fi
}

registry_running() {
	current_rootfs "$state/registry/pushed" &&
		alive "$state/registry/open.pid" docker-registry && alive "$state/registry/auth.pid" docker-registry
}

registry_env() {
	printf '%s\n' "HERMES_TEST_REGISTRY=127.0.0.1:$(port registry)" "HERMES_TEST_REGISTRY_IMAGE=127.0.0.1:$(port registry)/hermes-test:host" \
		"HERMES_TEST_REGISTRY_AUTH=127.0.0.1:$(port registry-auth)" HERMES_TEST_REGISTRY_USER=hermes \
		"HERMES_TEST_REGISTRY_PASSWORD=$(cat "$state/registry/password")"
}

registry_start() {
	local password
	type -P docker-registry >/dev/null || fail registry "Debian's docker-registry is not installed" "$state/apt.log"
	mkdir -p "$state/registry/data"
	chmod 0700 "$state/registry"
	if [ ! -s "$state/registry/password" ]; then random_word >"$state/registry/password"; fi
	password=$(cat "$state/registry/password")
	# The registry takes bcrypt only; perl is on every Debian, htpasswd is not.
	perl -e 'print "hermes:", crypt($ARGV[0], q($2y$05$) . "abcdefghijklmnopqrstuu"), "\n"' "$password" >"$state/registry/htpasswd"
	serve_registry open "$(port registry)" ''
	serve_registry auth "$(port registry-auth)" "auth: {htpasswd: {realm: hermes-test, path: $state/registry/htpasswd}}"
	push_images
}

# serve_registry NAME PORT AUTH: AUTH is one line of configuration or empty.
serve_registry() {
	local folder=$state/registry name=$1
	if alive "$folder/$name.pid" docker-registry; then return 0; fi
	printf '%s\n' 'version: 0.1' 'log: {level: warn}' "storage: {filesystem: {rootdirectory: $folder/data}, delete: {enabled: true}}" \
		"http: {addr: \"127.0.0.1:$2\"}" "$3" >"$folder/$name.yml"
	: >"$folder/$name.log"
	launch "$folder/$name.log" docker-registry serve "$folder/$name.yml"
	echo $! >"$folder/$name.pid"
	wait_until 20 listening "$2" || fail registry "nothing listens on port $2" "$folder/$name.log"
}

push_images() {
	local open tag
	open=127.0.0.1:$(port registry)
	for tag in host sh; do
		docker_client tag "hermes-test:$tag" "$open/hermes-test:$tag"
		docker_client push "$open/hermes-test:$tag" >"$state/registry/push.log" 2>&1 ||
			fail registry "hermes-test:$tag cannot be pushed" "$state/registry/push.log"
		docker_client rmi "$open/hermes-test:$tag" >/dev/null
	done
	rootfs_version >"$state/registry/pushed"
}

registry_stop() {
	end "$state/registry/open.pid" docker-registry
	end "$state/registry/auth.pid" docker-registry
}
