# shellcheck shell=bash disable=SC2154
# An sshd on a loopback port with its own host and client keys, for root and for the unprivileged user `sshuser`.

# rsync is what the bench of file sync is measured against.
sshd_packages() { echo openssh-server openssh-client rsync; }

sshd_running() { main_sshd_running && password_sshd_running; }

main_sshd_running() { alive "$state/sshd/sshd.pid" "$state/sshd/sshd_config" && listening "$(port sshd)"; }

sshd_env() {
	printf '%s\n' HERMES_TEST_SSH_HOST=127.0.0.1 "HERMES_TEST_SSH_PORT=$(port sshd)" HERMES_TEST_SSH_USER=sshuser HERMES_TEST_SSH_ROOT_USER=root \
		"HERMES_TEST_SSH_KEY=$state/sshd/id_ed25519" "HERMES_TEST_SSH_KNOWN_HOSTS=$state/sshd/known_hosts" \
		"HERMES_TEST_SSH_LOCKED_KEY=$state/sshd/id_locked" HERMES_TEST_SSH_LOCKED_KEY_PASSPHRASE=hermes \
		"HERMES_TEST_SSHD_PID=$(cat "$state/sshd/sshd.pid")" "HERMES_TEST_SSHD_CONFIG=$state/sshd/sshd_config" \
		TERMINAL_SSH_HOST=127.0.0.1 "TERMINAL_SSH_PORT=$(port sshd)" TERMINAL_SSH_USER=sshuser "TERMINAL_SSH_KEY=$state/sshd/id_ed25519"
	password_sshd_env
}

sshd_start() {
	local folder=$state/sshd
	mkdir -p "$folder" /run/sshd
	chmod 0711 "$folder"
	ensure_sshuser
	make_key "$folder/host_ed25519" ''
	make_key "$folder/host_rsa" '' -t rsa -b 3072
	make_key "$folder/id_ed25519" ''
	make_key "$folder/id_locked" hermes
	cat "$folder/id_ed25519.pub" "$folder/id_locked.pub" >"$folder/authorized_keys"
	chmod 0644 "$folder/authorized_keys"
	write_known_hosts >"$folder/known_hosts"
	write_sshd_config >"$folder/sshd_config"
	if ! main_sshd_running; then
		launch "$folder/sshd.log" /usr/sbin/sshd -D -e -f "$folder/sshd_config"
		wait_until 20 main_sshd_running || fail sshd "nothing listens on port $(port sshd)" "$folder/sshd.log"
	fi
	password_sshd_running || password_sshd_start
}

write_known_hosts() {
	local key service
	for service in sshd sshd-password; do
		for key in host_ed25519 host_rsa; do
			echo "[127.0.0.1]:$(port $service) $(cut -d' ' -f1,2 "$state/sshd/$key.pub")"
		done
	done
}

# `*` instead of a password: no password fits, but the account is not locked (sshd refuses keys of a locked one).
ensure_sshuser() {
	if id sshuser >/dev/null 2>&1; then return 0; fi
	useradd --create-home --shell /bin/bash --password '*' sshuser
}

# make_key FILE PASSPHRASE [KEYGEN OPTION…]: ed25519 unless told otherwise.
make_key() {
	local file=$1 passphrase=$2
	shift 2
	[ $# -gt 0 ] || set -- -t ed25519
	if [ ! -s "$file" ]; then ssh-keygen -q "$@" -N "$passphrase" -C hermes-test -f "$file"; fi
}

# MaxSessions keeps its default of 10: the clients have to live with it. StrictModes would refuse DIR below a world-writable /tmp.
write_sshd_config() {
	cat <<CONFIG
ListenAddress 127.0.0.1:$(port sshd)
HostKey $state/sshd/host_ed25519
HostKey $state/sshd/host_rsa
PidFile $state/sshd/sshd.pid
AuthorizedKeysFile $state/sshd/authorized_keys
AllowUsers root sshuser
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
MaxStartups 100:30:200
AcceptEnv LANG LC_*
PrintMotd no
LogLevel VERBOSE
Subsystem sftp internal-sftp
CONFIG
}

sshd_stop() {
	password_sshd_stop
	end_listener "$state/sshd/sshd.pid" sshd
}

# end_listener PIDFILE WORD: the listener, and then its open connections, which outlive it otherwise.
end_listener() {
	local connections
	connections=$(pgrep -P "$(cat "$1" 2>/dev/null || echo 0)" || true)
	end "$1" "$2"
	if [ "$connections" ]; then
		# shellcheck disable=SC2086 # one pid per word
		kill $connections 2>/dev/null || true
	fi
}
