/** What every file script begins with: a known environment, the answer frames, and how a path is resolved. */

import { endlessFiles } from "../../security/path-safety.ts";

/**
 * `emit key value` answers. `expand PATH` sets `path`: absolute, `~` as the sandbox knows it. `resolve PATH` sets
 * `resolved`: symbolic links followed, missing last parts kept; it fails on loops and on `..` below a missing folder (`dead_end` is
 * unresolved), and on a folder that may not be entered (closed).
 * `locate PATH` does both and tells what it found.
 */
export const scriptPrelude = `
mark=$1; shift
LC_ALL=C; export LC_ALL
PATH=/usr/bin:/bin:/usr/local/bin:$PATH
unset -f cat wc sed head tail cut base64 cksum mkdir mktemp mv rm chmod chown stat sync find grep rg sort readlink tr ln cp cmp rmdir xargs timeout id 2>/dev/null
# An answer with a hole in it is worse than none.
emit() { printf '%s%s=%s%s' "$mark" "$1" "$2" "$mark" || exit 74; }
begin() { printf '%s%s=' "$mark" "$1" || exit 74; }
end() { printf '%s' "$mark" || exit 74; }
done_() { emit end ''; exit 0; }

# Differs after every change of a file; nothing where stat cannot say it.
stamp_of() { TZ=UTC0 stat -c '%y %s %i' "$1" 2>/dev/null || stat -f '%Fm %z %i' "$1" 2>/dev/null; }

expand() {
	case $1 in
	'~') path=$HOME ;;
	'~/'*) path=$HOME/\${1#'~/'} ;;
	'~'*)
		user=\${1#'~'}; user=\${user%%/*}; path=$1
		case $user in *[!A-Za-z0-9._-]*) ;; *) eval "path=~$user"; path=$path\${1#"~$user"} ;; esac ;;
	*) path=$1 ;;
	esac
	case $path in /*) ;; *) path=\${PWD%/}/$path ;; esac
}

resolve() {
	p=$1; rest=; steps=0; dead_end=unresolved
	while :; do
		steps=$((steps + 1)); [ "$steps" -le 300 ] || return 1
		while case $p in ?*/) true ;; *) false ;; esac; do p=\${p%/}; done
		case $p in */. | */..)
			[ -d "$p" ] || return 1
			p=$(cd -P "$p" && pwd -P && printf x) || return 1
			p=\${p%?x}; continue ;;
		esac
		if [ -L "$p" ]; then
			link=$(readlink "$p" && printf x) || return 1
			link=\${link%?x}
			case $link in /*) p=$link ;; *) p=\${p%/*}/$link ;; esac
			continue
		fi
		folder=\${p%/*}
		if [ -d "\${folder:-/}" ]; then
			real=$(cd -P "\${folder:-/}" 2>/dev/null && pwd -P && printf x) || { dead_end=closed; return 1; }
			real=\${real%?x}
			resolved=\${real%/}/\${p##*/}$rest
			return 0
		fi
		rest=/\${p##*/}$rest; p=$folder
	done
}

locate() {
	expand "$1"
	emit home "$HOME"
	emit hermes_home "\${HERMES_HOME:-$HOME/.hermes}"
	resolve "$path" || { emit path "$path"; emit kind "$dead_end"; done_; }
	emit path "$resolved"
	kind=other
	if [ -d "$resolved" ]; then kind=folder
	elif [ -f "$resolved" ]; then kind=file
	elif [ ! -e "$resolved" ]; then kind=missing
	fi
	case $resolved in ${endlessFiles.join(" | ")}) [ "$kind" = missing ] || kind=endless ;; esac
	emit kind "$kind"
}

neighbours() {
	folder=\${resolved%/*}; names=; count=0
	for entry in "$folder"/* "$folder"/.[!.]*; do
		[ -e "$entry" ] || continue
		names=$names\${entry##*/}/; count=$((count + 1))
		[ "$count" -lt 400 ] || break
	done
	emit names "$names"
}
`;
