# shellcheck shell=bash disable=SC2154
# Starts, watches and stops background programs by pid file.

# launch LOG COMMAND…: leaves the pid in $!. In a session of its own, without our lock and without the caller's stdout (else `$(… start)` hangs).
launch() {
	local log=$1
	shift
	setsid "$@" </dev/null >>"$log" 2>&1 3>&- 9>&- &
}

# alive PIDFILE WORD: that process lives, and its command line has WORD in it (pids are reused).
alive() {
	local pid
	pid=$(cat "$1" 2>/dev/null) && [ "$pid" ] && tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -- "$2"
}

# wait_until SECONDS COMMAND…: tries every 0.1 s.
wait_until() {
	local deadline=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$deadline" ] || return 1
		sleep 0.1
	done
}

gone() { [ ! -d "/proc/$1" ] || [[ $(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null) == Z ]]; }

# end PIDFILE WORD: SIGTERM, after 20 s SIGKILL.
end() {
	local pid
	if alive "$1" "$2"; then
		pid=$(cat "$1")
		kill "$pid"
		wait_until 20 gone "$pid" || kill -KILL "$pid"
	fi
	rm -f "$1"
}

# port NAME: the loopback port of NAME, chosen once per DIR so that addresses and known_hosts stay true after a restart.
port() {
	local file=$state/ports/$1 number
	mkdir -p "$state/ports"
	if [ ! -s "$file" ]; then
		# Below the kernel's range for outgoing connections, which could take the port while the daemon is down.
		until number=$((20000 + RANDOM % 12000)) && ! listening "$number" && ! grep -qsx "$number" "$state"/ports/*; do :; done
		echo "$number" >"$file"
	fi
	cat "$file"
}

random_word() { od -An -N12 -tx1 /dev/urandom | tr -d ' \n'; }

listening() { (exec 8<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
