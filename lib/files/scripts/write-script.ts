/** The script that replaces a file in one step. */

/**
 * `PATH SIZE CHECKSUM`, content on standard input. PATH is resolved. The content goes to a temporary file beside the
 * target, which then takes its place: whoever reads sees the old file or the new one, and a full disk leaves the old one.
 * With CHECKSUM the file must still be the one that was read.
 */
export const writeScript = `
target=$1; size=$2; checksum=$3
fail() { emit failed "$1"; done_; }
folder=\${target%/*}; folder=\${folder:-/}
created=
if [ ! -d "$folder" ]; then
	said=$(mkdir -p "$folder" 2>&1) || fail "$said"
	created=1
fi
[ -w "$folder" ] || fail "no file can be made in $folder: permission denied"
if [ -n "$checksum" ] && [ "$(cksum < "$target" 2>/dev/null)" != "$checksum" ]; then emit changed 1; done_; fi
# What writers left that were killed; a name holds the process of its writer.
for left in "\${folder%/}"/.hermes-tmp.[0-9]*.*; do
	[ -f "$left" ] && [ -O "$left" ] || continue
	writer=\${left##*/.hermes-tmp.}; writer=\${writer%%.*}
	case $writer in *[!0-9]*) ;; *) kill -0 "$writer" 2>/dev/null || rm -f "$left" ;; esac
done
temporary=$(mktemp "\${folder%/}/.hermes-tmp.$$.XXXXXX" 2>/dev/null) || {
	temporary=\${folder%/}/.hermes-tmp.$$.0
	said=$( (umask 077; set -C; : > "$temporary") 2>&1) || fail "$said"
}
trap 'rm -f "$temporary"' EXIT
trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM
said=$( { cat > "$temporary"; } 2>&1) || fail "$said"
written=$(wc -c < "$temporary")
[ "$written" -eq "$size" ] || fail "only $((written)) of $size bytes could be written"
if [ -e "$target" ]; then
	owner=$(stat -c %u:%g "$target" 2>/dev/null || stat -f %u:%g "$target" 2>/dev/null)
	mode=$(stat -c %a "$target" 2>/dev/null || stat -f %Lp "$target" 2>/dev/null)
	[ -n "$owner" ] && chown "$owner" "$temporary" 2>/dev/null
	[ -n "$mode" ] && chmod "$mode" "$temporary" 2>/dev/null
else
	# mktemp makes private files; without a class letter chmod asks the umask.
	chmod =rw "$temporary" 2>/dev/null
fi
sync "$temporary" 2>/dev/null
said=$(mv -f "$temporary" "$target" 2>&1) || fail "$said"
trap - EXIT
emit written "$((written))"
emit stamp "$(stamp_of "$target")"
emit created "$created"
done_
`;
