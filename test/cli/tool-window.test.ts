/** How many tools a model sees at once depends on how much it can hold, which is known by its name. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openToolbox } from "../../lib/cli/runtime/open-tools.ts";
import { openSettings } from "../../lib/cli/runtime/settings.ts";
import { openToolList } from "../../lib/cli/runtime/tool-list.ts";
import { cliInProcess } from "../support/command-line.ts";
import { faultyServer } from "../support/mcp-servers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

test("openToolList() puts the tools of a server behind the search for a model with a small window, and shows them to others", async () => {
	using home = temporaryFolder();
	const file = join(home.path, "tools.json");
	const tools = Array.from({ length: 20 }, (_, index) => ({
		name: `tool_${index}`,
		description: `Does what number ${index} of many does. `.repeat(8),
		inputSchema: { type: "object" },
	}));
	writeFileSync(file, JSON.stringify(tools));
	mkdirSync(join(home.path, ".hermes"));
	const servers = { s: faultyServer("", { env: { TOOLS_FILE: file } }) };
	writeFileSync(join(home.path, ".hermes/config.yaml"), JSON.stringify({ mcp_servers: servers }));
	const { cli } = cliInProcess(home.path);
	const config = await openSettings(cli, {});
	await using toolbox = await openToolbox(cli, config);
	const searches = async (model: string) => {
		const options = { config, choice: { platform: "cli" }, providerId: "openrouter", model, onWarning() {} };
		const { assembly } = await openToolList(cli, toolbox, options);
		const names = assembly.definitions.map(({ name }) => name);
		return { search: names.includes("tool_search"), shown: names.filter((name) => /tool_\d+$/.test(name)).length };
	};
	// 8,191 tokens, a million, and nobody knows.
	expect([await searches("openai/gpt-4"), await searches("anthropic/claude-sonnet-4.6"), await searches("m")]).toEqual([
		{ search: true, shown: 0 },
		{ search: false, shown: 20 },
		{ search: false, shown: 20 },
	]);
});
