/** Scripts for a sub-agent in a sandbox of its own: its copy of the files, the place of that, and what comes back. */

import { resultScript } from "./finish-script.ts";
import { baseScript } from "./open-script.ts";
import { repositoryScript } from "./repository-script.ts";

/** More would take longer to bring there and back than most tasks do. */
const mostKilobytes = 1_000_000;
const mostFiles = 50_000;

/** What can be made again, and is not brought back where the parent has nothing of that name. */
const generated = "node_modules .venv venv __pycache__ .cache";

/**
 * `GIT CWD ID OWNER HOLDER`. The files as they are, laid out in a folder beside git's. Answers `copy`, `kilobytes`, `top`, `prefix`, `base`, `left`
 * and `skip` (names that need not come back).
 */
export const openCopyScript = `${repositoryScript}${baseScript}
find_place "$1" "$2" create
wanted=$2; folder=
drop_store() { case $common in */changes/"$wanted".git) cd / && rm -rf "$common" ;; esac; }
take_base
g ls-tree -r -l "$base" > "$work/listed"
files=$(($(wc -l < "$work/listed"))); kilobytes=$(awk '{ sum += $4 } END { print int(sum / 1024) }' "$work/listed")
if [ "$files" -gt ${mostFiles} ] || [ "$kilobytes" -gt ${mostKilobytes} ]; then
	drop_store
	fail "it has $files files and $kilobytes KB; ${mostFiles} files and ${mostKilobytes} KB are the limit"
fi
begin_change "$wanted" "$3"
note holder "$4"
copy=$change/copy
mkdir "$copy" 2> "$work/said" || { why=$(said); remove_change; fail "$why"; }
if ! GIT_INDEX_FILE="$work/index" g checkout-index -a -q --prefix="$copy/" 2> "$work/said"; then
	why=$(said); remove_change; fail "$why"
fi
skip=.git
g ls-tree -r -d --name-only "$base" | sed 's,.*/,,' > "$work/folders"
for name in ${generated}; do grep -qxF "$name" "$work/folders" || skip="$skip $name"; done
emit copy "$copy"; emit kilobytes "$kilobytes"; emit top "$top"; emit prefix "\${prefix%/}"; emit base "$base"; emit skip "$skip"
note skip "$skip"
emit left "$(encoded "$work/left")"
done_
`;

/**
 * `GIT CWD ID [FAR]`. Takes away what lies in the folder of the copy, and leaves it empty for what comes back. FAR is where the copy lies in its
 * sandbox: it is noted, for whoever brings it back when this process is killed.
 */
export const emptyCopyScript = `${repositoryScript}
find_place "$1" "$2"
find_change "$2"
chmod -R u+w "$change/copy" 2>/dev/null
rm -rf "$change/copy"
mkdir "$change/copy" 2> "$work/said" || fail "$(said)"
[ -z "$3" ] || note far "$3"
emit copy "$change/copy"
done_
`;

/**
 * `GIT CWD ID FROM TO`. Makes TO the owner of a change that was FROM's; answers `claimed`. Two that want it at the same moment do not both
 * get it.
 */
export const claimScript = `${repositoryScript}
find_place "$1" "$2"
find_change "$2"
find "$change/claim" -maxdepth 0 -mmin +5 -exec rmdir {} + 2>/dev/null
mkdir "$change/claim" 2>/dev/null || done_
if [ "$(noted owner)" = "$3" ]; then note owner "$4"; emit claimed 1; fi
rmdir "$change/claim"
done_
`;

/** `GIT CWD ID`. What has come back becomes the commit of the change. */
export const finishCopyScript = `${repositoryScript}${resultScript}
find_place "$1" "$2"
find_change "$2"
[ -n "$base" ] || fail "what it started from is gone"
copy=$change/copy
export GIT_DIR="$gitdir" GIT_WORK_TREE="$copy"
cd "$copy" || fail "$copy cannot be entered"
begin_index /dev/null/index "$base"
stage
add_submodules
if [ "$tree" = "$(tree_of "$base")" ] && [ ! -s "$work/left" ]; then remove_change; emit unchanged 1; done_; fi
result=$(commit_of "$tree" "$base" "Work of sub-agent $id")
[ -n "$result" ] || fail "its files cannot be kept"
keep_result
folder=
# What git could not take is nowhere else: its sandbox ends.
if [ -s "$work/left" ]; then folder=$copy; note folder "$copy"; fi
tell_result
[ -n "$folder" ] || { cd / && chmod -R u+w "$copy" 2>/dev/null; rm -rf "$copy"; }
done_
`;

/**
 * `WANTED KILOBYTES MARK`, in the new sandbox: an empty folder with room for the copy, WANTED if it can be. Answers `folder`; the file MARK
 * tells this sandbox from one that takes its place. Without `tar` answers `no_tar`.
 */
export const placeScript = `
command -v tar >/dev/null 2>&1 || { emit no_tar 1; done_; }
for folder in "$1" /workspace "$HOME/workspace" "\${TMPDIR:-/tmp}/workspace" "\${TMPDIR:-/tmp}/workspace-$$"; do
	mkdir -p "$folder" 2>/dev/null || continue
	[ -w "$folder" ] && [ -z "$(ls -A "$folder" 2>/dev/null)" ] || continue
	free=$(df -Pk "$folder" 2>/dev/null | awk 'NR == 2 { print $4 }')
	case $free in '' | *[!0-9]*) free=999999999 ;; esac
	[ "$free" -gt $(($2 * 2 + 1024)) ] || continue
	: > "$3" || continue
	emit folder "$folder"; done_
done
done_
`;

/** `FOLDER`, in the new sandbox: a repository with one commit, so that the sub-agent can see what it changes; nothing without git. */
export const historyScript = `
cd "$1" || done_
command -v git >/dev/null 2>&1 || done_
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=hermes GIT_AUTHOR_EMAIL=hermes@localhost
export GIT_COMMITTER_NAME=hermes GIT_COMMITTER_EMAIL=hermes@localhost
{ git init -q . && git add -A && git commit -q --no-verify -m "The files as they were given"; } >/dev/null 2>&1 || rm -rf .git
done_
`;

/** `MARK`. Answers `here` where it is the sandbox that the copy was made in. */
export const stillHereScript = `
[ ! -f "$1" ] || emit here 1
done_
`;
