/** The conformance suite of MCP against our client. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// The suite starts its own servers.
setDefaultTimeout(120_000);

const suite = join(import.meta.dir, "../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const client = join(import.meta.dir, "../support/mcp-conformance/client.ts");

test.each(["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"])(
	"the client passes %s",
	async (scenario) => {
		using folder = temporaryFolder();
		const command = `${process.execPath} ${client}`;
		const { exitCode, stdout, stderr } = await runProgram(
			[process.execPath, suite, "client", "--command", command, "--scenario", scenario, "-o", folder.path],
			{ cwd: folder.path, env: { PATH: process.env.PATH ?? "", HOME: folder.path, NO_COLOR: "1" } },
		);
		const [, passed = "0", failed = ""] = /Passed: (\d+)\/\d+, (\d+) failed, 0 warnings/.exec(stdout + stderr) ?? [];
		expect({ exitCode, failed, passedNone: passed === "0" }).toEqual({ exitCode: 0, failed: "0", passedNone: false });
	},
);
