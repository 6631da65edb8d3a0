/** How changes of several files become one: a journal in the sandbox, which the next start finishes or rolls back. */

/**
 * Shell functions. A journal is a folder: `pid` of its writer, and for step N the files `N.kind` (put or drop), `N.path`,
 * `N.sum` (checksum of what is there before; empty for nothing), `N.temp` (where a put is ready, beside its target) and
 * `N.old` (what was there). Once `commit` exists the change counts as made and is only carried on; before, nothing was touched.
 * With `undo` it is taken back. A folder `….done` is one that nothing is left to do for. Every function can be killed at any point and run again.
 */
export const journalScript = `
journals=\${HERMES_HOME:-$HOME/.hermes}/patches
spare_journals=\${TMPDIR:-/tmp}/hermes-patches-$(id -u)

# What a file of the journal says. A file that cannot be read is not an empty one.
get() { value=$(cat "$1" 2>/dev/null && printf x) || return 1; value=\${value%x}; }
sum_of() { sum=; [ -f "$1" ] && sum=$(cksum < "$1" 2>/dev/null); }

steps_of() { total=0; while [ -f "$1/$((total + 1)).kind" ]; do total=$((total + 1)); done; }

read_step() {
	get "$1.path" && path=$value && get "$1.temp" && temporary=$value && get "$1.kind" && kind=$value
}

# Puts the step into effect unless it already is, or somebody else has changed the file since.
carry_out() {
	read_step "$1/$2" && get "$1/$2.sum" || return 1
	was=$value
	sum_of "$path"
	if [ "$kind" = drop ]; then
		[ "$sum" != "$was" ] || rm -f "$path"
		return
	fi
	[ -f "$temporary" ] || return 0
	[ ! -d "$path" ] || return 1
	if [ "$sum" = "$was" ]; then mv -f "$temporary" "$path"
	elif [ "$3" = strict ]; then return 1
	else rm -f "$temporary"
	fi
}

# Undoes what was carried out and nothing else: a put has lost its temporary file, a drop its target.
take_back() {
	read_step "$1/$2" || return 1
	if [ "$kind" = put ]; then
		[ ! -f "$temporary" ] || { rm -f "$temporary"; return 0; }
		[ -f "$1/$2.old" ] || { rm -f "$path"; return; }
	else
		[ ! -e "$path" ] || return 0
		temporary=\${path%/*}/.hermes-tmp.\${1##*/}.$2
	fi
	cmp -s "$1/$2.old" "$path" && return 0
	# A link takes no room, which may be what there is none of.
	ln "$1/$2.old" "$temporary.old" 2>/dev/null || cp -p "$1/$2.old" "$temporary.old" || return 1
	mv -f "$temporary.old" "$path"
}

# The journal goes last: as long as it is there, the next start can go on.
clean_up() {
	steps_of "$1"; n=0
	while [ "$n" -lt "$total" ]; do
		n=$((n + 1))
		get "$1/$n.temp" || continue
		[ "$value" = "" ] || rm -f "$value" "$value.old" || return 1
		[ "$2" != committed ] && [ -f "$1/$n.made" ] && undo_folders "$1/$n"
	done
	# Without its name it says nothing any more: one that was removed in part must not be carried out again.
	if mv "$1" "$1.done" 2>/dev/null; then rm -rf "$1.done"; else rm -rf "$1"; fi
}

# Removes the folders that were made for a file, the innermost first, as long as they are empty.
undo_folders() {
	get "$1.made" || return 0
	made=$value; get "$1.path" || return 0
	folder=\${value%/*}
	while case $folder in "$made" | "$made"/*) true ;; *) false ;; esac; do
		rmdir "$folder" 2>/dev/null || return 0
		folder=\${folder%/*}
	done
}

recover() {
	for journal in "$journals"/*/ "$spare_journals"/*/; do
		journal=\${journal%/}
		[ -d "$journal" ] && [ -O "$journal" ] || continue
		case $journal in *.done) rm -rf "$journal"; continue ;; esac
		writer=$(cat "$journal/pid" 2>/dev/null)
		[ "$writer" != "" ] && kill -0 "$writer" 2>/dev/null && continue
		# Whoever renames it has it.
		claimed=\${journal%.of.*}.of.$$
		[ "$claimed" = "$journal" ] || mv "$journal" "$claimed" 2>/dev/null || continue
		echo $$ > "$claimed/pid"
		settle "$claimed"
	done
}

settle() {
	steps_of "$1"; n=0; outcome=; whole=1
	if [ -f "$1/undo" ]; then
		while [ "$n" -lt "$total" ]; do n=$((n + 1)); take_back "$1" "$n" || whole=; done
	elif [ -f "$1/commit" ]; then
		outcome=committed
		while [ "$n" -lt "$total" ]; do n=$((n + 1)); carry_out "$1" "$n" lenient || whole=; done
	fi
	[ "$whole" = 1 ] || return 1
	clean_up "$1" "$outcome"
}
`;
