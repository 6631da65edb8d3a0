/** hermes mcp configure: by flags, and by a list at a terminal, with a real server. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInProcess } from "../support/command-line.ts";
import { startOnTerminal } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const files = join(import.meta.dir, "../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");

function scene() {
	const folder = temporaryFolder();
	const path = join(folder.path, ".hermes/config.yaml");
	mkdirSync(join(folder.path, ".hermes"));
	const command = JSON.stringify(process.execPath);
	writeFileSync(
		path,
		`# mine\nmcp_servers:\n  s:\n    command: ${command} # kept\n    args: [${files}, ${folder.path}]\n    tools: {resources: false}\n`,
	);
	return {
		home: folder.path,
		text: () => readFileSync(path, "utf8"),
		entry: () => (Bun.YAML.parse(readFileSync(path, "utf8")) as { mcp_servers: { s: object } }).mcp_servers.s,
		configure: (...args: string[]) => runInProcess(["mcp", "configure", "s", ...args], folder.path),
		[Symbol.dispose]: () => folder[Symbol.dispose](),
	};
}

test("hermes mcp configure takes and leaves tools, and keeps the rest of the file", async () => {
	using at = scene();
	expect(await at.configure("--include", "read_text_file,nothing")).toEqual({
		stdout: "s: the tools read_text_file, nothing\n",
		stderr: 'hermes: s has no tool "nothing"\n',
		exitCode: 0,
	});
	expect(at.entry()).toMatchObject({ tools: { resources: false, include: ["read_text_file", "nothing"] } });
	expect((await runInProcess(["mcp", "test", "s"], at.home)).stdout).toBe(
		's: 1 tool\n  read_text_file\n  tools.include names "nothing", and the server has no such tool\n',
	);
	expect((await at.configure("--exclude", "write_file", "--disable")).stdout).toBe(
		"s: all tools but write_file, disabled\n",
	);
	expect(at.entry()).toMatchObject({ enabled: false, tools: { resources: false, exclude: ["write_file"] } });
	await at.configure("--all", "--enable");
	expect(at.entry()).toMatchObject({ enabled: true, tools: { resources: false } });
	expect(at.text()).toStartWith("# mine\nmcp_servers:\n  s:\n");
	expect(at.text()).toContain("# kept");
});

test("hermes mcp configure says what is wrong", async () => {
	using at = scene();
	expect((await at.configure("--all", "--include", "x")).stderr).toContain(
		"Cannot use --include, --exclude and --all together",
	);
	expect((await at.configure()).stderr).toContain("there is no terminal; use --include, --exclude or --all");
	const { stderr, exitCode } = await runInProcess(["mcp", "configure", "none", "--all"], at.home);
	expect({ stderr, exitCode }).toEqual({
		stderr: 'hermes: Cannot configure MCP server "none": it is not in config.yaml; there is s\n',
		exitCode: 1,
	});
});

test("at a terminal the tools are picked from a list", async () => {
	using at = scene();
	const shown = JSON.parse((await runInProcess(["mcp", "test", "s", "--json"], at.home)).stdout);
	const [first = "", ...others] = shown.tools.map(({ name }: { name: string }) => name);
	await using hermes = startOnTerminal(["mcp", "configure", "s"], { home: at.home });
	await hermes.shows("Tools of s (space picks, enter ends)");
	await hermes.shows(first);
	hermes.type(" ");
	await hermes.shows("◻");
	hermes.type("\r");
	await hermes.shows("s: the tools ");
	expect(await hermes.exitCode).toBe(0);
	expect(at.entry()).toMatchObject({ tools: { resources: false, include: others } });
	expect(others).not.toContain(first);
});
