/** What is read from a clipboard by programs that answer, say too much, or nothing at all. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { closeSync, openSync, writeFileSync } from "node:fs";
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
	return { folder: folder.path, read, [Symbol.dispose]: () => folder[Symbol.dispose]() };
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
	using at = clipboard('mkfifo "$0.gate"; setsid cat "$0.gate" & sleep 99');
	expect(String(await at.read({ longestMs: 200, mostBytes: 9 }).catch((error: unknown) => error))).toContain(
		"does not answer",
	);
	// The other one ends now, and not before.
	closeSync(openSync(join(at.folder, "wl-paste.gate"), "r+"));
});

test("readClipboard() takes no text that an editor would be busy with for minutes", async () => {
	using at = clipboard("head -c 2100000 /dev/zero | tr '\\0' a");
	expect(String(await at.read().catch((error: unknown) => error))).toContain("2 MB of text");
});

test("readClipboard() stops a program that says too much", async () => {
	using at = clipboard("exec head -c 3000000 /dev/zero");
	expect(String(await at.read({ longestMs: 60_000, mostBytes: 1_000_000 }).catch((error: unknown) => error))).toContain(
		"more than 20 MB",
	);
});
