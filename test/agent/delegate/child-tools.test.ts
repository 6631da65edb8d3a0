/** No name of a toolset, alias or tool gives a child a tool that it must not have, or that its parent has not. */

import { describe, expect, test } from "bun:test";
import { blockedTools, childTools } from "../../../lib/agent/delegate/child-tools.ts";
import { loadPlugins } from "../../../lib/base/plugins.ts";
import { createRegistry, type Registry } from "../../../lib/registry/registry.ts";
import { coreTools, olderNames } from "../../../lib/registry/toolset-table.ts";
import { toolsetNames } from "../../../lib/registry/toolsets.ts";
import { tools } from "../../../lib/tools/all.ts";
import { plainTool, serverTool } from "../../support/tools.ts";

/** Every tool of the product, those that the table knows and this build may lack, and one of a server. */
async function everyTool(): Promise<Registry> {
	const { loaded, failures } = await loadPlugins(tools);
	const registry = createRegistry(loaded, failures);
	for (const name of coreTools) if (registry.get(name) === undefined) registry.register(plainTool(name, "later"));
	registry.register(serverTool("mcp__demo__look", { type: "object" }));
	registry.declare("mcp-demo", "Tools of the server demo");
	registry.alias("demo", "mcp-demo");
	return registry;
}

const registry = await everyTool();
const allNames = new Set(registry.list().map(({ name }) => name));
/** Everything that can be written into `toolsets`. */
const everyName = [
	...new Set([
		...["all", "*", "demo", "mcp-demo"],
		...toolsetNames(registry),
		...olderNames.keys(),
		...allNames,
		...registry.toolsets().keys(),
	]),
];
const leaf = { role: "leaf", inheritsServers: true } as const;

function namesFor(parent: ReadonlySet<string>, toolsets: readonly string[] | undefined) {
	return [...childTools(registry, { ...leaf, parent, toolsets }).names].sort();
}

describe("childTools()", () => {
	test("takes the six tools away by name, whatever stands in toolsets: bundles, all, aliases, servers, tools", () => {
		expect(everyName.length).toBeGreaterThan(80);
		for (const name of ["hermes-cli", "hermes-gateway", "hermes-telegram", "messaging", "coding", "all", "*", "demo"]) {
			expect(everyName).toContain(name);
		}
		const leaks = [undefined, ...everyName.map((name) => [name]), everyName].flatMap((toolsets) =>
			namesFor(allNames, toolsets).filter((name) => blockedTools.has(name)),
		);
		expect(leaks).toEqual([]);
		expect(blockedTools).toEqual(
			new Set(["delegate_task", "clarify", "memory", "send_message", "execute_code", "cronjob"]),
		);
		for (const name of blockedTools) expect(allNames).toContain(name);
	});

	test("never gives what the parent has not, whatever is asked for", () => {
		const parents = [new Set<string>(), new Set(["terminal"]), new Set(["read_file", "clarify", "memory"])];
		const excess = parents.flatMap((parent) =>
			[undefined, ...everyName.map((name) => [name])].flatMap((toolsets) =>
				namesFor(parent, toolsets).filter((name) => !parent.has(name)),
			),
		);
		expect(excess).toEqual([]);
		// The toolset of the same name has one tool more than its parent.
		expect(namesFor(new Set(["terminal", "todo"]), ["terminal"])).toEqual(["terminal"]);
	});

	test("gives an orchestrator delegate_task back and nothing else, when its parent has it", () => {
		const request = { parent: allNames, toolsets: ["hermes-cli"], inheritsServers: true } as const;
		const plain = childTools(registry, { ...request, role: "leaf" }).names;
		const more = childTools(registry, { ...request, role: "orchestrator" }).names;
		expect([...more].filter((name) => !plain.has(name))).toEqual(["delegate_task"]);
		const without = new Set([...allNames].filter((name) => name !== "delegate_task"));
		expect(childTools(registry, { ...request, parent: without, role: "orchestrator" }).names).toEqual(plain);
	});

	test("says of each toolset that came to nothing why", () => {
		const parent = new Set(["terminal", "process", "clarify"]);
		const asked = childTools(registry, { ...leaf, parent, toolsets: ["terminal", "web", "clarify", "termnal"] });
		expect(asked).toEqual({
			names: new Set(["process", "terminal"]),
			denied: [
				"web: you do not have these tools yourself",
				"clarify: a sub-agent never gets these tools",
				expect.stringMatching(/^termnal: Cannot select toolset "termnal": .*did you mean "terminal"\?$/),
			],
		});
	});

	test("tools of servers come along, unless the settings say that they must be named", () => {
		const parent = new Set(["terminal", "mcp__demo__look"]);
		const names = (toolsets: string[] | undefined, inheritsServers: boolean) =>
			[...childTools(registry, { parent, toolsets, role: "leaf", inheritsServers }).names].sort();
		expect([
			names(["terminal"], true),
			names(["terminal"], false),
			names(undefined, false),
			names(["demo"], false),
			names(["web"], true),
		]).toEqual([["mcp__demo__look", "terminal"], ["terminal"], ["terminal"], ["mcp__demo__look"], []]);
	});
});
