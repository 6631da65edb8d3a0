/** The conformance suite of MCP against our logins. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { runProgram } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

// The suite starts its own servers, and a client for each.
setDefaultTimeout(120_000);

const suite = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const client = join(import.meta.dir, "../../support/mcp-conformance/auth-client.ts");

async function run(...which: string[]) {
	using folder = temporaryFolder();
	const command = `${process.execPath} ${client}`;
	const { exitCode, stdout, stderr } = await runProgram(
		[process.execPath, suite, "client", "--command", command, ...which, "--timeout", "90000", "-o", folder.path],
		{ cwd: folder.path, env: { PATH: process.env.PATH ?? "", HOME: folder.path, NO_COLOR: "1" } },
	);
	return { exitCode, said: stdout + stderr };
}

test("the client passes the suite of logins", async () => {
	const { exitCode, said } = await run("--suite", "auth");
	const passed = [...said.matchAll(/^✓ (auth\/\S+): [1-9]\d* passed, 0 failed$/gm)].map(([, name]) => name);
	expect({ exitCode, passed: passed.length, total: said.match(/^Total: .*$/m)?.[0] }).toEqual({
		exitCode: 0,
		passed: 14,
		total: expect.stringMatching(/^Total: [1-9]\d* passed, 0 failed, 0 warnings$/),
	});
});

test.concurrent.each([
	"2025-03-26-oauth-metadata-backcompat",
	"2025-03-26-oauth-endpoint-fallback",
	"resource-mismatch",
	"offline-access-scope",
	"offline-access-not-supported",
])("the client passes auth/%s", async (scenario) => {
	const { exitCode, said } = await run("--scenario", `auth/${scenario}`);
	const [passed] = said.match(/^Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings$/m) ?? [];
	expect({ exitCode, passed }).toEqual({ exitCode: 0, passed: expect.any(String) });
});
