/** The script that takes what a sub-agent has made in its folder as one commit. */

import { repositoryScript } from "./repository-script.ts";

/** After `tree` is known: a change, or nothing. Answers `unchanged`, or `stat`, `files`, `left`, `branch`, `folder`. */
export const resultScript = `
# Repositories inside are commits to git, and what is in them is not in ours.
add_submodules() {
	g ls-files -s | sed -n 's/^160000 \\([0-9a-f]*\\) [0-9]	/\\1 /p' > "$work/submodules"
	while read -r commit path; do
		if [ ! -e "./$path/.git" ]; then
			[ -z "$(ls -A "./$path" 2>/dev/null)" ] || printf '%s\\0' "$path/" >> "$work/left"
			continue
		fi
		(
			unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
			[ "$(g -C "./$path" rev-parse HEAD 2>/dev/null)" = "$commit" ] && [ -z "$(g -C "./$path" status --porcelain 2>/dev/null)" ]
		) || printf '%s\\0' "$path/" >> "$work/left"
	done < "$work/submodules"
}
keep_result() {
	cp "$work/left" "$change/left"
	g update-ref "refs/hermes/$id/result" "$result" 2> "$work/said" || fail "$(said)"
	g update-ref "refs/heads/$branch" "$result" 2> "$work/said" || fail "$(said)"
	note state kept
}
tell_result() {
	emit stat "$(g diff --no-ext-diff --no-textconv --no-color -M --stat=100,70 --stat-count=40 "$base" "$result" | head -c 6000)"
	g diff --no-ext-diff --no-renames --name-only -z "$base" "$result" > "$work/names"
	emit files "$(encoded "$work/names")"
	emit left "$(encoded "$work/left")"
	emit branch "$branch"; emit base "$base"; emit result "$result"; emit folder "$folder"; emit store "$store"
}
`;

/** `GIT CWD ID`. */
export const finishScript = `${repositoryScript}${resultScript}
find_repository "$1"
find_change "$2"
[ -n "$base" ] || fail "what it started from is gone"
: > "$work/left"
branch_head=$(head_of "refs/heads/$branch") || branch_head=
if [ -n "$folder" ] && [ -d "$folder" ]; then
	# Its own .git may be gone; then git would take the parent's repository for the one that is meant.
	if [ -f "$admin/HEAD" ]; then GIT_DIR=$admin; else GIT_DIR=$common; fi
	export GIT_DIR GIT_WORK_TREE="$folder"
	cd "$folder" || fail "$folder cannot be entered"
	head=$branch_head
	[ "$GIT_DIR" = "$common" ] || head=$(head_of HEAD) || head=$branch_head
	begin_index "$admin/index" "$base"
	stage
	add_submodules
	if [ "$tree" = "$(tree_of "$base")" ] && [ ! -s "$work/left" ]; then remove_change; emit unchanged 1; done_; fi
	result=$head
	[ "$tree" = "$(tree_of "$head")" ] || result=$(commit_of "$tree" "$head" "Work of sub-agent $id")
	[ -n "$result" ] || fail "its files cannot be kept"
	keep_result
	# The folder shows what was kept, not what is still to be committed.
	[ "$(g symbolic-ref -q HEAD)" != "refs/heads/$branch" ] || [ "$GIT_DIR" = "$common" ] || cp -p "$work/index" "$admin/index"
else
	folder=; result=$branch_head
	if [ -z "$result" ] || [ "$(tree_of "$result")" = "$(tree_of "$base")" ]; then
		folder=$(noted folder); remove_change; emit unchanged 1; done_
	fi
	keep_result
fi
tell_result
done_
`;
