# shellcheck shell=bash disable=SC2154
# Installs Debian packages without questions, without starting their own daemons, and waits for a busy package manager.

# apt_get ARGUMENT…: logged; waits when another process holds one of apt's locks.
apt_get() {
	local log=$state/apt.log try
	for try in 1 2 3 4 5 6 7 8 9 10; do
		echo "== apt-get $*" >>"$log"
		if DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" >"$log.last" 2>&1 9>&- 3>&-; then
			cat "$log.last" >>"$log"
			return 0
		fi
		cat "$log.last" >>"$log"
		# `apt-get update` does not know Lock::Timeout, and dpkg's own lock is outside of it too.
		grep -qiE 'could not get lock|unable to (acquire|lock)|temporarily unavailable' "$log.last" || return 1
		report "apt is locked by another process, try $try of 10"
		sleep 6
	done
	return 1
}

have_fresh_lists() {
	compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null && [ -z "$(find /var/lib/apt/lists -maxdepth 0 -mtime +7)" ]
}

update_lists() {
	report "updating the package lists"
	# A failing third-party source is no reason to stop: the install that follows decides.
	apt_get update || report "apt-get update reported an error (log: $state/apt.log)"
	touch /var/lib/apt/lists
}

# install_packages "NAME NAME…": only what is missing. The daemons of the packages stay off, also under systemd.
install_packages() {
	local name missing=() policy=/usr/sbin/policy-rc.d own_policy=
	for name in $(printf '%s\n' "$1" | xargs -n 1 | sort -u); do
		[[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || missing+=("$name")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	have_fresh_lists || update_lists
	report "installing ${missing[*]}"
	if [ ! -e "$policy" ]; then
		own_policy=1
		printf '#!/bin/sh\nexit 101\n' >"$policy"
		chmod 755 "$policy"
	fi
	if ! apt_get install --no-install-recommends "${missing[@]}"; then
		update_lists
		apt_get install --no-install-recommends "${missing[@]}" || name=failed
	fi
	if [ "$own_policy" ]; then rm -f "$policy"; fi
	[ "$name" != failed ] || fail "${missing[*]}" "apt-get cannot install it" "$state/apt.log"
}
