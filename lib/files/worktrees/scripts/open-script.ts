/** The script that makes a worktree with the parent's files as they are now. */

import { repositoryScript, worktreesFolder } from "./repository-script.ts";

/**
 * What keeps the folder as it is now as `base`: its last commit, or a commit on top of that with what was not committed. Files that look
 * like secrets and that git does not know are left out, because they would be in the history of a branch.
 */
export const baseScript = `
take_base() {
	head=$(head_of HEAD) || head=
	begin_index "$gitdir/index" "$head"
	cd "$top" || fail "$top cannot be entered"
	stage "$secrets"
	# Of a repository inside there is its commit alone, and an empty folder.
	g ls-files -s | sed -n 's,^160000 [0-9a-f]* [0-9]	\\(.*\\)$,\\1/,p' | tr '\\n' '\\0' >> "$work/left"
	unset GIT_INDEX_FILE
	if [ -n "$head" ] && [ "$tree" = "$(tree_of "$head")" ]; then base=$head
	else base=$(commit_of "$tree" "$head" "Files of $top that were not committed"); emit uncommitted 1
	fi
	[ -n "$base" ] || fail "its files cannot be kept"
}

# begin_change ID OWNER: from here on it is found again, whatever happens.
begin_change() {
	id=$1; change=$common/hermes/$id; branch=hermes-$id
	[ -z "$(head_of "refs/heads/$branch")" ] || fail "there is a branch $branch already"
	mkdir -p "$common/hermes" && mkdir "$change" 2> "$work/said" || fail "$(said)"
	note owner "$2"; note folder "$folder"; note top "$top"; note state open
	g update-ref "refs/hermes/$id/base" "$base" 2> "$work/said" || { why=$(said); rm -rf "$change"; fail "$why"; }
}
`;

/** `GIT CWD ID OWNER`. Answers `folder`, `cwd` (the same folder of the project), `branch`, `base`, and `left` (what is missing). */
export const openScript = `${repositoryScript}${baseScript}
cwd=$1; wanted=$2; owner=$3
find_repository "$cwd"
take_base
# A worktree in a worktree would go with it.
case $top in */${worktreesFolder}/*) main=\${top%%/${worktreesFolder}/*} ;; *) main=$top ;; esac
worktrees=$main/${worktreesFolder}; folder=$worktrees/$wanted
begin_change "$wanted" "$owner"
mkdir -p "$worktrees" 2> "$work/said" || { why=$(said); admin=; remove_change; fail "$why"; }
echo '*' > "$worktrees/.gitignore"
tries=0
until g worktree add -q -b "$branch" "$folder" "$base" > "$work/said" 2>&1; do
	why=$(said); tries=$((tries + 1)); again=
	# Git reads all worktrees first, and gives up at one that somebody else is just making or removing.
	case $why in *worktrees/*/* | *.lock*) [ "$tries" -ge 20 ] || again=1 ;; esac
	if [ -z "$again" ]; then admin=; remove_change; fail "$why"; fi
	g update-ref -d "refs/heads/$branch" 2>/dev/null
	rm -rf "$folder"
	sleep 0.1 2>/dev/null || sleep 1
done
# The last worktree before may have been removed meanwhile, and the folder with it.
[ -e "$worktrees/.gitignore" ] || echo '*' > "$worktrees/.gitignore"
note admin "$(g -C "$folder" rev-parse --absolute-git-dir)"
mkdir -p "$folder/$prefix"
emit folder "$folder"; emit cwd "$folder\${prefix:+/\${prefix%/}}"; emit branch "$branch"; emit base "$base"; emit top "$top"
emit left "$(encoded "$work/left")"
done_
`;
