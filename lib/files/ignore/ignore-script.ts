/** The script that reads ignore files. */

/** Bytes of one ignore file that are read. */
const mostBytes = 65_536;

/**
 * Folders on standard input, one a line; an empty line is none. For folder N, from 1: `N.git` when a repository begins
 * there, `N.gitignore`, `N.ignore` and `N.exclude` with what these files say.
 */
export const ignoreFilesScript = `
tell() { [ -f "$2" ] && [ -r "$2" ] && { begin "$1"; head -c ${mostBytes} < "$2"; end; }; }
n=0
while IFS= read -r folder; do
	n=$((n + 1))
	case $folder in '') continue ;; /) folder= ;; esac
	[ -e "$folder/.git" ] && { emit "$n.git" 1; tell "$n.exclude" "$folder/.git/info/exclude"; }
	tell "$n.gitignore" "$folder/.gitignore"
	tell "$n.ignore" "$folder/.ignore"
done
done_
`;
