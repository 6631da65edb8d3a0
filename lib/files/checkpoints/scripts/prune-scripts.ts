/** Scripts that remove checkpoints. */

import { storeScript } from "./store-script.ts";

/**
 * `BASE GIT MAX_SNAPSHOTS OLDEST_ID MAX_KILOBYTES ORPHANS`. Removes what is too much, too old, or (with ORPHANS) of folders
 * that are gone, then what nothing names any more.
 */
export const pruneScript = `${storeScript}
max_snapshots=$1; oldest=$2; max_kilobytes=$3; orphans=$4
[ -f "$store/HEAD" ] || { emit empty 1; done_; }
enter prune
if others_running prune; then emit busy 1; done_; fi
grace=now
wait_for_users || grace=10.minutes.ago
# What processes left that were killed: git itself waits for such locks for ever.
find "$store" -name '*.lock' -type f -mmin +10 -exec rm -f {} + 2>/dev/null
find "$base" -maxdepth 1 -name 'new.*' -mmin +60 -exec rm -rf {} + 2>/dev/null
size() { du -sk "$store" | cut -f1; }
before=$(size)
refs() { "$git" for-each-ref --sort="$1" --format='%(refname)' "refs/checkpoints/$2"; }
count() { refs refname "" | wc -l; }
all=$(($(count)))
scanned=0; gone=0; stale=0
for project in "$store"/projects/*; do
	[ -f "$project" ] || continue
	scanned=$((scanned + 1)); key=\${project##*/}
	root=$(cat "$project" && printf x); root=\${root%x}
	if [ -n "$orphans" ] && [ ! -d "$root" ]; then
		refs refname "$key/" | drop_refs; gone=$((gone + 1))
	else
		refs -refname "$key/" |
			awk -F/ -v most="$max_snapshots" -v oldest="$oldest" 'NR > most || $NF < oldest' | drop_refs
		[ -n "$(refs refname "$key/" | head -n 1)" ] || stale=$((stale + 1))
	fi
done
clear_up() {
	for project in "$store"/projects/*; do
		key=\${project##*/}
		[ -n "$(refs refname "$key/" | head -n 1)" ] || rm -f "$project" "$store/indexes/$key"
	done
	"$git" gc -q --prune="$grace" 2> "$work/said" || emit said "$(head -c 500 "$work/said")"
}
clear_up
round=0
while [ "$(size)" -gt "$max_kilobytes" ] && [ "$grace" = now ] && [ "$round" -lt 20 ]; do
	round=$((round + 1))
	# The oldest quarter, but never the newest checkpoint of a folder.
	refs -refname "" | awk -F/ 'seen[$3]++' > "$work/spare"
	[ -s "$work/spare" ] || break
	spare=$(($(wc -l < "$work/spare")))
	sort -t/ -k4 "$work/spare" | head -n "$((spare / 4 + 1))" | drop_refs
	clear_up
done
: > "$base/.last_prune"
left=$(($(count)))
emit scanned "$scanned"; emit gone "$gone"; emit stale "$stale"; emit removed "$((all - left))"; emit left "$left"
emit freed "$((before - $(size)))"
done_
`;

/** `BASE GIT KEY`. Removes the checkpoints of one folder, or without KEY of all. Answers `removed`. */
export const clearScript = `${storeScript}
key=$1
[ -f "$store/HEAD" ] || { emit removed 0; done_; }
emit removed "$(($("$git" for-each-ref --format=x "refs/checkpoints/$key\${key:+/}" | wc -l)))"
if [ -z "$key" ]; then
	trash=$base/new.$$
	mv "$store" "$trash" && rm -rf "$trash"
	rm -rf "$base"/broken-* "$base/.last_prune"
	done_
fi
enter prune
grace=now
wait_for_users || grace=10.minutes.ago
"$git" for-each-ref --format='%(refname)' "refs/checkpoints/$key/" | drop_refs
rm -f "$store/projects/$key" "$store/indexes/$key"
"$git" gc -q --prune="$grace" 2>/dev/null
done_
`;
