/** What a model is told of: texts, memory of lists, quarantine. */

import { describe, expect, test } from "bun:test";
import { type Assembly, createAssembler, describeTool } from "../../lib/registry/definitions.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import { plainTool, serverTool } from "../support/tools.ts";

const names = ({ definitions }: Pick<Assembly, "definitions">) => definitions.map(({ name }) => name);

describe("assemble()", () => {
	test("gives each caller a list of its own that nobody else can change (#17335)", async () => {
		const assembler = createAssembler(createRegistry([plainTool("a"), plainTool("b")]));
		const first = await assembler.assemble();
		first.definitions.push({ name: "memory", description: "", parameters: {} });
		const second = await assembler.assemble();
		expect(second.definitions).not.toBe(first.definitions);
		expect(names(second)).toEqual(["a", "b"]);
		expect(() => Object.assign(second.definitions[0] ?? {}, { name: "c" })).toThrow();
	});

	test("makes a list once, and again when the registry, the selection, the dialect or the settings change", async () => {
		let described = 0;
		const tool = plainTool("a", "x", {
			describe() {
				described++;
				return { description: `${described}` };
			},
		});
		const registry = createRegistry([tool]);
		const assembler = createAssembler(registry);
		const made = async (request: Parameters<typeof assembler.assemble>[0] = {}) => {
			const before = described;
			await assembler.assemble(request);
			return described > before;
		};
		expect(await made()).toBe(true);
		expect(await made()).toBe(false);
		expect(await made({ enabled: ["x"] })).toBe(true);
		expect(await made({ enabled: ["x"], disabled: [] })).toBe(true);
		expect(await made({ family: "gemini" })).toBe(true);
		expect(await made({ fingerprint: "config 2" })).toBe(true);
		expect(await made({ contextTokens: 8_000 })).toBe(true);
		expect(await made()).toBe(false);
		registry.declare("mcp-new", "…");
		expect(await made()).toBe(true);
	});

	test("the order of names makes no other list", async () => {
		let described = 0;
		const tool = plainTool("a", "x", {
			describe() {
				described++;
				return {};
			},
		});
		const assembler = createAssembler(createRegistry([tool]));
		await assembler.assemble({ enabled: ["file", "x"] });
		await assembler.assemble({ enabled: ["x", "file"] });
		expect(described).toBe(1);
	});

	test("keeps eight lists and forgets the one used longest ago (#19251)", async () => {
		let described = 0;
		const tool = plainTool("a", "x", {
			describe() {
				described++;
				return {};
			},
		});
		const assembler = createAssembler(createRegistry([tool]));
		const ask = (number: number) => assembler.assemble({ fingerprint: String(number) });
		for (let number = 0; number < 8; number++) await ask(number);
		await ask(0);
		await ask(8);
		expect(described).toBe(9);
		await ask(0);
		expect(described).toBe(9);
		await ask(1);
		expect(described).toBe(10);
	});

	test("lets texts depend on the tools that are really there (#560)", async () => {
		const runner = plainTool("execute_code", "code", {
			describe: ({ availableTools }) => ({ description: `Tools: ${[...availableTools].sort().join(", ")}` }),
		});
		const broken = plainTool("broken", "code", {
			describe: () => {
				throw new Error("no settings");
			},
		});
		const absent = plainTool("discord", "code", { describe: () => null });
		const odd = plainTool("odd", "code", { describe: () => "text" as never });
		const down = plainTool("web_search", "web", { available: async () => "no key" });
		const assembler = createAssembler(createRegistry([runner, broken, absent, odd, down, plainTool("terminal")]));
		const { definitions } = await assembler.assemble();
		expect(definitions.map(({ name, description }) => [name, description])).toEqual([
			["broken", "broken."],
			["execute_code", "Tools: broken, discord, execute_code, odd, terminal"],
			["odd", "odd."],
			["terminal", "terminal."],
		]);
	});

	test("takes limits from the configuration into a text (delegate_task)", async () => {
		const settings = { children: 3 };
		const tool = plainTool("delegate_task", "delegation", {
			describe: () => ({
				description: `At most ${settings.children} at a time`,
				parameters: {
					type: "object",
					properties: { tasks: { type: "array", items: {}, maxItems: settings.children } },
				},
			}),
		});
		const assembler = createAssembler(createRegistry([tool]));
		const [first] = (await assembler.assemble({ fingerprint: "1" })).definitions;
		settings.children = 5;
		const [second] = (await assembler.assemble({ fingerprint: "2" })).definitions;
		expect([first?.description, second?.description]).toEqual(["At most 3 at a time", "At most 5 at a time"]);
		expect(second?.parameters).toMatchObject({ properties: { tasks: { maxItems: 5 } } });
	});

	test.each([
		["a list where arguments belong", { type: "array" }],
		["properties that are a list", { type: "object", properties: [] }],
		["an unknown type", { type: "object", properties: { a: { type: "text" } } }],
		["a reference to nothing", { type: "object", properties: { a: { $ref: "#/$defs/nowhere" } } }],
		["a schema without end", { type: "object", properties: { a: { enum: ["x".repeat(200_000)] } } }],
		["a nest without end", nest(100)],
	])("leaves out the one tool with %s and says why", async (_, parameters) => {
		const registry = createRegistry([serverTool("bad", parameters), serverTool("good", { type: "object" })]);
		const list = await createAssembler(registry).assemble();
		expect(names(list)).toEqual(["good"]);
		expect(list.unavailable).toEqual([
			{ name: "bad", toolset: "mcp-demo", reason: expect.stringContaining("its schema cannot be used: ") },
		]);
	});

	test("names are unique and sorted, and a disabled set wins", async () => {
		const registry = createRegistry([plainTool("b", "x"), plainTool("a", "y"), plainTool("c", "y")]);
		const { definitions } = await createAssembler(registry).assemble({ enabled: ["x", "y", "a"], disabled: ["c"] });
		expect(names({ definitions })).toEqual(["a", "b"]);
	});

	test("rejects an unknown name and is none the worse for it", async () => {
		const assembler = createAssembler(createRegistry([plainTool("a")]));
		expect(assembler.assemble({ enabled: ["nothing-like-it"] })).rejects.toThrow("Cannot select toolset");
		expect(names(await assembler.assemble())).toEqual(["a"]);
	});
});

describe("describeTool()", () => {
	test("shows one tool as a model would see it", () => {
		const registry = createRegistry([plainTool("a", "x", { describe: () => ({ description: "now" }) })]);
		const [tool] = registry.list();
		expect(tool && describeTool(registry, tool)).toEqual({
			ok: true,
			value: { name: "a", description: "now", parameters: { type: "object", properties: {} } },
		});
	});
});

/** An object in an object, `depth` times. */
function nest(depth: number): Record<string, unknown> {
	let schema: Record<string, unknown> = { type: "string" };
	for (let level = 0; level < depth; level++) schema = { type: "object", properties: { a: schema } };
	return schema;
}
