/** The script that searches a folder: with ripgrep where there is one, else with find and grep. */

/**
 * `MODE ROOT PATTERN GREP_PATTERN LINES CONTEXT PROGRAM GLOB…`, MODE one of content, files_only, count, names. The search runs inside
 * ROOT, so that a hidden root is searched and no name can be taken for an option; a ROOT that is a file is searched alone.
 * PROGRAM is auto, or grep to leave ripgrep out. A GLOB is a name pattern; one that begins with `/` holds slashes itself.
 * Content lines are `./path NUL line:text`, or `./path:line:text` where grep cannot write NUL.
 */
export const searchScript = `
mode=$1; root=$2; pattern=$3; plain=$4; most=$5; around=$6; program=$7; shift 7
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

stat_option=-c; stat_format='%Y %n'
stat -c %Y . >/dev/null 2>&1 || { stat_option=-f; stat_format='%m %N'; }
newest_first() { sort -rn | cut -d ' ' -f 2-; }

with_rg() {
	count=$#
	while [ "$count" -gt 0 ]; do
		case $1 in .*) ;; *) set -- "$@" --glob "$1" '--glob=!.?*' ;; esac
		case $1 in .*) set -- "$@" --glob "$1" ;; esac
		shift; count=$((count - 1))
	done
	case $mode in
	content) set -- -n --no-heading -H -0 -C "$around" --max-columns 4000 --max-columns-preview "$@" ;;
	files_only) set -- -l "$@" ;;
	count) set -- -c -H "$@" ;;
	names)
		# Its own order by time is one per folder.
		rg --no-config --color never --files -0 "$@" -- "$target" | xargs -0 stat "$stat_option" "$stat_format" 2>/dev/null | newest_first
		return ;;
	esac
	rg --no-config --color never --no-messages --sort path "$@" -e "$pattern" -- "$target"
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
	if [ "$target" != . ]; then set -- -type f
	else set -- -type d -name '.?*' -prune -o -type f "$@"
	fi
	if [ "$mode" = names ]; then
		find "$target" "$@" -exec stat "$stat_option" "$stat_format" {} + | newest_first
		return
	fi
	flags=-sEnH
	case $mode in files_only) flags=-sEl ;; count) flags=-sEcH ;; esac
	grep -I '' /dev/null >/dev/null 2>&1; [ $? -lt 2 ] && flags=\${flags}I
	null=
	if [ "$mode" = content ]; then
		grep --null '' /dev/null >/dev/null 2>&1; [ $? -lt 2 ] && null=--null
		[ "$around" -gt 0 ] && flags="$flags -C $around"
	fi
	find "$target" "$@" -exec grep $flags $null -e "$plain" -- {} +
}

search() { if [ "$program" = rg ]; then with_rg "$@"; else with_find "$@"; fi; }
drop_zeros() { if [ "$mode" = count ]; then sed '/:0$/d'; else cat; fi; }

begin lines
{ said=$( { { search "$@"; printf '\\n%s' "$?" >&2; } | drop_zeros | cut -b 1-8192 | head -n "$most" >&3; } 2>&1 | tail -c 1500); } 3>&1
end
emit said "$said"
done_
`;
