/** What every script of checkpoints begins with: the repository that keeps them, shut off from the user's own git. */

import { generatedPatterns, secretPatterns } from "../excludes.ts";

const configuration = `
[core]
	hooksPath = /dev/null
	excludesFile = /dev/null
	attributesFile = /dev/null
	autocrlf = false
	safecrlf = false
	fsmonitor = false
	quotePath = false
	protectNTFS = false
	protectHFS = false
	logAllRefUpdates = false
	commitGraph = false
	looseCompression = 1
[user]
	name = Hermes Checkpoint
	email = hermes@local
[commit]
	gpgSign = false
[gc]
	auto = 0
	autoDetach = false
	writeCommitGraph = false
[maintenance]
	auto = false
[protocol]
	allow = never
`;

/**
 * `BASE GIT …`. Sets `base`, `store`, `git`, `home`; `open_store` makes the repository, `enter KIND` announces work in it and
 * sets `work`, a folder of its own. A checkpoint is a commit without parents under `refs/checkpoints/KEY/TIME-ID`, so that
 * removing one is removing a ref, and no checkpoint of another folder can be reached from here.
 */
export const storeScript = `
home=$HOME
hermes=\${HERMES_HOME:-$HOME/.hermes}
base=$1; git=$2; shift 2
if [ -n "$base" ]; then hermes=\${base%/*}; else base=$hermes/checkpoints; fi
store=$base/store
user_umask=$(umask); umask 077
fail() { emit failed "$1"; done_; }
command -v "$git" >/dev/null 2>&1 || { emit no_git 1; done_; }

# Whatever steers git from outside would make it read another repository, or run programs of the user.
case $(export -p) in *GIT_*)
	for name in $(env | sed -n 's/^\\(GIT_[A-Za-z0-9_]*\\)=.*/\\1/p'); do unset "$name" 2>/dev/null; done ;;
esac
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_LITERAL_PATHSPECS=1
export GIT_TERMINAL_PROMPT=0 GIT_ATTR_NOSYSTEM=1 GIT_DIR="$store"
export HOME="$store" XDG_CONFIG_HOME="$store"
export git home

open_store() {
	[ -f "$store/HEAD" ] && return 0
	# Another process may have made it just now: it appears at once, and whole.
	[ -e "$store" ] && [ ! -f "$store/HEAD" ] && mv "$store" "$base/broken-$(date +%s)-$$"
	mkdir -p "$base" || return 1
	[ -e "$base/.last_prune" ] || : > "$base/.last_prune"
	fresh=$base/new.$$
	rm -rf "$fresh"
	GIT_DIR= ; unset GIT_DIR
	"$git" init -q --bare --template= "$fresh" || return 1
	export GIT_DIR="$store"
	cat >> "$fresh/config" <<'TEXT'
${configuration}
TEXT
	mkdir -p "$fresh/info" "$fresh/indexes" "$fresh/projects" "$fresh/running"
	cat > "$fresh/info/exclude" <<'TEXT'
${generatedPatterns.join("\n")}
TEXT
	# Contents are kept byte by byte: no line ends are translated, and no filter of a project runs.
	echo '* -text -eol -crlf -ident -filter -working-tree-encoding' > "$fresh/info/attributes"
	[ -e "$store" ] || mv "$fresh" "$store" 2>/dev/null
	# Another process may have been faster; then ours is inside of theirs.
	rm -rf "$fresh" "$store/new.$$"
	[ -f "$store/HEAD" ]
}

# Processes that are gone leave their announcement behind; a number may have been given to another process by then.
is_live() {
	kill -0 "$1" 2>/dev/null && [ -z "$(find "$2" -prune -mmin +60 2>/dev/null)" ]
}

others_running() {
	for entry in "$store"/running/"$1".*; do
		[ -e "$entry" ] || continue
		other=\${entry##*.}
		[ "$other" = "$$" ] && continue
		if is_live "$other" "$entry"; then return 0; else rm -rf "$entry"; fi
	done
	return 1
}

nap() { sleep 0.1 2>/dev/null || sleep 1; }

# Git removes empty folders of objects from under those that are about to write into them. Fails when those take long.
wait_for_users() {
	waited=0
	while others_running use; do
		waited=$((waited + 1)); [ "$waited" -le 30 ] || return 1
		nap
	done
}

# Who makes objects that no ref names yet must not meet who removes such objects: each announces itself, then looks.
enter() {
	work=$store/running/$1.$$
	[ -d "$store/running" ] || mkdir -p "$store/running"
	[ ! -e "$work" ] || rm -rf "$work"
	said=$(mkdir "$work" 2>&1) || fail "$said"
	trap 'rm -rf "$work"' EXIT
	trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM
	export work
	[ "$1" = prune ] && return 0
	waited=0
	while others_running prune; do
		# Whoever clears up waits for all that are announced.
		rm -rf "$work"
		waited=$((waited + 1)); [ "$waited" -le 100 ] || fail "another process clears up"
		nap
		said=$(mkdir "$work" 2>&1) || fail "$said"
	done
	others_running use
	return 0
}

# The newest checkpoint of KEY: commit and tree.
newest() { "$git" for-each-ref --sort=-refname --count=1 --format='%(objectname) %(tree)' "refs/checkpoints/$1/"; }

# Deletes the refs that are named on standard input.
drop_refs() { sed 's/^/delete /' | "$git" update-ref --stdin; }
`;

/**
 * `others` fills `$work/others` with the files of `$root` that are not in the index and not left out. Repositories inside
 * of it are listed as what they are to the user: folders with files.
 */
export const listScript = `
secrets='${secretPatterns.map((pattern) => `-x ${pattern}`).join(" ")}'
export secrets
literal() { printf %s "$1" | sed 's/[][*?\\\\ ]/\\\\&/g'; }
# Neither our own keys and records nor the checkpoints themselves, where they are inside of the folder.
left_out() { case $1/ in "\${root%/}"/?*) literal "/\${1#"\${root%/}"/}/" ;; *) printf %s /.hermes-no-such-folder/ ;; esac; }
own=$(left_out "$hermes"); own_base=$(left_out "$base")
expand_nested='
set -f
for f do
	case $f in
	*/)
		( cd "./$f" 2>/dev/null || exit 0
		GIT_WORK_TREE=$PWD GIT_INDEX_FILE=$work/none "$git" ls-files -z --others --exclude-standard $secrets |
			f=$f xargs -0 sh -c "for g do printf \\"%s%s\\\\0\\" \\"\\$f\\" \\"\\$g\\"; done" sh ) ;;
	*) printf "%s\\0" "$f" ;;
	esac
done'
others() {
	set -f
	"$git" ls-files -z --others --exclude-standard $secrets -x "$own" -x "$own_base" > "$work/others" 2> "$work/said" ||
		fail "$(cat "$work/said")"
	depth=0
	while [ -s "$work/others" ] && tr '\\0\\n' '\\n?' < "$work/others" | grep -q '/$' && [ "$depth" -lt 20 ]; do
		depth=$((depth + 1))
		xargs -0 sh -c "$expand_nested" sh < "$work/others" > "$work/expanded"
		mv "$work/expanded" "$work/others"
	done
	set +f
}
`;
