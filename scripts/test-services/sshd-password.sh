# shellcheck shell=bash disable=SC2154
# A second sshd that asks for a password (also as keyboard-interactive), with a secret that no real account has.

# sshd names its PAM service after the program it was called by: a link gives this one rules of its own, so that the machine's
# real sshd and /etc/shadow stay as they are.
password_service() { echo "hermes-test-$(cksum <<<"$state" | cut -d' ' -f1)"; }

password_sshd_running() { alive "$state/sshd/password.pid" "$(password_service)" && listening "$(port sshd-password)"; }

password_sshd_env() {
	printf '%s\n' "HERMES_TEST_SSH_PASSWORD_PORT=$(port sshd-password)" HERMES_TEST_SSH_PASSWORD_USER=sshuser \
		"HERMES_TEST_SSH_PASSWORD=$(cat "$state/sshd/password")"
}

password_sshd_start() {
	local folder=$state/sshd service
	service=$(password_service)
	ln -sf /usr/sbin/sshd "$folder/$service"
	(umask 077 && printf %s "$(random_word)" >"$folder/password")
	# pam_permit: without it keyboard-interactive ends in `pam_setcred: Permission denied`, which pam_exec leaves unanswered.
	printf '%s\n' "auth required pam_exec.so quiet expose_authtok /usr/bin/cmp -s - $folder/password" \
		'auth required pam_permit.so' 'account required pam_permit.so' 'session required pam_permit.so' >"/etc/pam.d/$service"
	write_password_config >"$folder/password_config"
	rm -f "$folder/password.pid"
	launch "$folder/password.log" "$folder/$service" -D -e -f "$folder/password_config"
	wait_until 20 password_sshd_running || fail "sshd with a password" "nothing listens on port $(port sshd-password)" "$folder/password.log"
}

write_password_config() {
	cat <<CONFIG
ListenAddress 127.0.0.1:$(port sshd-password)
HostKey $state/sshd/host_ed25519
HostKey $state/sshd/host_rsa
PidFile $state/sshd/password.pid
AllowUsers sshuser
UsePAM yes
PubkeyAuthentication no
PasswordAuthentication yes
KbdInteractiveAuthentication yes
PrintMotd no
LogLevel VERBOSE
Subsystem sftp internal-sftp
CONFIG
}

password_sshd_stop() {
	end_listener "$state/sshd/password.pid" "$(password_service)"
	rm -f "/etc/pam.d/$(password_service)"
}
