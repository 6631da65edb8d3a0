/** Scripts that look at checkpoints: the list of one folder, a comparison with the folder now, and everything there is. */

import { storeScript } from "./store-script.ts";

/** `BASE GIT KEY STATS`. Answers `refs`: commit, tree, reference and message, each ended by a NUL; with STATS also `COMMIT.stat`. */
export const listScript = `${storeScript}
key=$1; stats=$2
[ -f "$store/HEAD" ] || done_
begin refs
"$git" for-each-ref --sort=refname --format='%(objectname)%00%(tree)%00%(refname)%00%(contents)%00' "refs/checkpoints/$key/" | base64 | tr -d '\\n'
end
[ -n "$stats" ] || done_
before=
for commit in $("$git" for-each-ref --sort=refname --format='%(objectname)' "refs/checkpoints/$key/"); do
	[ -z "$before" ] || emit "$commit.stat" "$("$git" diff --no-ext-diff --no-renames --shortstat "$before" "$commit" --)"
	before=$commit
done
done_
`;

/**
 * `BASE GIT COMMIT TREE FORM LIMIT [PATH]`. Answers `diff`, at most LIMIT bytes of it, from COMMIT to TREE. FORM is `--patch`,
 * `--stat` or `--raw`.
 */
export const diffScript = `${storeScript}
commit=$1; tree=$2; form=$3; limit=$4; shift 4
case $form in --raw) set -- -z "$@" ;; esac
begin diff
"$git" diff --no-ext-diff --no-textconv --no-color --no-renames --no-abbrev "$form" "$commit" "$tree" "$@" 2>/dev/null |
	head -c "$limit" | base64 | tr -d '\\n'
end
done_
`;

/** `BASE GIT`. Answers the version, the size in kilobytes, and for every folder `N.root`, `N.exists`, `N.count`, `N.newest`. */
export const statusScript = `${storeScript}
emit version "$("$git" version)"
emit base "$base"
[ -f "$store/HEAD" ] || done_
emit kilobytes "$(du -sk "$base" 2>/dev/null | cut -f1)"
number=0
for project in "$store"/projects/*; do
	[ -f "$project" ] || continue
	number=$((number + 1)); key=\${project##*/}
	root=$(cat "$project" && printf x); root=\${root%x}
	emit "$number.root" "$root"
	emit "$number.key" "$key"
	[ -d "$root" ] && emit "$number.exists" 1
	emit "$number.count" "$("$git" for-each-ref --format=x "refs/checkpoints/$key/" | wc -l)"
	emit "$number.newest" "$("$git" for-each-ref --sort=-refname --count=1 --format='%(refname)' "refs/checkpoints/$key/")"
done
emit projects "$number"
done_
`;
