/**
 * The program that the conformance suite of MCP tests as a client of servers behind a login: `auth-client.ts URL`. It does what a
 * user does: logs in when the server wants that, and wider when it says so, and calls every tool.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attemptAsync } from "../../../lib/base/attempt.ts";
import { silentLogger } from "../../../lib/log/logger.ts";
import { logIn } from "../../../lib/mcp/auth/log-in.ts";
import { loginFiles } from "../../../lib/mcp/auth/login-files.ts";
import { createLogins } from "../../../lib/mcp/auth/logins.ts";
import { readOAuthSettings } from "../../../lib/mcp/auth/oauth-settings.ts";
import { openServers } from "../../../lib/mcp/open-servers.ts";
import { createRegistry } from "../../../lib/registry/registry.ts";
import { bareContext } from "../tools.ts";

const url = process.argv.at(-1) ?? "";
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context: { client_id?: string; client_secret?: string } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const home = mkdtempSync(join(tmpdir(), "hermes-conformance-"));
const name = "suite";
/** A user gives up when a wider login does not help. */
const mostLogins = 3;

const oauth = {
	// Where the suite expects the description of a client that has one.
	client_metadata_url: "https://conformance-test.local/client-metadata.json",
	...(scenario === "auth/pre-registration" && context),
	timeout: 60,
};

async function login(scope?: string): Promise<void> {
	await logIn({
		url,
		settings: readOAuthSettings(name, oauth),
		scope,
		files: loginFiles(home, { name, url }),
		fetch,
		signal: AbortSignal.timeout(60_000),
		show: (page) => void fetch(page).then((response) => response.text()),
	});
}

async function callAll(): Promise<string[]> {
	const registry = createRegistry([]);
	const servers = { [name]: { url, oauth, timeout: 60, connect_timeout: 60 } };
	const options = { servers, variables: {}, registry, log: silentLogger, parts: { login: createLogins(home) } };
	await using opened = await openServers({ ...options, waitMs: 60_000 });
	const [status] = opened.statuses();
	if (status?.state !== "connected") return [status?.problem ?? "it did not connect"];
	const tools = status.tools.map((tool) => registry.get(tool.name));
	return await Promise.all(tools.map(async (tool) => String(await tool?.run({}, bareContext))));
}

try {
	for (let logins = 0; ; logins++) {
		const answers = await callAll();
		const wanted = answers.find((answer) => answer.includes("run hermes mcp login"));
		process.stdout.write(`${answers.join("\n")}\n`);
		if (wanted === undefined) break;
		if (logins === mostLogins) throw new Error("the logins did not help");
		const scope = /--scope \\*"([^"\\]+)/.exec(wanted)?.[1];
		const done = await attemptAsync(() => login(scope));
		if (!done.ok) throw new Error(done.reason);
	}
} finally {
	rmSync(home, { recursive: true, force: true });
}
