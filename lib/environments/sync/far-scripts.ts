/** What is run inside a sandbox: POSIX scripts, because nothing else is there for sure. */

/** Where our own records are, below `.hermes` of the sandbox. */
export const recordsFolder = ".sync";

/** Exit codes of the scripts. */
export const farCodes = { archiveCut: 92, noList: 94 } as const;

/** A file name with a line break would be two in a list. */
const withoutBreaks = `! -path "*
*"`;

/** Size, seconds and name of every regular file below `"$@"`, one a line; GNU and busybox, then BSD. */
const listFiles = `if stat -c %s / >/dev/null 2>&1; then
find "$@" -type f ${withoutBreaks} -exec stat -c '%s %Y %n' {} +
elif stat -f %z / >/dev/null 2>&1; then
find "$@" -type f ${withoutBreaks} -exec stat -f '%z %m %N' {} +
else exit ${farCodes.noList}; fi`;

/**
 * `record top…`: what is there already. Prints, each followed by NUL: the folder, whether there is tar, the record; then the list
 * of files in the folders.
 */
export const lookScript = `exec 2>/dev/null
case $HOME in /*) ;; *) HOME=/root ;; esac
base=$HOME/.hermes record=$1
shift
tar=no
command -v tar >/dev/null 2>&1 && tar=yes
printf '%s\\0%s\\0' "$base" "$tar"
[ -d "$base" ] || exit 0
[ ! -f "$base/${recordsFolder}/$record" ] || cat "$base/${recordsFolder}/$record" || exit
printf '\\0'
cd "$base" || exit
${listFiles}
exit 0`;

/** `base`: makes a folder for an archive, and removes those that a dead run left behind a day ago. */
const makeStage = `umask 077
base=$1 stage=$1/${recordsFolder}/$2 record=$1/${recordsFolder}/$3
mkdir -p "$stage" || exit
find "$base/${recordsFolder}" -mindepth 1 -maxdepth 1 -type d -mtime +0 -exec rm -rf {} + 2>/dev/null`;

/**
 * Puts what was unpacked into place. Deleting comes before the record forgets what is deleted, and the record before the files
 * that it tells of: wherever this is cut, the next run finds out what is missing. A folder that is not there yet is moved
 * whole, so that a first time takes as many steps as there are top folders. It is moved to the folder above its place, not to
 * its place: when another run has made it meanwhile, that fails, where the other would put one into the other.
 */
const putInPlace = `[ -f "$stage/end" ] || { echo "the archive is cut"; exit ${farCodes.archiveCut}; }
trap '' HUP INT TERM
each() {
action=$1 list=$2
set --
while IFS= read -r path; do
set -- "$@" "$base/$path"
[ $# -lt 200 ] || { $action -- "$@"; set --; }
done <"$stage/$list"
[ $# -eq 0 ] || $action -- "$@"
}
each 'rm -f' deleted || exit
each rmdir emptied 2>/dev/null
if [ -f "$stage/record" ]; then mv -f "$stage/record" "$record" || exit
else cat "$stage/journal" >>"$record" || exit; fi
[ -d "$stage/new" ] || exit 0
cd "$stage/new" || exit
while IFS= read -r folder; do
[ -d "$folder" ] || continue
if [ ! -d "$base/$folder" ]; then
above=$base/$folder
refusal=$(mv -f -- "$folder" "\${above%/*}/" 2>&1) && continue
[ -d "$base/$folder" ] || { echo "$refusal"; exit 1; }
fi
set --
for file in "$folder"/* "$folder"/.[!.]* "$folder"/..?*; do
[ -f "$file" ] || continue
set -- "$@" "$file"
[ $# -lt 200 ] || { mv -f -- "$@" "$base/$folder/" || exit; set --; }
done
[ $# -eq 0 ] || mv -f -- "$@" "$base/$folder/" || exit
done <"$stage/folders"
exit 0`;

/** `base id record`: takes an archive from its input, and puts its files into place when it is whole. */
export const receiveScript = `${makeStage}
trap 'rm -rf "$stage"' EXIT
trap 'exit 1' HUP INT TERM
umask 022
{ tar -xof - -C "$stage"; } 2>&1 || exit
${putInPlace}`;

/** `base id record`: makes the folder into which the archive is unpacked. */
export const prepareScript = `${makeStage}
exit 0`;

/** `base id record`: puts files into place that were unpacked. */
export const placeScript = `base=$1 stage=$1/${recordsFolder}/$2 record=$1/${recordsFolder}/$3
trap 'rm -rf "$stage"' EXIT
${putInPlace}`;

/** `base folder…`: the files that could come back. */
export const listScript = `exec 2>/dev/null
cd "$1" || exit 0
shift
${listFiles}
exit 0`;

/** `base`: an archive of the files whose names come in. Not every busybox reads lists of names. */
export const sendScript = `exec 2>/dev/null
cd "$1" || exit
if tar -cf /dev/null -T /dev/null </dev/null >/dev/null; then exec tar -cf - -T -; fi
set --
while IFS= read -r name; do set -- "$@" "$name"; done
exec tar -cf - "$@"`;
