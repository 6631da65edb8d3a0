/** The program that hands passwords to sudo inside a sandbox: POSIX sh, one for each command that runs sudo. */

/**
 * What sudo runs to ask: tells the helper its number, and reads the answer from a pipe of its own, so that two sudos at once do
 * not take letters from each other.
 */
const askpass = `#!/bin/sh
PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
umask 077
folder=\${0%/*}
trap 'rm -f "$folder/$$"' EXIT
mkfifo "$folder/$$" && echo $$ 1<>"$folder/requests" && IFS= read -r secret <"$folder/$$" && printf '%s\\n' "$secret"
`;

/**
 * Prints its folder, then \`ask\` for each sudo that wants a password, and reads \`+password\` or \`-\`; \`again\` when a sudo did not
 * take what it got. It answers only processes whose parent is a sudo of root, and each sudo once: more tries would lock the user
 * out. The password is in no argument, no variable of an environment and no file.
 */
export const askpassHelper = `PATH=$PATH:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
umask 077
folder=
for parent in "$XDG_RUNTIME_DIR" /dev/shm "$TMPDIR" /tmp "$HOME"; do
	[ -n "$parent" ] && [ -d "$parent" ] && [ -w "$parent" ] || continue
	folder=$(mktemp -d "$parent/hermes-sudo-XXXXXX" 2>/dev/null) || continue
	printf '#!/bin/sh\\nexit 0\\n' >"$folder/askpass" && chmod 700 "$folder/askpass" && "$folder/askpass" 2>/dev/null && break
	rm -rf "$folder"
	folder=
done
[ -n "$folder" ] || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 0' HUP INT TERM
trap '' PIPE
mkfifo "$folder/requests" || exit 1
cat >"$folder/askpass" <<'ASKPASS'
${askpass}ASKPASS
sudo_above() {
	above=
	if [ -r /proc/self/status ]; then
		while read -r key value rest; do [ "$key" != PPid: ] || above=$value; done <"/proc/$1/status"
		[ -n "$above" ] || return 1
		while read -r key real effective rest; do
			case $key in
			Name:) [ "$real" = sudo ] || return 1 ;;
			Uid:) [ "$effective" = 0 ] || return 1 ;;
			esac
		done <"/proc/$above/status"
	else
		above=$(ps -o ppid= -p "$1" | tr -d ' ')
		case $(ps -o uid= -o comm= -p "$above" | sed 's/^ *//') in '0 sudo' | '0 '*/sudo) ;; *) return 1 ;; esac
	fi
}
exec 3<>"$folder/requests"
printf '%s\\n' "$folder"
served=' '
while IFS= read -r asking <&3; do
	case $asking in '' | *[!0-9]*) continue ;; esac
	[ -p "$folder/$asking" ] || continue
	answer=-
	if sudo_above "$asking" 2>/dev/null; then
		case $served in
		*" $above "*) echo again ;;
		*)
			served="$served$above "
			echo ask
			IFS= read -r answer || exit 0
			;;
		esac
	fi
	case $answer in
	+*) (printf '%s\\n' "\${answer#+}" >"$folder/$asking") & ;;
	*) (: >"$folder/$asking") & ;;
	esac
	answer=
done
`;
