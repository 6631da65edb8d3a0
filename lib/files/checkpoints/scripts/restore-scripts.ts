/** Scripts that bring files back. What they write over has been kept before. */

import { listScript, storeScript } from "./store-script.ts";

/**
 * `BASE GIT ROOT COMMIT BYTES`, on standard input BYTES of paths to write and then paths to remove before, all ended by a
 * NUL. Mode and owner of a file that is there stay what they are. Answers `others`: the files that COMMIT does not have, by the
 * rules of the restored `.gitignore`.
 */
export const writeBackScript = `${storeScript}
root=$1; commit=$2; bytes=$3
cd "$root" 2>/dev/null || fail "the folder cannot be entered"
enter use
export GIT_WORK_TREE="$root" GIT_INDEX_FILE="$work/index"
cat > "$work/input"
head -c "$bytes" "$work/input" > "$work/write"
tail -c +"$((bytes + 1))" "$work/input" > "$work/remove"
"$git" read-tree "$commit" 2> "$work/said" || fail "$(head -c 500 "$work/said")"
remove_those='
for f do
	rm -f "./$f" 2>/dev/null
	d=$f
	while case $d in */*) true ;; *) false ;; esac; do d=\${d%/*}; rmdir "./$d" 2>/dev/null || break; done
done'
[ -s "$work/remove" ] && xargs -0 sh -c "$remove_those" sh < "$work/remove"
# Nothing is written in the place of a folder, nor through anything that is not a folder.
free='
for f do
	if [ -d "$f" ] && [ ! -L "$f" ]; then continue; fi
	p=$f; blocked=
	while :; do
		case $p in ./*/*) p=\${p%/*} ;; *) break ;; esac
		if [ -L "$p" ] || { [ -e "$p" ] && [ ! -d "$p" ]; }; then blocked=1; fi
	done
	[ -n "$blocked" ] || printf "%s\\0" "$f"
done'
# Files with a mode or an owner that a checkout would not give them.
usual='
if [ -z "$(find "$@" -prune -type f \\( ! -perm 644 ! -perm 755 -o ! -user "$user" \\) -print 2>/dev/null | head -n 1)" ]; then
	printf "%s\\0" "$@"; exit
fi
for f do
	if [ -n "$(find "$f" -prune -type f \\( ! -perm 644 ! -perm 755 -o ! -user "$user" \\) -print 2>/dev/null)" ]; then
		mode=$(stat -c %a "$f" 2>/dev/null || stat -f %Lp "$f" 2>/dev/null)
		owner=$(stat -c %u:%g "$f" 2>/dev/null || stat -f %u:%g "$f" 2>/dev/null)
		printf "%s\\0" "$f" >> "$work/special"
		printf "%s\\0%s\\0%s\\0" "$f" "$mode" "$owner" >> "$work/modes"
	else printf "%s\\0" "$f"
	fi
done'
user=$(id -u); export user
: > "$work/special"; : > "$work/modes"; : > "$work/usual"
: > "$work/free"
[ -s "$work/write" ] && xargs -0 printf './%s\\0' < "$work/write" | xargs -0 sh -c "$free" sh > "$work/free"
[ -s "$work/free" ] && xargs -0 -n 1000 sh -c "$usual" sh < "$work/free" > "$work/usual"
[ -s "$work/special" ] && "$git" checkout-index -f -q -z --stdin < "$work/special" 2>> "$work/said"
[ -s "$work/modes" ] && xargs -0 -n 3 sh -c 'chown "$2" "$0" 2>/dev/null; chmod "$1" "$0"' < "$work/modes" 2>> "$work/said"
[ -s "$work/usual" ] && (umask "$user_umask"; exec "$git" checkout-index -f -q -z --stdin < "$work/usual" 2>> "$work/said")
[ -s "$work/said" ] && emit said "$(head -c 500 "$work/said")"
${listScript}
others
emit others "$(base64 < "$work/others" | tr -d '\\n')"
done_
`;

/** `ROOT`, paths on standard input: removes the files, and the folders that are empty then. */
export const removeScript = `
cd "$1" 2>/dev/null || done_
remove_those='
for f do
	rm -f "./$f" 2>/dev/null
	d=$f
	while case $d in */*) true ;; *) false ;; esac; do d=\${d%/*}; rmdir "./$d" 2>/dev/null || break; done
done'
xargs -0 sh -c "$remove_those" sh
done_
`;
