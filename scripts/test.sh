#!/bin/sh
# Every check and every test: needs node and npm, or Bun. `--soak` adds the long tests.
# As root on Debian it also installs and starts the services that some tests need; HERMES_TEST_SERVICES=no keeps it from that.
set -eu
cd "$(dirname "$0")/.."
. scripts/setup.sh

if [ "${HERMES_TEST_SERVICES:-}" != no ] && [ "$(id -u)" = 0 ] && grep -qs '^ID=debian$' /etc/os-release; then
	# What does not start is named on standard error, and its tests are skipped or fail (HERMES_TEST_REQUIRE).
	services=$(scripts/test-services.sh start --with qemu,musl) || echo "Some test services did not start" >&2
	while IFS= read -r variable; do
		if [ "$variable" ]; then export "${variable?}"; fi
	done <<VARIABLES
$services
VARIABLES
else
	echo "Test services are not started: that needs root on Debian (and not HERMES_TEST_SERVICES=no)" >&2
fi

exec bun scripts/check.ts "$@"
