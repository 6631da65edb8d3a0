/** The conformance suite of MCP against the modules that serve our tools. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { silentLogger } from "../../../lib/log/logger.ts";
import { serveHttp } from "../../../lib/serve/mcp/http/serve-http.ts";
import { fixture } from "../../support/mcp-fixture-tools.ts";
import { runProgram } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const suite = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const baseline = join(import.meta.dir, "conformance-baseline.yaml");

/** What the rest of the suite is about is not served. */
const passing = [
	...["server-initialize", "ping", "logging-set-level", "tools-list", "tools-call-simple-text", "tools-call-image"],
	...["tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content", "tools-call-with-logging"],
	...["tools-call-error", "tools-call-with-progress", "tools-call-sampling", "tools-call-elicitation"],
	...["elicitation-sep1034-defaults", "elicitation-sep1330-enums", "json-schema-2020-12"],
	...["resources-list", "resources-read-text", "resources-read-binary", "resources-templates-read"],
	...["server-sse-multiple-streams", "dns-rebinding-protection"],
];

test("every scenario of a server of tools passes, and no other does", async () => {
	using folder = temporaryFolder();
	await using server = serveHttp({ served: fixture, log: silentLogger, port: 0, key: undefined, mostClients: 100 });
	const command = [process.execPath, suite, "server", "--url", server.url, "--suite", "all"];
	const env = { PATH: process.env.PATH ?? "", HOME: folder.path, NO_COLOR: "1" };
	const ran = await runProgram([...command, "--expected-failures", baseline], { cwd: folder.path, env });
	const { exitCode, stdout, stderr } = ran;
	const passed = [...stdout.matchAll(/^✓ ([a-z0-9-]+): [1-9]\d* passed, 0 failed/gm)].map(([, name]) => name);
	expect({ exitCode, stderr, passed: passed.sort() }).toEqual({ exitCode: 0, stderr: "", passed: passing.sort() });
}, 120_000);
