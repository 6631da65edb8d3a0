/** The script that searches a folder: with ripgrep where there is one, else with find and grep. */

import { kernelFileNames } from "../../security/path-safety.ts";

/**
 * `MODE ROOT PATTERN GREP_PATTERN LINES BYTES CONTEXT PROGRAM GLOB…`, MODE one of content, files_only, count, names. The search
 * runs inside ROOT, so that a hidden root is searched and no name can be taken for an option; a ROOT that is a file is
 * searched alone. PROGRAM is auto, or grep to leave ripgrep out. A GLOB is a name pattern; one that begins with `/` holds
 * slashes itself.
 *
 * Content and counts are `./path NUL rest`, or `./path:rest` where grep cannot write NUL (`nul` says which). Names are one a
 * line, their own line ends as NUL; with their times they are `SECONDS ./path//`. Where a tool cannot do that, files with
 * line ends in their names are left out.
 */
export const searchScript = `
mode=$1; root=$2; pattern=$3; plain=$4; most=$5; bytes=$6; around=$7; program=$8; shift 8
locate "$root"
[ "$kind" = missing ] && neighbours
target=.
case $kind in
folder) cd "$resolved" || done_ ;;
file) target=./\${resolved##*/}; cd "\${resolved%/*}/" || done_ ;;
*) done_ ;;
esac
[ -r "$target" ] || { emit unreadable 1; done_; }
emit target "$target"
[ "$program" = auto ] && command -v rg >/dev/null 2>&1 && program=rg
emit program "$program"

stat_option=-f; stat_format='%m %N//'; sort_option=
if stat --printf '' . >/dev/null 2>&1; then stat_option=--printf; stat_format='%Y %n//\\0'; sort_option=-z
elif stat -c %Y . >/dev/null 2>&1; then stat_option=-c; stat_format='%Y %n//'
fi
# Newest first; one name a line.
by_time() { if [ -n "$sort_option" ]; then sort -z -rn | swap; else sort -rn; fi; }
swap() { tr '\\n\\000' '\\000\\n'; }

null=
if [ "$program" = rg ]; then null=-0
else
	grep --null '' /dev/null >/dev/null 2>&1; [ $? -lt 2 ] && null=--null
fi
[ -n "$null" ] && emit nul 1

with_rg() {
	count=$#
	while [ "$count" -gt 0 ]; do
		case $1 in .*) ;; *) set -- "$@" --glob "$1" '--glob=!.?*' ;; esac
		case $1 in .*) set -- "$@" --glob "$1" ;; esac
		shift; count=$((count - 1))
	done
	case $resolved in
	/) set -- "$@" --glob '!/proc' --glob '!/sys' ;;
	/proc | /proc/* | /sys | /sys/*) for name in $kernel_files; do set -- "$@" --glob "!$name"; done ;;
	esac
	set -- --no-config --color never -0 "$@"
	case $mode in
	names)
		# Its own order by time is one per folder.
		rg --files "$@" -- "$target" | xargs -0 stat "$stat_option" "$stat_format" 2>/dev/null | by_time
		return ;;
	content) set -- -n --no-heading -H -C "$around" --max-columns 4000 --max-columns-preview "$@" ;;
	files_only) rg -l --no-messages --sort path "$@" -e "$pattern" -- "$target" | swap; return ;;
	count) set -- -c -H "$@" ;;
	esac
	rg --no-messages --sort path "$@" -e "$pattern" -- "$target"
}

with_find() {
	if [ $# -eq 0 ]; then set -- '*'; fi
	count=$#
	set -- "$@" '('
	while [ "$count" -gt 0 ]; do
		name=\${1##*/}
		case $name in .*) ;; *) set -- "$@" '(' '!' -name '.*' ;; esac
		set -- "$@" -name "$name"
		case $name in .*) ;; *) set -- "$@" ')' ;; esac
		count=$((count - 1))
		if [ "$count" -gt 0 ]; then set -- "$@" -o; fi
		shift
	done
	set -- "$@" ')'
	case $resolved in
	/proc | /proc/* | /sys | /sys/*) for name in $kernel_files; do set -- "$@" '!' -name "$name"; done ;;
	esac
	if [ "$target" != . ]; then set -- -type f
	elif [ "$resolved" = / ]; then set -- -type d '(' -name '.?*' -o -path ./proc -o -path ./sys ')' -prune -o -type f "$@"
	else set -- -type d -name '.?*' -prune -o -type f "$@"
	fi
	case $mode in
	names) find "$target" "$@" -exec stat "$stat_option" "$stat_format" {} + | by_time ;;
	files_only) find_and_grep -l "$@" | if [ -n "$null" ]; then swap; else cat; fi ;;
	count)
		# The counts of nothing are many: the second grep sees the files with a match alone.
		if [ -n "$null" ]; then find_and_grep -l "$@" | xargs -0 grep -scEH$text $null -e "$plain" -- /dev/null 2>/dev/null
		else find_and_grep -cH "$@" | sed '/:0$/d'
		fi ;;
	content)
		if [ "$around" -gt 0 ]; then find_and_grep "-C $around -nH" "$@"; else find_and_grep -nH "$@"; fi | cut -b 1-8192 ;;
	esac
}

find_and_grep() {
	flags=$1; shift
	[ -n "$null" ] || set -- "$@" '!' -path '*
*'
	find "$target" "$@" -exec grep -sE$text $flags $null -e "$plain" -- {} +
}

text=
grep -I '' /dev/null >/dev/null 2>&1; [ $? -lt 2 ] && text=I
kernel_files='${kernelFileNames.join(" ")}'
search() { if [ "$program" = rg ]; then with_rg "$@"; else with_find "$@"; fi; }

begin lines
{ said=$( { { search "$@"; printf '\\n%s' "$?" >&2; } | head -n "$most" | head -c "$bytes" >&3; } 2>&1 | tail -c 1500); } 3>&1
end
emit said "$said"
done_
`;
