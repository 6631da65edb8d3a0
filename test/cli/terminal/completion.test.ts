/** What is offered while somebody types, and what the line becomes. */

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chatCompletion } from "../../../lib/cli/terminal/completion.ts";
import { loadPiTui } from "../../../lib/cli/terminal/pi-tui.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const pi = await loadPiTui();

/** The line after the first offer was taken; undefined when there is none. `|` is where the cursor is. */
async function completed(root: string, line: string): Promise<string | undefined> {
	const completion = chatCompletion({ pi, commands: () => undefined, folder: () => root, home: root });
	const column = line.indexOf("|");
	const lines = [line.replace("|", "")];
	const options = { signal: new AbortController().signal, force: true };
	const offered = await completion.getSuggestions(lines, 0, column, options);
	const [item] = offered?.items ?? [];
	if (offered === null || item === undefined) return undefined;
	const { lines: after, cursorCol } = completion.applyCompletion(lines, 0, column, item, offered.prefix);
	return `${after[0]?.slice(0, cursorCol)}|${after[0]?.slice(cursorCol)}`;
}

test("chatCompletion() completes names as they must be typed: quotes for spaces, nothing that breaks the line", async () => {
	using folder = temporaryFolder();
	const root = folder.path;
	mkdirSync(join(root, "my notes/old ones"), { recursive: true });
	for (const name of ["my notes/to do.txt", "plain.txt", "日本語.md", "bro\nken", "bad\u001b[2J", 'quo"te'])
		writeFileSync(join(root, name), "");
	const cases: readonly (readonly [string, string | undefined])[] = [
		["see @pla|", "see @plain.txt |"],
		["@do.txt|", '@"my notes/to do.txt" |'],
		["@mynotes|", '@"my notes/|'],
		['@"my notes/to|', '@"my notes/to do.txt" |'],
		["@日|", "@日本語.md |"],
		["my|", '"my notes/|'],
		['cat "my notes/o|', 'cat "my notes/old ones/|'],
		["bro|", undefined],
		["bad|", undefined],
		["quo|", undefined],
		["./pl| and more", "./plain.txt| and more"],
		[`cat ${root}/pl|`, `cat ${root}/plain.txt|`],
		[`${root.slice(0, -2)}|`, `${root}/|`],
		["|", undefined],
	];
	const found: (readonly [string, string | undefined])[] = [];
	for (const [line] of cases) found.push([line, await completed(root, line)]);
	expect(found).toEqual([...cases]);
});
