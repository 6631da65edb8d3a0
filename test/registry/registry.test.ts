/** The list of tools, what is chosen from it and what a model is told. */

import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { toolDefinitions } from "../../lib/registry/definitions.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import { defineTool, type Tool, toolResult } from "../../lib/registry/tool.ts";
import { selectTools, UnknownToolset } from "../../lib/registry/toolsets.ts";

function tool(name: string, toolset: string, more: Partial<Tool> = {}): Tool {
	return {
		...defineTool({ name, toolset, description: `${name}.`, args: z.object({}), run: async () => toolResult({}) }),
		...more,
	};
}

const registry = createRegistry([tool("write_file", "file"), tool("terminal", "terminal"), tool("read_file", "file")]);
const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);

describe("createRegistry()", () => {
	test("lists tools by name and derives the toolsets from them", () => {
		expect(names(registry.list())).toEqual(["read_file", "terminal", "write_file"]);
		expect([...registry.toolsets()]).toEqual([
			["file", ["read_file", "write_file"]],
			["terminal", ["terminal"]],
		]);
	});

	test("keeps the first tool of a name, refuses the second and says why", () => {
		const first = tool("a", "one");
		const doubled = createRegistry(
			[first, tool("a", "two"), tool("bad name", "one"), tool("b", "one")],
			[{ name: "c", reason: "threw" }],
		);
		expect(doubled.get("a")).toBe(first);
		expect(names(doubled.list())).toEqual(["a", "b"]);
		expect(doubled.failures).toEqual([
			{ name: "c", reason: "threw" },
			{ name: "a", reason: 'Cannot register tool "a": toolset "one" already has that name' },
			{ name: "bad name", reason: 'Cannot register tool "bad name": the name must match ^[a-zA-Z0-9_-]{1,64}$' },
		]);
	});

	test("refuses a plug-in that is no tool", () => {
		expect(createRegistry([undefined as unknown as Tool]).failures).toEqual([
			{ name: "undefined", reason: "its default export is not a tool" },
		]);
	});
});

describe("selectTools()", () => {
	test.each([
		[undefined, ["read_file", "terminal", "write_file"]],
		[["all"], ["read_file", "terminal", "write_file"]],
		[["*"], ["read_file", "terminal", "write_file"]],
		[[], []],
		[["file"], ["read_file", "write_file"]],
		[
			["write_file", "terminal", "write_file"],
			["terminal", "write_file"],
		],
	])("of %j gives %j", (selection, expected) => {
		expect(names(selectTools(registry, selection))).toEqual(expected);
	});

	test("names the nearest for an unknown name", () => {
		expect(() => selectTools(registry, ["fle"])).toThrow(
			new UnknownToolset('Cannot select toolset "fle": no toolset and no tool has that name; did you mean "file"?'),
		);
		expect(() => selectTools(registry, ["qqqqqqqqqqqq"])).toThrow(/toolsets are file, terminal/);
	});
});

describe("toolDefinitions()", () => {
	test("leaves out what is not available, also when the check throws", async () => {
		const some = createRegistry([
			tool("a", "x", { available: async () => true }),
			tool("b", "x", { available: async () => "no key" }),
			tool("c", "x", { available: () => Promise.reject(new Error("broken")) }),
		]);
		expect(names(await toolDefinitions(some))).toEqual(["a"]);
	});

	test("makes schemas whose defaults are optional and whose integers have no bounds of zod's own", async () => {
		const args = z.object({
			path: z.string().describe("Where"),
			limit: z.int().min(1).default(5),
			size: z.int().max(9).optional(),
			mode: z.enum(["a", "b"]).default("a"),
		});
		expect(await toolDefinitions(createRegistry([tool("a", "x", { args })]))).toEqual([
			{
				name: "a",
				description: "a.",
				parameters: {
					type: "object",
					properties: {
						path: { type: "string", description: "Where" },
						limit: { type: "integer", minimum: 1, default: 5 },
						size: { type: "integer", maximum: 9 },
						mode: { type: "string", enum: ["a", "b"], default: "a" },
					},
					required: ["path"],
				},
			},
		]);
	});

	test("gives every caller an array of its own", async () => {
		const [first, second] = [await toolDefinitions(registry), await toolDefinitions(registry)];
		expect(first).not.toBe(second);
		expect(first).toEqual(second);
	});
});
