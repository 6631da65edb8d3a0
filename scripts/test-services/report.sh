# shellcheck shell=bash
# Progress and failures of the test services, on stderr.

report() { echo "test-services: $*" >&2; }

# fail SERVICE STATE LOG: one line that names the log, then the log's last lines, then exit 1.
fail() {
	echo "Cannot start $1: $2 (log: $3)" >&2
	if [ -s "$3" ]; then tail -n 15 "$3" | sed 's/^/    /' >&2; fi
	exit 1
}
