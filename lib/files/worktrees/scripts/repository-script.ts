/** What every script about changes of sub-agents begins with: the user's repository, and a folder as git would commit it. */

import { secretPatterns } from "../../checkpoints/excludes.ts";

/** The folder of worktrees, in the repository's main folder. Git overlooks it because of a `.gitignore` of its own. */
export const worktreesFolder = ".hermes-worktrees";

/** A file that git does not know yet and that is larger stays where it is. */
const mostBytes = 50_000_000;
/** More files that git does not know are a mistake in `.gitignore`, not work. */
const mostOthers = 20_000;

/** In a folder that nobody keeps under version control there is no `.gitignore` to tell what can be made again. */
const unversioned = "node_modules/ .venv/ venv/ __pycache__/ .cache/ .npm/ .hermes/ .local/";

/** Worktrees can be removed by name since then. */
const oldestGit = "2 17";

/**
 * `GIT …`. `find_repository FOLDER` sets `top` `prefix` `gitdir` `common`; `begin_index FILE COMMIT` and `stage PATTERNS` set `tree` to what
 * the folder holds now, without touching its index; `find_change ID` and `remove_change` are about one change. Hooks never run: nothing
 * here is a commit of the user's. A change is a folder `hermes/ID` in the git directory, and the references `refs/hermes/ID/base` and
 * `refs/hermes/ID/result`, which keep its contents.
 */
export const repositoryScript = `
fail() { emit failed "$1"; done_; }
git=$1; shift
command -v "$git" >/dev/null 2>&1 || { emit no_git 1; done_; }
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR \\
	GIT_NAMESPACE GIT_PREFIX GIT_INTERNAL_SUPER_PREFIX GIT_EXTERNAL_DIFF GIT_GLOB_PATHSPECS GIT_ICASE_PATHSPECS 2>/dev/null
export GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0 GIT_LITERAL_PATHSPECS=1
export GIT_AUTHOR_NAME=hermes GIT_AUTHOR_EMAIL=hermes@localhost GIT_COMMITTER_NAME=hermes GIT_COMMITTER_EMAIL=hermes@localhost
g() {
	"$git" -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.safecrlf=false -c gc.auto=0 -c maintenance.auto=false "$@"
}
version=$("$git" version 2>&1); number=\${version#git version }
major=\${number%%.*}; minor=\${number#*.}; minor=\${minor%%.*}
case $major$minor in '' | *[!0-9]*) fail "git does not tell its version: $version" ;; esac
at_least() { [ "$major" -gt "$1" ] || { [ "$major" -eq "$1" ] && [ "$minor" -ge "$2" ]; }; }
at_least ${oldestGit} || { emit old_git "$version"; done_; }
work=$(mktemp -d "\${TMPDIR:-/tmp}/hermes-git.XXXXXX") || fail "there can be no temporary folder"
export work
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM
said() { tr '\\n' ' ' < "$work/said" | head -c 500; }
encoded() { base64 < "$1" | tr -d '\\n'; }

find_repository() {
	# The worktree of a sub-agent that had sub-agents of its own goes before their changes are settled; the project is what is left.
	case $1 in */${worktreesFolder}/*) [ -d "$1" ] || set -- "\${1%%/${worktreesFolder}/*}" ;; esac
	cd "$1" 2>/dev/null || fail "the folder $1 cannot be entered"
	if ! top=$(g rev-parse --show-toplevel 2> "$work/said" && printf x); then
		if grep -q 'not a git repository' "$work/said"; then emit no_repository 1; done_; fi
		fail "$(said)"
	fi
	top=\${top%?x}
	prefix=$(g rev-parse --show-prefix && printf x); prefix=\${prefix%?x}
	gitdir=$(g rev-parse --absolute-git-dir && printf x); gitdir=\${gitdir%?x}
	common=$(cd "$(g rev-parse --git-common-dir)" && pwd -P && printf x) || fail "$top has no git directory"
	common=\${common%?x}
}

# find_place FOLDER ID: a folder that is in no repository has a store of its own for this one change.
find_place() {
	store=\${HERMES_HOME:-$HOME/.hermes}/changes/$2.git
	if (cd "$1" 2>/dev/null && g rev-parse --show-toplevel >/dev/null 2>&1) || [ ! -d "$1" ]; then store=; find_repository "$1"; return; fi
	top=$(cd -P "$1" && pwd -P && printf x) || fail "the folder $1 cannot be entered"
	top=\${top%?x}; prefix=; common=$store; gitdir=$store
	[ -f "$store/HEAD" ] || [ -z "$3" ] || {
		mkdir -p "\${store%/*}" && g init -q --bare --template= "$store" 2> "$work/said" || fail "$(said)"
		mkdir -p "$store/info" && printf '%s\\n' ${unversioned} > "$store/info/exclude"
	}
	[ -f "$store/HEAD" ] || { emit no_change 1; done_; }
	export GIT_DIR="$store" GIT_WORK_TREE="$top"
	cd "$top" || fail "$top cannot be entered"
}

begin_index() {
	export GIT_INDEX_FILE="$work/index"
	# With its time: git compares that with the times of files to know which it must read again.
	cp -p "$1" "$work/index" 2>/dev/null && return 0
	[ -z "$2" ] || g read-tree "$2" 2> "$work/said" || fail "$(said)"
}

max_bytes=${mostBytes}; export max_bytes
# Nested repositories are listed as folders; what cannot be read, or is no file, is nothing that git could keep.
fitting='
big=$(find "$@" -prune -type f -size +"$max_bytes"c -print 2>/dev/null | head -n 1)
for f do
	if [ -L "$f" ]; then :
	elif [ ! -f "$f" ] || [ ! -r "$f" ]; then printf "%s\\0" "\${f#./}" >> "$work/left"; continue
	elif [ -n "$big" ] && [ -n "$(find "$f" -prune -type f -size +"$max_bytes"c -print 2>/dev/null)" ]; then
		printf "%s\\0" "\${f#./}" >> "$work/left"; continue
	fi
	printf "%s\\0" "$f" >> "$work/keep"
done'
stage() {
	g add -u -- . 2> "$work/said" || fail "$(said)"
	set -f
	g ls-files -z --others --exclude-standard $1 > "$work/others" 2> "$work/said" || fail "$(said)"
	set +f
	count=$(($(tr -cd '\\0' < "$work/others" | wc -c)))
	[ "$count" -le ${mostOthers} ] || fail "it has $count files that git does not know, ${mostOthers} are the limit; commit them, or add them to .gitignore"
	: > "$work/keep"; : > "$work/left"
	if [ -s "$work/others" ]; then
		xargs -0 printf './%s\\0' < "$work/others" | xargs -0 -n 500 sh -c "$fitting" sh
	fi
	if [ -s "$work/keep" ]; then
		g update-index -z --add --replace --stdin < "$work/keep" 2> "$work/said" || fail "$(said)"
	fi
	tree=$(g write-tree 2> "$work/said") || fail "$(said)"
}
secrets='${secretPatterns.map((pattern) => `-x ${pattern}`).join(" ")}'

# commit_of TREE PARENT MESSAGE
commit_of() { printf '%s\\n' "$3" | g commit-tree "$1" \${2:+-p "$2"} 2> "$work/said" || fail "$(said)"; }
head_of() { g rev-parse -q --verify "$1^{commit}" 2>/dev/null; }
tree_of() { g rev-parse -q --verify "$1^{tree}" 2>/dev/null; }

noted() { cat "$change/$1" 2>/dev/null; }
note() { printf %s "$2" > "$change/$1.new" && mv -f "$change/$1.new" "$change/$1"; }

find_change() {
	case $1 in '' | .* | *[!A-Za-z0-9._-]*) emit no_change 1; done_ ;; esac
	id=$1; change=$common/hermes/$id
	[ -d "$change" ] || { rmdir "$common/hermes" 2>/dev/null; emit no_change 1; done_; }
	folder=$(noted folder; printf x); folder=\${folder%x}
	admin=$(noted admin; printf x); admin=\${admin%x}
	branch=hermes-$id
	base=$(head_of "refs/hermes/$id/base") || base=
}

# What killed us in the middle finds the rest the next time: the note goes last.
remove_change() {
	unset GIT_INDEX_FILE GIT_WORK_TREE; export GIT_DIR="$common"
	cd "$common" || fail "$common cannot be entered"
	case $folder in */${worktreesFolder}/"$id")
		g worktree remove --force "$folder" >/dev/null 2>&1 || {
			chmod -R u+w "$folder" 2>/dev/null; rm -rf "$folder"
			case $admin in "$common"/worktrees/?*) rm -rf "$admin" ;; esac
			# One that git was just making is not noted yet, and git locks it meanwhile.
			for making in "$common"/worktrees/*; do
				[ "$(cat "$making/gitdir" 2>/dev/null)" != "$folder/.git" ] || rm -rf "$making"
			done
		}
		worktrees=\${folder%/*}
		if [ -z "$(ls "$worktrees" 2>/dev/null)" ]; then
			rm -f "$worktrees/.gitignore"
			rmdir "$worktrees" 2>/dev/null || [ ! -d "$worktrees" ] || echo '*' > "$worktrees/.gitignore"
		fi ;;
	esac
	# Unless somebody has it before their eyes. \`git branch\` would give up at a worktree that is just being made.
	grep -qsxF "ref: refs/heads/$branch" "$common/HEAD" "$common"/worktrees/*/HEAD ||
		g update-ref -d "refs/heads/$branch" 2>/dev/null
	g update-ref -d "refs/hermes/$id/result" 2>/dev/null
	g update-ref -d "refs/hermes/$id/base" 2>/dev/null
	rm -rf "$change"
	rmdir "$common/hermes" 2>/dev/null
	case $common in */changes/"$id".git) cd / && rm -rf "$common"; rmdir "\${common%/*}" 2>/dev/null ;; esac
	return 0
}
`;
