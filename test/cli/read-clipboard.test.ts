/** What is read from a clipboard by programs that answer, say too much, or nothing at all. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readClipboard } from "../../lib/cli/runtime/read-clipboard.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

function clipboard(script: string) {
	const folder = temporaryFolder();
	writeFileSync(join(folder.path, "wl-paste"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	const read = (limits?: Parameters<typeof readClipboard>[1], more = {}) =>
		readClipboard({ PATH: `${folder.path}:/usr/bin:/bin`, ...more }, limits);
	return { read, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test("readClipboard() hands no secrets to programs, and what they need to find the desktop", async () => {
	using at = clipboard('echo "$OPENAI_API_KEY|$MY_PASSWORD|$WAYLAND_DISPLAY|$XAUTHORITY"');
	const desktop = { WAYLAND_DISPLAY: "wayland-0", XAUTHORITY: "/home/me/.Xauthority" };
	expect(await at.read(undefined, { ...desktop, OPENAI_API_KEY: "k", MY_PASSWORD: "p" })).toEqual({
		kind: "text",
		text: "||wayland-0|/home/me/.Xauthority\n",
	});
});

test("readClipboard() gives up on a program that does not answer, also when another one holds its output", async () => {
	using at = clipboard("setsid sleep 9 & sleep 9");
	expect(at.read({ longestMs: 50, mostBytes: 9 })).rejects.toThrow("does not answer");
});

test("readClipboard() takes no text that an editor would be busy with for minutes", async () => {
	using at = clipboard("head -c 2100000 /dev/zero | tr '\\0' a");
	expect(at.read()).rejects.toThrow("2 MB of text");
});

test("readClipboard() stops a program that says too much", async () => {
	using at = clipboard("exec yes");
	expect(at.read({ longestMs: 60_000, mostBytes: 1_000_000 })).rejects.toThrow("more than");
});
