/** The script that tells which folder a checkpoint of a path is made of. */

import { storeScript } from "./store-script.ts";

const marks = ".git pyproject.toml package.json Cargo.toml go.mod Makefile pom.xml .hg Gemfile";

/** They belong to the system or to everybody; nobody's project is the whole of one. */
const shared = [
	..."/ /bin /boot /dev /dev/shm /etc /home /lib /lib64 /media /mnt /nix /opt /proc /root /run /sbin /srv /sys /tmp".split(
		" ",
	),
	..."/usr /usr/bin /usr/lib /usr/local /usr/share /var /var/lib /var/log /var/tmp".split(" "),
	..."/Applications /Library /System /Users /Volumes /private /private/tmp /private/var".split(" "),
];

/**
 * `BASE GIT CWD PATH…`. A folder with the mark of a project, at PATH or above it; else CWD when PATH is inside of it; else the
 * folder of PATH. Answers `N.root`, or `N.off` with the folder that is never kept.
 */
export const folderScript = `${storeScript}
is_off() {
	case $1 in "$home" | "$hermes" | "$base" | "$base"/* | ${shared.join(" | ")}) return 0 ;; esac
	return 1
}
marked() { for mark_file in ${marks}; do [ -e "\${1%/}/$mark_file" ] && return 0; done; return 1; }
real_of() { (cd -P "$1" 2>/dev/null && pwd -P && printf x); }
physical() { real=$(real_of "$1") && printf %s "\${real%?x}" || printf %s "$1"; }
home=$(physical "$home"); hermes=$(physical "$hermes"); base=$(physical "$base")
cwd=$(physical "$1"); shift
number=0
for asked do
	number=$((number + 1)); root=
	HOME=$home; expand "$asked"
	resolve "$path" || continue
	start=$resolved
	while [ ! -d "$start" ]; do start=\${start%/*}; start=\${start:-/}; done
	folder=$start
	while [ -n "$folder" ] && ! is_off "$folder"; do
		if marked "$folder"; then root=$folder; break; fi
		folder=\${folder%/*}
	done
	if [ -z "$root" ]; then
		root=$start
		case $start/ in "$cwd"/*) is_off "$cwd" || root=$cwd ;; esac
	fi
	emit "$number.path" "$resolved"
	if is_off "$root"; then emit "$number.off" "$root"; else emit "$number.root" "$root"; fi
done
done_
`;
