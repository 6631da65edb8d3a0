/** Scripts that put a change into the parent's files, throw one away, and find those that are there. */

import { repositoryScript } from "./repository-script.ts";

/**
 * `GIT CWD ID`. What was changed is merged, in git's store alone, with the files as they are now; only when nothing is in conflict are files
 * written, and none that has changed meanwhile. Neither the index nor a branch of the parent is touched. Answers `merged` (paths), with
 * `stays` (the worktree) and `left` where it has what git could not take, or
 * `conflicts` (what `git merge-tree` says, or paths under `blocked`: ignored files that are in the way), or `moved` (why git would not write).
 */
export const mergeScript = `${repositoryScript}
find_place "$1" "$2"
find_change "$2"
result=$(head_of "refs/hermes/$id/result") || { emit unfinished 1; done_; }
[ -n "$base" ] || fail "what it started from is gone"
head=$(head_of HEAD) || head=
begin_index "$gitdir/index" "$head"
cd "$top" || fail "$top cannot be entered"
stage "$secrets"
ours=$tree; theirs=$(tree_of "$result")

# Before git could merge without files: in a folder of its own.
in_store() (unset GIT_INDEX_FILE GIT_WORK_TREE; GIT_DIR=$common; export GIT_DIR; cd "$common" && g "$@" > "$work/said" 2>&1)
merge_in_folder() {
	scratch=$work/tree; merged=
	in_store worktree add -q --detach "$scratch" "$ours_commit" || fail "$(said)"
	merged=$(
		unset GIT_INDEX_FILE GIT_WORK_TREE GIT_DIR
		cd "$scratch" || exit 1
		g merge-recursive "$base" -- "$ours_commit" "$theirs_commit" > "$work/said" 2>&1
		g diff --name-only --diff-filter=U -z > "$work/unmerged"
		[ -s "$work/unmerged" ] || g write-tree 2>> "$work/said"
	)
	why=$(said)
	in_store worktree remove --force "$scratch"
	if [ -s "$work/unmerged" ]; then emit unmerged "$(encoded "$work/unmerged")"; done_; fi
	[ -n "$merged" ] || fail "$why"
}

if [ "$ours" = "$(tree_of "$base")" ]; then merged=$theirs
else
	# Both start from the same commit, whatever was committed, or switched to, since.
	ours_commit=$(commit_of "$ours" "$base" ours); theirs_commit=$(commit_of "$theirs" "$base" theirs)
	if at_least 2 38; then
		g merge-tree --write-tree -z --name-only "$ours_commit" "$theirs_commit" > "$work/merge" 2> "$work/said"
		code=$?
		if [ "$code" -eq 1 ]; then emit conflicts "$(encoded "$work/merge")"; done_; fi
		[ "$code" -eq 0 ] || fail "$(said)"
		merged=$(tr '\\0' '\\n' < "$work/merge" | head -n 1)
	else merge_in_folder
	fi
fi

g diff-tree -r -z --no-renames --name-only --diff-filter=A "$ours" "$merged" > "$work/added"
: > "$work/blocked"
in_the_way='for f do if [ -e "./$f" ] || [ -L "./$f" ]; then printf "%s\\0" "$f" >> "$work/blocked"; fi; done'
[ ! -s "$work/added" ] || xargs -0 -n 500 sh -c "$in_the_way" sh < "$work/added"
if [ -s "$work/blocked" ]; then emit blocked "$(encoded "$work/blocked")"; done_; fi
g diff-tree -r -z --no-renames --name-only "$ours" "$merged" > "$work/names"
g update-index -q --refresh >/dev/null 2>&1
# From the first file to the last, whoever wants to stop.
trap '' HUP INT TERM
if ! g read-tree -m -u "$ours" "$merged" 2> "$work/said"; then emit moved "$(said)"; done_; fi
emit merged "$(encoded "$work/names")"
emit top "$top"
# What git could not take is nowhere else.
if [ -n "$folder" ] && [ -d "$folder" ] && [ -s "$change/left" ]; then
	note state merged
	emit stays "$folder"; emit left "$(encoded "$change/left")"; done_
fi
remove_change
done_
`;

/** `GIT CWD ID`. Answers `top` and `files`, what a merge may change in it. */
export const filesScript = `${repositoryScript}
find_place "$1" "$2"
find_change "$2"
g diff --no-ext-diff --no-renames --name-only -z "$base" "refs/hermes/$id/result" > "$work/names" 2>/dev/null
emit top "$top"; emit files "$(encoded "$work/names")"
done_
`;

/** `GIT CWD ID`. Removes worktree, branch and references. Answers `removed`. */
export const discardScript = `${repositoryScript}
find_place "$1" "$2"
find_change "$2"
remove_change
emit removed 1
done_
`;

/**
 * `GIT CWD`. Those of the repository that CWD is in, and those of folders without one. Answers for every change `N.id`, `N.owner`,
 * `N.state`, `N.folder`, `N.top`, `N.exists` (the folder), for copies `N.holder`, `N.far` and `N.skip`, and `count`.
 */
export const listScript = `${repositoryScript}
count=0; common=
# What was killed while it worked could not remove this any more.
find "\${TMPDIR:-/tmp}/" -maxdepth 1 -type d -name 'hermes-git.??????' -mmin +1440 -exec rm -rf {} + 2>/dev/null
if (cd "$1" 2>/dev/null && g rev-parse --show-toplevel >/dev/null 2>&1); then find_repository "$1"; fi
for change in "\${common:-/nonexistent}"/hermes/* "\${HERMES_HOME:-$HOME/.hermes}"/changes/*.git/hermes/*; do
	[ -f "$change/owner" ] || continue
	count=$((count + 1))
	emit "$count.id" "\${change##*/}"
	for key in owner state folder top holder far skip; do emit "$count.$key" "$(noted $key)"; done
	[ ! -d "$(noted folder)" ] || emit "$count.exists" 1
done
emit count "$count"
done_
`;
