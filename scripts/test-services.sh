#!/usr/bin/env bash
# Installs and starts the real services that the tests and `hermes selfcheck` run against (Debian 12, root, no systemd needed).
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C

usage() {
	cat >&2 <<'TEXT'
usage: test-services.sh start|stop|env|status [--with NAME,…] [--only NAME,…] [DIR]

  start   install what is missing, start what is not running, print the environment as KEY=VALUE lines
  env     print the environment of the services that run now
  status  one line per service, NAME=running or NAME=stopped; exit code 1 when one is stopped
  stop    stop what was started in DIR (all of it, or the services of --only)

services: docker registry sshd apptainer guards, and on request: podman qemu musl
  guards is bubblewrap, and a sudo that asks for a password
  --with  these besides the usual ones      --only  these and no others
DIR holds sockets, keys, images and logs (/var/tmp/hermes-test-services). Each DIR is a set of its own, so that a
fault test can start and kill a private one: test-services.sh start --only sshd "$(mktemp -d)"
TEXT
	exit 2
}

refuse() {
	echo "Cannot run the test services: $*" >&2
	exit 2
}

command=${1:-}
case $command in
start | stop | env | status) shift ;;
*) usage ;;
esac

services=(docker registry sshd apptainer guards)
known=" docker registry sshd apptainer guards podman qemu musl "
only=
state=/var/tmp/hermes-test-services
while [ $# -gt 0 ]; do
	case $1 in
	--with | --only)
		[ $# -ge 2 ] || usage
		IFS=, read -ra named <<<"$2"
		if [ "$1" = --only ]; then only=1 services=("${named[@]}"); else services+=("${named[@]}"); fi
		shift 2
		;;
	-*) usage ;;
	*) state=$1 && shift ;;
	esac
done
for service in "${services[@]}"; do
	[[ $known == *" $service "* ]] || refuse "\"$service\" is none of:$known"
done

[ "$(id -u)" = 0 ] || refuse "they need root, this is uid $(id -u)"
[ -r /etc/os-release ] || refuse "this is not Debian (no /etc/os-release)"
# shellcheck source=/dev/null
distribution=$(. /etc/os-release && echo "${ID:-unknown} ${VERSION_ID:-}")
[[ $distribution == "debian "* ]] || refuse "they are made of Debian 12 packages, this is $distribution"

# Only environment lines may reach stdout, so everything else of this script and its children goes to stderr.
exec 3>&1 1>&2

mkdir -p "$state"
state=$(realpath "$state")
chmod 0711 "$state" # other users (sshuser, the rootless podman) pass through, but do not list

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/test-services
for part in report packages daemon rootfs docker registry sshd sshd-password apptainer guards podman qemu musl; do
	# shellcheck source=/dev/null
	source "$here/$part.sh"
done

# One at a time per DIR: parallel test runs may all call `start`.
exec 9>"$state/lock"
flock -w 900 9 || refuse "another run holds $state/lock"

# Starts what does not run, in waves: a service that uses another one's daemon or image comes after it.
start_services() {
	local wave service job failed=0 missing=()
	local -A jobs
	for service in "${services[@]}"; do
		"${service}_running" || missing+=("$service")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	install_packages "$(for service in "${missing[@]}"; do "${service}_packages"; done)"
	if [[ " ${missing[*]} " =~ \ (docker|apptainer|podman)\  ]]; then rootfs_ready; fi
	for wave in "docker sshd apptainer podman qemu musl" "registry guards"; do
		jobs=()
		for service in $wave; do
			[[ " ${missing[*]} " == *" $service "* ]] || continue
			report "starting $service"
			# In the background, because `set -e` would be off inside `if start` or `start || …`.
			"${service}_start" &
			jobs[$service]=$!
		done
		for service in "${!jobs[@]}"; do
			job=${jobs[$service]}
			if wait "$job"; then report "$service is running"; else failed=1; fi
		done
	done
	return $failed
}

print_environment() {
	local service
	for service in docker registry sshd apptainer guards podman qemu musl; do
		if "${service}_running"; then "${service}_env" >&3; fi
	done
	if [ -e "$state/rootfs/ready" ]; then echo "HERMES_TEST_ROOTFS=$state/rootfs/host" >&3; fi
}

case $command in
start)
	code=0
	start_services || code=1
	print_environment
	exit $code
	;;
env) print_environment ;;
status)
	code=0
	for service in "${services[@]}"; do
		if "${service}_running"; then answer=running; else answer=stopped code=1; fi
		echo "$service=$answer" >&3
	done
	exit $code
	;;
stop)
	[ "$only" ] || services=(guards registry podman apptainer sshd docker)
	for service in "${services[@]}"; do
		# Also when it does not run: a daemon that was killed leaves processes and mounts behind.
		"${service}_stop"
	done
	report "stopped: ${services[*]}"
	;;
esac
