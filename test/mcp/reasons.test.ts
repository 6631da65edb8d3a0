/** Why a server that is a process cannot be used: told by what it did, not by what we did to it. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { openMcp, quick } from "../support/mcp-servers.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const timing = { ...quick, firstRetryMs: 3_600_000 };

async function problemOf(entry: object): Promise<string | undefined> {
	await using mcp = await openMcp({ s: entry }, { timing });
	return mcp.servers.statuses()[0]?.problem;
}

const answer = (result: string) =>
	`read line; id=$(echo "$line" | grep -o '"id":[0-9]*'); echo "{\\"jsonrpc\\":\\"2.0\\",$id,${result}}"; while read line; do :; done`;

test("a server that says no is not said to have ended: we ended it", async () => {
	const script = answer('\\"error\\":{\\"code\\":-1,\\"message\\":\\"not today\\"}');
	expect(await problemOf({ command: "sh", args: ["-c", script] })).toBe("not today");
});

test("a server that never answers is late, and nothing else", async () => {
	const entry = { command: "sh", args: ["-c", "while read line; do :; done"], connect_timeout: 0.3 };
	expect(await problemOf(entry)).toBe("it was not there within 0.3 s");
});

test("a server that ends well without a word has ended", async () => {
	expect(await problemOf({ command: "true" })).toContain("it ended with exit code 0");
});

test("a program that is named with its folder and is not there is not looked for on the PATH", async () => {
	expect(await problemOf({ command: "./no-such-server", cwd: "/tmp" })).toBe(
		'Cannot start "./no-such-server": there is no such program, seen from /tmp',
	);
});
