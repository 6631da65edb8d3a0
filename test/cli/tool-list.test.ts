/** The tools of a session that runs while its user changes the settings. */

import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommandLine } from "../../lib/cli/command-line/run-command-line.ts";
import { openToolbox } from "../../lib/cli/runtime/open-tools.ts";
import { openSettings } from "../../lib/cli/runtime/settings.ts";
import { chooseToolsets } from "../../lib/cli/runtime/tool-choice.ts";
import { openToolList } from "../../lib/cli/runtime/tool-list.ts";
import { cliInProcess, runInProcess } from "../support/command-line.ts";
import { faultyServer } from "../support/mcp-servers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { bareContext } from "../support/tools.ts";
import { writePlugin } from "../support/user-plugin.ts";

/** A session's list in `home`, with what it warned of. */
async function openList(home: string, platform = "cli") {
	const { cli } = cliInProcess(home);
	const config = await openSettings(cli, {});
	const toolbox = await openToolbox(cli, config);
	const warnings: string[] = [];
	const list = await openToolList(cli, toolbox, {
		config,
		choice: { platform },
		providerId: "custom",
		model: "m",
		onWarning: (text) => void warnings.push(text),
	});
	const names = () => [...list.assembly.names];
	return { list, names, toolbox, warnings, [Symbol.asyncDispose]: () => toolbox[Symbol.asyncDispose]() };
}

const fileTools = ["patch", "read_file", "search_files", "write_file"];

describe("openToolList()", () => {
	test("a running session sees hermes tools disable and enable at its next turn", async () => {
		using home = temporaryFolder();
		await using session = await openList(home.path);
		const all = session.names();
		expect(all).toEqual(expect.arrayContaining(fileTools));
		await runInProcess(["tools", "disable", "file"], home.path);
		expect(session.names()).toEqual(all);
		await session.list.refresh("m");
		expect(session.names()).toEqual(all.filter((name) => !fileTools.includes(name)));
		await runInProcess(["tools", "enable", "file"], home.path);
		await session.list.refresh("m");
		expect({ names: session.names(), warnings: session.warnings }).toEqual({ names: all, warnings: [] });
	});

	test("R116: a running session has the tools that a server added at its next turn, and not before", async () => {
		using home = temporaryFolder();
		const file = join(home.path, "tools.json");
		const tools = (...names: string[]) =>
			writeFileSync(file, JSON.stringify(names.map((name) => ({ name, inputSchema: { type: "object" } }))));
		tools("change");
		mkdirSync(join(home.path, ".hermes"));
		const servers = { s: faultyServer("", { env: { TOOLS_FILE: file } }) };
		writeFileSync(join(home.path, ".hermes", "config.yaml"), JSON.stringify({ mcp_servers: servers }));
		await using session = await openList(home.path);
		const mine = () => session.names().filter((name) => name.startsWith("mcp_"));
		expect(mine()).toEqual(["mcp_s_change"]);
		const tool = session.toolbox.registry.get("mcp_s_change");
		tools("change", "more");
		await tool?.run({}, bareContext);
		while (session.toolbox.registry.get("mcp_s_more") === undefined) await Bun.sleep(5);
		expect(mine()).toEqual(["mcp_s_change"]);
		await session.list.refresh("m");
		expect(mine()).toEqual(["mcp_s_change", "mcp_s_more"]);
	}, 60_000);

	test("a running session has a server that was added at its next turn, and loses one that was removed", async () => {
		using home = temporaryFolder();
		mkdirSync(join(home.path, ".hermes"));
		await using session = await openList(home.path);
		const mine = () => session.names().filter((name) => name.startsWith("mcp_"));
		const { command, args } = faultyServer("");
		await runInProcess(["mcp", "add", "s", command, ...args], home.path);
		await session.list.refresh("m");
		expect(mine()).toHaveLength(8);
		expect(session.toolbox.servers()).toMatchObject([{ name: "s", state: "connected" }]);
		await runInProcess(["mcp", "remove", "s"], home.path);
		await session.list.refresh("m");
		expect({ mine: mine(), servers: session.toolbox.servers(), warnings: session.warnings }).toEqual({
			mine: [],
			servers: [],
			warnings: [],
		});
	}, 60_000);

	test("settings that got broken while it runs leave the list as it was, and are warned about", async () => {
		using home = temporaryFolder();
		mkdirSync(join(home.path, ".hermes"));
		await using session = await openList(home.path);
		const all = session.names();
		for (const config of ["agent: [", "agent: {disabled_toolsets: [termnal]}"]) {
			writeFileSync(join(home.path, ".hermes", "config.yaml"), config);
			await session.list.refresh("m");
		}
		expect(session.names()).toEqual(all);
		expect(session.warnings).toEqual([
			expect.stringContaining("the tools stay as they were: Cannot read"),
			expect.stringContaining('did you mean "terminal"?'),
		]);
	});

	test("a plug-in that the user enabled is part of every list but those that strangers can write to", async () => {
		using home = temporaryFolder();
		writePlugin(join(home.path, ".hermes"), "greeter", {
			manifest: { tools: [{ name: "greet", description: "Greets" }] },
			module: "",
		});
		await runInProcess(["plugins", "enable", "greeter"], home.path);
		await using own = await openList(home.path);
		await using chat = await openList(home.path, "telegram");
		await using webhook = await openList(home.path, "webhook");
		expect([own, chat, webhook].map((session) => session.names().includes("greet"))).toEqual([true, true, false]);
		expect(webhook.names()).toEqual(["clarify", "web_extract"]);
	});

	test("toolsets of the configuration are those of the command line; another platform has its own list", async () => {
		using home = temporaryFolder();
		mkdirSync(join(home.path, ".hermes"));
		writeFileSync(
			join(home.path, ".hermes", "config.yaml"),
			'toolsets: [terminal]\nplatform_toolsets:\n  telegram: [hermes-telegram, "!terminal"]\n',
		);
		await using own = await openList(home.path);
		await using telegram = await openList(home.path, "telegram");
		await using slack = await openList(home.path, "slack");
		const isTerminal = (name: string) => ["terminal", "process"].includes(name);
		const onSlack = slack.names();
		expect([own.names(), telegram.names()]).toEqual([
			onSlack.filter(isTerminal),
			onSlack.filter((name) => !isTerminal(name)),
		]);
	});
});

describe("chooseToolsets()", () => {
	test("the set of a configured server is a right name while it is empty, by both its names", async () => {
		using home = temporaryFolder();
		mkdirSync(join(home.path, ".hermes"));
		writeFileSync(
			join(home.path, ".hermes", "config.yaml"),
			"mcp_servers: {github: {command: x}}\ntoolsets: [file, mcp-github]\nagent: {disabled_toolsets: [github]}\n",
		);
		await using session = await openList(home.path);
		expect(session.names()).toEqual(["patch", "read_file", "search_files", "write_file"]);
	});

	test("a worker of the board can always hand its task back", async () => {
		using home = temporaryFolder();
		const { cli } = cliInProcess(home.path, { HERMES_KANBAN_TASK: "7" });
		const config = await openSettings(cli, {});
		await using toolbox = await openToolbox(cli, config);
		const chosen = chooseToolsets(toolbox.registry, config, { platform: "cli", toolsets: ["file"] });
		expect(chosen).toEqual({ enabled: ["file", "kanban"], disabled: [], warnings: [] });
	});
});

describe("hermes tools list", () => {
	test("hermes tools list --json shows a tool whose module cannot be loaded, and why; every other works", async () => {
		using home = temporaryFolder();
		const { cli, stdout, stderr } = cliInProcess(home.path);
		const broken = { ...cli.plugins.tools, "send-message": () => Promise.reject(new Error('Cannot find package "x"')) };
		await runCommandLine(["tools", "list", "--json"], { ...cli, plugins: { ...cli.plugins, tools: broken } });
		const rows = JSON.parse(stdout.text()) as { name: string; available: boolean }[];
		expect(rows.filter(({ name }) => name === "send_message")).toEqual([
			{
				name: "send_message",
				toolset: "messaging",
				description: "",
				available: false,
				enabled: false,
				reason: 'Cannot find package "x"',
			} as never,
		]);
		expect({ others: rows.length - 1, stderr: stderr.text() }).toEqual({
			others: Object.keys(cli.plugins.tools).length,
			stderr: 'hermes: Cannot load tool "send-message": Cannot find package "x"\n',
		});
	});
});
