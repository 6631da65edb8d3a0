/** The list of tools, what is chosen from it and what a model is told. */

import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { createAssembler } from "../../lib/registry/definitions.ts";
import { createRegistry, type Registry } from "../../lib/registry/registry.ts";
import { defineTool, type Tool, toolResult } from "../../lib/registry/tool.ts";
import { selectTools, UnknownToolset } from "../../lib/registry/toolsets.ts";
import { processorMs } from "../support/processor-time.ts";
import { keptLog, plainTool } from "../support/tools.ts";

function tool(name: string, toolset: string, more: Partial<Tool> = {}): Tool {
	return {
		...defineTool({ name, toolset, description: `${name}.`, args: z.object({}), run: async () => toolResult({}) }),
		...more,
	};
}

const registry = createRegistry([tool("write_file", "file"), tool("terminal", "terminal"), tool("read_file", "file")]);
const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);

const definitionsOf = async (some: Registry) => (await createAssembler(some).assemble({})).definitions;

describe("createRegistry()", () => {
	test("lists tools by name and derives the toolsets from them", () => {
		expect(names(registry.list())).toEqual(["read_file", "terminal", "write_file"]);
		expect([...registry.toolsets()]).toEqual([
			["file", ["read_file", "write_file"]],
			["terminal", ["terminal"]],
		]);
	});

	test("lets thousands of tools go about as fast as they came", () => {
		const many = createRegistry([]);
		const tools = Array.from({ length: 5_000 }, (_, index) => tool(`t${index}`, "mcp-s"));
		const came = processorMs(() => tools.forEach((each) => void many.register(each)));
		const went = processorMs(() => tools.forEach(({ name }) => void many.deregister(name)));
		expect(many.list()).toEqual([]);
		// Sorting all that are left for each one that goes took ten thousand times as long.
		expect(went).toBeLessThan(100 * Math.max(came, 20));
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

describe("register()", () => {
	test("replaces within a toolset, refuses across toolsets, and says so in the log", () => {
		const { log, lines } = keptLog();
		const some = createRegistry([plainTool("a", "one")], [], { log });
		const [better, other] = [plainTool("a", "one"), plainTool("a", "two")];
		expect(some.register(better)).toBeUndefined();
		expect(some.get("a")).toBe(better);
		expect(some.register(other)).toBe('Cannot register tool "a": toolset "one" already has that name');
		expect(some.get("a")).toBe(better);
		expect(some.register(other, { override: true })).toBeUndefined();
		expect(some.get("a")).toBe(other);
		expect(lines).toEqual([
			'error Cannot register tool "a": toolset "one" already has that name',
			'info replaced tool "a" of toolset "one" by that of "two"',
		]);
	});

	test("lets one MCP server take a name from another, but not from anybody else", () => {
		const { log, lines } = keptLog();
		const some = createRegistry([plainTool("a", "mcp-one"), plainTool("b", "file")], [], { log });
		expect(some.register(plainTool("a", "mcp-two"))).toBeUndefined();
		expect(some.register(plainTool("b", "mcp-two"))).toContain('toolset "file" already has that name');
		expect(some.get("a")?.toolset).toBe("mcp-two");
		expect(lines[0]).toStartWith("debug ");
	});

	test("refuses the names of the search tools", () => {
		expect(createRegistry([]).register(plainTool("tool_call"))).toContain("belongs to the search for tools");
	});

	test("grows the generation with every change, and leaves lists that are being read alone", () => {
		const some = createRegistry([plainTool("a"), plainTool("b")]);
		const before = { list: some.list(), toolsets: some.toolsets() };
		const generations = [some.generation];
		const changes = [
			() => some.register(plainTool("c")),
			() => some.deregister("a"),
			() => some.alias("x", "y"),
			() => some.declare("mcp-z", "…"),
			() => some.declarePlatform("irc"),
		];
		for (const tool of some.list()) {
			changes.pop()?.();
			expect(tool.name).toBeString();
		}
		for (const change of changes) {
			change();
			generations.push(some.generation);
		}
		some.deregister("unknown");
		expect(generations).toEqual([...new Set(generations)].sort((a, b) => a - b));
		expect(names(before.list)).toEqual(["a", "b"]);
		expect([...before.toolsets.values()]).toEqual([["a", "b"]]);
		expect(names(some.list())).toEqual(["b", "c"]);
	});

	test("deregister() of the last tool of a set takes its aliases, unless the set is declared", () => {
		const some = createRegistry([plainTool("a", "mcp-one"), plainTool("b", "mcp-two")]);
		some.alias("one", "mcp-one");
		some.alias("two", "mcp-two");
		some.declare("mcp-two", "A server");
		some.deregister("a");
		some.deregister("b");
		expect([...some.aliases]).toEqual([["two", "mcp-two"]]);
	});

	test("alias() that changes its meaning is warned about", () => {
		const { log, lines } = keptLog();
		const some = createRegistry([], [], { log });
		some.alias("one", "mcp-one");
		some.alias("one", "mcp-one");
		some.alias("one", "mcp-two");
		expect(lines).toEqual(['warning toolset alias "one" now means "mcp-two", not "mcp-one"']);
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

describe("assemble()", () => {
	test("leaves out what is not available, also when the check throws", async () => {
		const some = createRegistry([
			tool("a", "x", { available: async () => true }),
			tool("b", "x", { available: async () => "no key" }),
			tool("c", "x", { available: () => Promise.reject(new Error("broken")) }),
		]);
		expect(names(await definitionsOf(some))).toEqual(["a"]);
	});

	test("makes schemas whose defaults are optional and whose integers have no bounds of zod's own", async () => {
		const args = z.object({
			path: z.string().describe("Where"),
			limit: z.int().min(1).default(5),
			size: z.int().max(9).optional(),
			mode: z.enum(["a", "b"]).default("a"),
		});
		expect(await definitionsOf(createRegistry([tool("a", "x", { args })]))).toEqual([
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
		const assembler = createAssembler(registry);
		const [{ definitions: first }, { definitions: second }] = [
			await assembler.assemble({}),
			await assembler.assemble({}),
		];
		expect(first).not.toBe(second);
		expect(first).toEqual(second);
	});
});
