/** The scripts of a patch over several files: one looks at all of them, one changes all of them. */

import { journalScript } from "./journal-script.ts";

/** `LIMIT PATH…`: what is at every path, with its content up to LIMIT bytes. Keys begin with the number of the path, from 1. */
export const inspectAllScript = `${journalScript}
recover
limit=$1; shift
emit home "$HOME"
emit hermes_home "\${HERMES_HOME:-$HOME/.hermes}"
number=0
for asked in "$@"; do
	number=$((number + 1))
	expand "$asked"
	[ -L "$path" ] && emit "$number.link" 1
	resolve "$path" || { emit "$number.kind" "$dead_end"; emit "$number.path" "$path"; continue; }
	emit "$number.path" "$resolved"
	if [ -d "$resolved" ]; then kind=folder
	elif [ -f "$resolved" ]; then kind=file
	elif [ -e "$resolved" ]; then kind=other
	else kind=missing
	fi
	emit "$number.kind" "$kind"
	[ "$kind" = file ] || continue
	[ -r "$resolved" ] || { emit "$number.unreadable" 1; continue; }
	[ -w "$resolved" ] || emit "$number.unwritable" 1
	emit "$number.stamp" "$(stamp_of "$resolved")"
	size=$(wc -c < "$resolved")
	emit "$number.size" "$size"
	emit "$number.sum" "$(cksum < "$resolved")"
	[ "$size" -le "$limit" ] || continue
	begin "$number.content"; base64 < "$resolved"; end
done
done_
`;

/**
 * `ID`, then `KIND PATH SUM SIZE FROM` for every step, the contents of the puts one after the other on standard input. KIND is
 * put or drop; a put with SIZE - copies FROM. FROM is also the file whose mode and owner the new one gets. Drops come last.
 * All files are made ready first; the change then counts as made, and a step that fails takes all of them back.
 */
export const commitScript = `${journalScript}
recover
id=$1; shift
( umask 077; mkdir -p "$journals" ) 2>/dev/null && [ -w "$journals" ] || { journals=$spare_journals; ( umask 077; mkdir -p "$journals" ) 2>/dev/null; }
journal=$journals/$id
[ -O "$journals" ] && ( umask 077; mkdir "$journal" ) 2>/dev/null || { emit failed "the journal $journal cannot be made"; done_; }
echo $$ > "$journal/pid"
give_up() { clean_up "$journal"; emit failed "$1"; done_; }
trap 'clean_up "$journal"; exit 129' HUP; trap 'clean_up "$journal"; exit 130' INT; trap 'clean_up "$journal"; exit 143' TERM
said=$( { cat > "$journal/all"; } 2>&1) || give_up "$said"

first_missing() {
	missing=$1
	while [ ! -d "\${missing%/*}" ] && [ "\${missing%/*}" != "" ]; do missing=\${missing%/*}; done
}

make_ready() {
	folder=\${path%/*}; folder=\${folder:-/}
	if [ ! -d "$folder" ]; then
		first_missing "$folder"
		printf %s "$missing" > "$journal/$n.made" || give_up "the journal cannot be written"
		said=$(mkdir -p "$folder" 2>&1) || give_up "$said"
	fi
	[ -w "$folder" ] || give_up "no file can be made in $folder: permission denied"
	temporary=\${folder%/}/.hermes-tmp.$id.$n
	printf %s "$temporary" > "$journal/$n.temp" || give_up "the journal cannot be written"
	if [ "$size" = - ]; then said=$(cp -p "$from" "$temporary" 2>&1) || give_up "$said"
	else
		said=$( { (umask 077; tail -c "+$((offset + 1))" "$journal/all" | head -c "$size" > "$temporary"); } 2>&1) || give_up "$said"
		offset=$((offset + size))
		written=$(wc -c < "$temporary" 2>/dev/null)
		[ "\${written:-0}" -eq "$size" ] || give_up "only $((\${written:-0})) of $size bytes for $path could be written"
	fi
	if [ -e "$from" ]; then
		owner=$(stat -c %u:%g "$from" 2>/dev/null || stat -f %u:%g "$from" 2>/dev/null)
		mode=$(stat -c %a "$from" 2>/dev/null || stat -f %Lp "$from" 2>/dev/null)
		[ -n "$owner" ] && chown "$owner" "$temporary" 2>/dev/null
		[ -n "$mode" ] && chmod "$mode" "$temporary" 2>/dev/null
	else
		chmod =rw "$temporary" 2>/dev/null
	fi
	sync "$temporary" 2>/dev/null
}

keep_old() {
	[ -f "$path" ] || return 0
	ln "$path" "$journal/$n.old" 2>/dev/null || said=$(cp -p "$path" "$journal/$n.old" 2>&1) || give_up "$said"
}

n=0; offset=0; changed=
while [ $# -gt 0 ]; do
	kind=$1; path=$2; was=$3; size=$4; from=$5; shift 5
	n=$((n + 1))
	case $path in /*) ;; *) give_up "$path is no absolute path" ;; esac
	sum_of "$path"
	[ "$sum" = "$was" ] || { [ "$was" = "" ] && [ -e "$path" ] && give_up "$path exists"; clean_up "$journal"; emit changed "$path"; done_; }
	printf %s "$path" > "$journal/$n.path" && printf %s "$was" > "$journal/$n.sum" && printf %s "$kind" > "$journal/$n.kind" || give_up "the journal cannot be written"
	: > "$journal/$n.temp" || give_up "the journal cannot be written"
	[ "$kind" = put ] && make_ready
	keep_old
done
rm -f "$journal/all"
trap '' HUP INT TERM
: > "$journal/commit" || give_up "the journal cannot be written"
sync "$journal" "$journal/commit" 2>/dev/null

steps_of "$journal"; last=$total; n=0
while [ "$n" -lt "$last" ]; do
	n=$((n + 1))
	said=$(carry_out "$journal" "$n" strict 2>&1) && continue
	: > "$journal/undo"
	if settle "$journal"; then emit rolled_back 1; else emit inconsistent "$journal"; fi
	emit failed "\${said:-it changed meanwhile}"
	done_
done
n=0
while [ "$n" -lt "$last" ]; do n=$((n + 1)); get "$journal/$n.path" && emit "$n.stamp" "$(stamp_of "$value")"; done
clean_up "$journal" committed
emit written 1
done_
`;
