/** Finds the files in which a project tells agents about itself, wherever the session's shell is. */

import type { FilePlace } from "../../files/place.ts";
import { bytesField, runScript } from "../../files/run-script.ts";

/** One file as it was found. */
export interface ContextFile {
	/** As the prompt names it: relative to the folder, or absolute for one above it. */
	readonly name: string;
	readonly text: string;
}

/** More bytes of a file than can ever be shown. */
const mostBytes = 256 * 1024;
const answerBytes = 4 * 1024 * 1024;
const timeoutSeconds = 10;

/**
 * `FOLDER BYTES`: the first kind of file that there is. A file of our own counts from the folder up to the top of its repository;
 * outside of a repository, and for all others, it is the folder itself: what lies in a home or in /tmp is about something else.
 */
const script = `
cd -- "$1" 2>/dev/null || done_
here=$(pwd -P)
show() {
	[ -f "$1" ] && [ -r "$1" ] || return 1
	begin "$2"; head -c "$3" < "$1" | base64; end
}
top=; folder=$here
while [ -n "$folder" ]; do
	[ -e "$folder/.git" ] && { top=$folder; break; }
	[ "$folder" = "$HOME" ] && break
	folder=\${folder%/*}
done
folder=$here
while :; do
	for name in .hermes.md HERMES.md; do
		shown=$name; [ "$folder" = "$here" ] || shown=$folder/$name
		show "$folder/$name" "$shown" "$2" && done_
	done
	[ -n "$top" ] && [ "$folder" != "$top" ] || break
	folder=\${folder%/*}
done
for name in AGENTS.md agents.md CLAUDE.md claude.md; do
	show "$here/$name" "$name" "$2" && done_
done
show "$here/.cursorrules" .cursorrules "$2"
for file in "$here"/.cursor/rules/*.mdc; do
	show "$file" ".cursor/rules/\${file##*/}" "$2"
done
done_
`;

/** The files of `folder`; none when it has none. @throws {BackendUnavailable | Error} When the place cannot be asked. */
export async function findContextFiles(place: FilePlace, folder: string): Promise<readonly ContextFile[]> {
	const args = [folder, String(mostBytes)];
	const { fields } = await runScript(place, { script, args, answerBytes, timeoutSeconds });
	return [...fields.keys()]
		.filter((name) => name !== "end")
		.map((name) => ({ name, text: contextText(name, bytesField(fields, name)) }));
}

/** Without the mark of UTF-8, the line ends of other systems, and the header that editors put there. */
function contextText(name: string, bytes: Uint8Array): string {
	const text = new TextDecoder().decode(bytes).replaceAll(/\r\n?/g, "\n");
	const hasHeader = name.endsWith(".mdc") || /(?:^|\/)(?:\.hermes|HERMES)\.md$/.test(name);
	return (hasHeader ? text.replace(/^---\n[\s\S]*?\n---(?:\n|$)/, "") : text).trim();
}
