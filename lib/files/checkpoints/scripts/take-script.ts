/** The script that makes a checkpoint of one folder. */

import { listScript, storeScript } from "./store-script.ts";

/**
 * `BASE GIT ROOT KEY ID SECONDS MESSAGE MAX_BYTES MAX_FILES MAX_SNAPSHOTS OLDEST_ID TARGET [PATH…]`. PATHs are files of ROOT that are kept
 * although the folder leaves them out. With TARGET (a commit) everything that it holds is kept whatever its size, because it
 * is about to be overwritten. An ID of `-` makes the tree alone.
 */
export const takeScript = `${storeScript}
root=$1; key=$2; id=$3; seconds=$4; message=$5; shift 5
max_bytes=$1; max_files=$2; max_snapshots=$3; oldest=$4; target=$5; shift 5
cd "$root" 2>/dev/null || fail "the folder cannot be entered"
open_store || fail "$store cannot be made"
enter use
export GIT_WORK_TREE="$root" GIT_INDEX_FILE="$work/index"
latest=$(newest "$key"); last=\${latest%% *}; last_tree=\${latest##* }
# With its time: git compares that with the times of files to know which it must read again.
if cp -p "$store/indexes/$key" "$work/index" 2>/dev/null && "$git" ls-files -z > "$work/known" 2>/dev/null; then :
else
	rm -f "$work/index"
	[ -z "$last" ] || "$git" read-tree "$last" 2>/dev/null || rm -f "$work/index"
	"$git" ls-files -z > "$work/known"
fi
${listScript}
others
files=$(($(cat "$work/others" "$work/known" | tr -cd '\\0' | wc -c)))
[ "$files" -le "$max_files" ] || { emit too_many "$files"; done_; }
"$git" diff-files -z --name-only > "$work/changed"
for path do [ -f "$path" ] && printf '%s\\0' "\${path#"\${root%/}"/}" >> "$work/changed"; done
: > "$work/gone"; : > "$work/skipped"; : > "$work/keep"
keep_fitting='
big=$(find "$@" -prune -type f -size +"$max_bytes"c -print 2>/dev/null | head -n 1)
for f do
	p=$f; through=
	while [ -n "$looks_up" ]; do
		case $p in ./*/*) p=\${p%/*} ;; *) break ;; esac
		[ -L "$p" ] && through=1
	done
	if [ -n "$through" ]; then printf "%s\\0" "$f" >> "$work/gone"; continue
	elif [ -L "$f" ]; then :
	elif [ -d "$f" ]; then printf "%s\\0" "$f" >> "$work/gone"; continue
	elif [ -e "$f" ]; then
		[ -r "$f" ] || { printf "%s\\0" "$f" >> "$work/skipped"; continue; }
		if [ -n "$big" ] && [ -n "$(find "$f" -prune -size +"$max_bytes"c -print 2>/dev/null)" ]; then
			printf "%s\\0" "$f" >> "$work/skipped"; continue
		fi
	fi
	printf "%s\\0" "$f"
done'
looks_up=
export max_bytes looks_up
# A name that begins with a dash must not be read as an option.
keep_those() {
	[ -s "$1" ] || return 0
	xargs -0 printf './%s\\0' < "$1" | xargs -0 -n 1000 sh -c "$keep_fitting" sh >> "$work/keep"
}
keep_those "$work/others"
# What was a folder once may be a link by now; nothing behind it belongs to this folder.
looks_up=1
keep_those "$work/changed"
if [ -n "$target" ]; then
	max_bytes=9000000000000000
	"$git" ls-tree -r -z --name-only "$target" > "$work/candidates"
	keep_those "$work/candidates"
fi
[ -s "$work/gone" ] && "$git" update-index -z --force-remove --stdin < "$work/gone"
if [ -s "$work/keep" ]; then
	"$git" update-index -z --add --remove --replace --stdin < "$work/keep" 2> "$work/said" || fail "$(head -c 500 "$work/said")"
fi
tree=$("$git" write-tree 2> "$work/said") || { rm -f "$store/indexes/$key"; fail "$(head -c 500 "$work/said")"; }
emit tree "$tree"
[ ! -s "$work/skipped" ] || emit skipped "$(base64 < "$work/skipped" | tr -d '\\n')"
[ "$id" = - ] && done_
[ -s "$store/projects/$key" ] || { printf %s "$root" > "$work/project" && mv -f "$work/project" "$store/projects/$key"; }
if [ -n "$last" ] && [ "$tree" = "$last_tree" ]; then
	[ -s "$work/keep" ] && mv -f "$work/index" "$store/indexes/$key"
	emit unchanged "$last"; done_
fi
{ printf '%s\\n\\nCheckpoint %s\\n' "$message" "$id"; [ ! -s "$work/skipped" ] || base64 < "$work/skipped"; } > "$work/message"
export GIT_AUTHOR_DATE="$seconds +0000"; export GIT_COMMITTER_DATE="$GIT_AUTHOR_DATE"
commit=$("$git" commit-tree "$tree" < "$work/message" 2> "$work/said") || fail "$(head -c 500 "$work/said")"
said=$("$git" update-ref "refs/checkpoints/$key/$id" "$commit" '' 2>&1) || fail "$said"
mv -f "$work/index" "$store/indexes/$key"
emit commit "$commit"
"$git" for-each-ref --sort=-refname --format='%(refname)' "refs/checkpoints/$key/" > "$work/refs"
awk -F/ -v most="$max_snapshots" -v oldest="$oldest" 'NR > most || $NF < oldest' "$work/refs" > "$work/old"
[ -s "$work/old" ] && drop_refs < "$work/old" >/dev/null 2>&1
emit objects "$("$git" count-objects -v)"
emit pruned "$(stat -c %Y "$base/.last_prune" 2>/dev/null || stat -f %m "$base/.last_prune" 2>/dev/null)"
done_
`;
