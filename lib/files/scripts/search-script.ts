/** The script that searches a folder: with ripgrep where there is one, else with find and grep. */

import { kernelFileNames } from "../../security/path-safety.ts";

/**
 * `MODE ROOT PATTERN GREP_PATTERN LINES BYTES CONTEXT PROGRAM SECONDS ORDER GLOB…`, MODE one of content, files_only, count,
 * names. The search runs inside ROOT, so that a hidden root is searched and no name can be taken for an option; a ROOT that is a
 * file is searched alone. PROGRAM is auto, or grep to leave ripgrep out. After SECONDS the search ends with what it has, and
 * says `hermes: late`. ORDER is any, which may be faster, or sorted. A GLOB is a name pattern; one that begins with `/` holds
 * slashes itself.
 *
 * Content and counts are `./path NUL rest`, or `./path:rest` where grep cannot write NUL (`nul` says which). Names are one a
 * line, their own line ends as NUL; with their times they are `SECONDS ./path//`. Where a tool cannot do that, files with
 * line ends in their names are left out.
 */
export const searchScript = `
mode=$1; root=$2; pattern=$3; plain=$4; most=$5; bytes=$6; around=$7; program=$8; seconds=$9; shift 9; order=$1; shift
locate "$root"
[ "$kind" = missing ] && neighbours
target=.
case $kind in
folder) cd "$resolved" 2>/dev/null || { emit unreadable 1; done_; } ;;
file) target=./\${resolved##*/}; cd "\${resolved%/*}/" 2>/dev/null || { emit unreadable 1; done_; } ;;
*) done_ ;;
esac
set -f
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

limit=
if timeout 5 true 2>/dev/null; then limit="timeout $seconds"; fi
# Ends the program when its time is over, so that what comes after it still passes on what it has got.
limited() { $limit "$@"; code=$?; [ "$code" -ne 124 ] || echo 'hermes: late' >&2; return "$code"; }

sorting=
[ "$order" = sorted ] && sorting='--sort path'

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
		limited rg --files "$@" -- "$target" | xargs -0 stat "$stat_option" "$stat_format" 2>/dev/null | by_time
		return ;;
	content) set -- -n --no-heading -H -C "$around" --max-columns 4000 --max-columns-preview "$@" ;;
	files_only) limited rg -l --no-messages --line-buffered $sorting "$@" -e "$pattern" -- "$target" | swap; return ;;
	count) set -- -c -H "$@" ;;
	esac
	limited rg --no-messages --line-buffered $sorting "$@" -e "$pattern" -- "$target"
}

with_find() {
	recursive=
	case $resolved in / | /proc | /proc/* | /sys | /sys/*) ;; *) [ "$#$order$target" = 0any. ] && [ -z "$(ignored_names)" ] && recursive=$grep_recursive ;; esac
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
	else
		set -- -type d -name '.?*' -prune -o -type f "$@"
		for name in $(ignored_names); do set -- -type d -name "$name" -exec sh -c "$is_final" - {} ';' -prune -o "$@"; done
	fi
	case $mode in
	names) limited find "$target" "$@" -exec stat "$stat_option" "$stat_format" {} + | by_time ;;
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
	if [ -n "$recursive" ]; then limited grep -sE$text $flags $null $buffered $recursive -e "$plain" -- "$target"
	elif [ "$order" = sorted ] && [ -n "$sort_option" ]; then
		limited find "$target" "$@" -print0 | sort -z | limited xargs -0 grep -sE$text $flags $null $buffered -e "$plain" -- /dev/null
	else
		limited find "$target" "$@" -exec grep -sE$text $flags $null $buffered -e "$plain" -- {} +
	fi
}

# What .gitignore says of whole folders in plain words, so that nobody looks into them. All else it says is heard later.
ignored_names() {
	set --
	up=$resolved
	while :; do
		[ -f "$up/.gitignore" ] && set -- "$@" "$up/.gitignore"
		[ -e "$up/.git" ] && break
		[ "$up" != "" ] || return
		up=\${up%/*}
	done
	[ $# -gt 0 ] || return
	cat "$@" 2>/dev/null | grep -q '^!' && return
	cat "$@" 2>/dev/null | tr -d '\\r' | sed -n 's:^\\([A-Za-z0-9_.-][A-Za-z0-9_.-]*\\)/*$:\\1:p' | head -n 50
}
# Another .gitignore on the way may have taken the folder back.
is_final='p=\${1%/*}; while [ "$p" != . ]; do [ ! -f "$p/.gitignore" ] || exit 1; p=\${p%/*}; done'

# GNU grep alone knows which files to leave out; it is faster than find.
grep_recursive=
grep -r '--exclude-dir=.?*' '--exclude=.*' '' /dev/null >/dev/null 2>&1; [ $? -lt 2 ] && grep_recursive='-r --exclude-dir=.?* --exclude=.*'
buffered=
grep --line-buffered '' /dev/null >/dev/null 2>&1; [ $? -lt 2 ] && buffered=--line-buffered
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
