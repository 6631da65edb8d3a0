/** What a terminal answers belongs to the chat that has asked, however soon that ends. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { keys, startOnScreen } from "../../support/terminal-screen.ts";

test("swallow() leaves no answer of the terminal to the program that reads next", async () => {
	using home = temporaryFolder();
	const asks = join(import.meta.dir, "../../support/asks-terminal.ts");
	const script = '"$0" "$1"; echo ended; read -r line; echo "read: ${#line} characters"';
	const program = ["sh", "-c", script, process.execPath, asks];
	await using shell = startOnScreen([], { home: home.path, program });
	await shell.shows("ended");
	shell.type(`typed${keys.enter}`);
	await shell.shows(/read: \d+ c/);
	expect(shell.screen()).toContain("read: 5 characters");
});
