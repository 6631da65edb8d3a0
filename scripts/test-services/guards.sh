# shellcheck shell=bash disable=SC2154
# bubblewrap, and a sudo that asks `sshuser` for a password which no real account has.

guards_packages() { echo bubblewrap sudo; }

# Names of a set of services of its own, without the dot that would make sudo skip the file.
guards_name() { echo "hermes-test-sudo-$(cksum <<<"$state" | cut -d' ' -f1)"; }

guards_running() { type -P bwrap >/dev/null && type -P sudo >/dev/null && [ -e "/etc/sudoers.d/$(guards_name)" ] && [ -s "$state/sudo/password" ]; }

guards_env() {
	printf '%s\n' HERMES_TEST_SUDO_USER=sshuser "HERMES_TEST_SUDO_PASSWORD=$(cat "$state/sudo/password")"
}

guards_start() {
	local folder=$state/sudo name
	name=$(guards_name)
	ensure_sshuser
	mkdir -p "$folder"
	chmod 0700 "$folder"
	(umask 077 && printf %s "$(random_word)" >"$folder/password")
	# Rules of its own: the machine's accounts and the rules of its own sudo stay as they are.
	printf '%s\n' "auth [success=1 default=ignore] pam_exec.so quiet expose_authtok /usr/bin/cmp -s - $folder/password" \
		'auth requisite pam_deny.so' 'auth required pam_permit.so' 'account required pam_permit.so' 'session required pam_permit.so' >"/etc/pam.d/$name"
	printf '%s\n' "Defaults:sshuser pam_service=$name" 'sshuser ALL=(ALL) PASSWD: ALL, NOPASSWD: /usr/bin/tee' >"$folder/sudoers"
	visudo -cqf "$folder/sudoers" || fail guards "sudo does not read its rules" "$folder/sudoers"
	install -m 0440 "$folder/sudoers" "/etc/sudoers.d/$name"
	[ "$(runuser -u sshuser -- sudo -S -p '' id -u <"$folder/password" 2>"$folder/log")" = 0 ] || fail guards "sudo does not take its password" "$folder/log"
}

guards_stop() { rm -f "/etc/sudoers.d/$(guards_name)" "/etc/pam.d/$(guards_name)"; }
