/** Toolsets: what the table says, what bundles take away, and laws that hold for any selection. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createRandom } from "../../lib/base/random.ts";
import { distributions, drawToolsets } from "../../lib/registry/distributions.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import { coreTools, olderNames, toolsetTable } from "../../lib/registry/toolset-table.ts";
import {
	removedBy,
	resolveSelection,
	resolveToolset,
	toolsetNamed,
	toolsetNames,
	UnknownToolset,
} from "../../lib/registry/toolsets.ts";
import { plainTool } from "../support/tools.ts";

const everyTool = [...new Set([...toolsetTable.values()].flatMap(({ tools }) => tools))];
const registry = createRegistry([
	...everyTool.map((name) => plainTool(name, "built-in")),
	plainTool("ping", "mcp-demo"),
	plainTool("irc_send", "irc"),
]);
registry.alias("demo", "mcp-demo");
registry.declare("mcp-empty", "A server that is not connected");
registry.declarePlatform("irc");

describe("the table", () => {
	test("has a core of 49 tools and bundles over it", () => {
		expect({ size: coreTools.length, unique: new Set(coreTools).size }).toEqual({ size: 49, unique: 49 });
		expect(resolveToolset(registry, "hermes-cli")).toEqual([...coreTools].sort());
		expect(resolveToolset(registry, "hermes-webhook")).toEqual([
			"clarify",
			"vision_analyze",
			"web_extract",
			"web_search",
		]);
		expect(toolsetNamed(registry, "hermes-gateway")?.includes).toHaveLength(19);
	});

	test("includes only sets that exist, and a bundle holds what its platform adds", () => {
		for (const { includes = [] } of toolsetTable.values()) {
			expect(includes.filter((name) => !toolsetTable.has(name))).toEqual([]);
		}
		expect(removedBy(registry, "hermes-discord")).toEqual(["discord", "discord_admin"]);
		expect(removedBy(registry, "hermes-feishu")).toHaveLength(5);
		expect(removedBy(registry, "hermes-gateway")).toHaveLength(12);
	});
});

describe("resolveToolset()", () => {
	test.each([
		[
			"debugging",
			["patch", "process", "read_file", "search_files", "terminal", "web_extract", "web_search", "write_file"],
		],
		["mcp-demo", ["ping"]],
		["demo", ["ping"]],
		["mcp-empty", []],
		["hermes-irc", [...coreTools, "irc_send"].sort()],
		["nothing", []],
	])("of %s", (name, expected) => {
		expect(resolveToolset(registry, name)).toEqual(expected);
	});

	test("of all is everything, also what no table names", () => {
		expect(resolveToolset(registry, "all")).toEqual([...everyTool, "ping", "irc_send"].sort());
		expect(resolveToolset(registry, "*")).toEqual(resolveToolset(registry, "all"));
	});

	test("adds to a set of the table what is registered under its name, and never changes the table", () => {
		const some = createRegistry([plainTool("clip", "video")]);
		expect(resolveToolset(some, "video")).toEqual(["clip", "video_analyze"]);
		expect(toolsetTable.get("video")?.tools).toEqual(["video_analyze"]);
	});
});

describe("toolsetNames()", () => {
	test("shows the alias of a server in the place of its set", () => {
		const names = toolsetNames(registry);
		expect([names.includes("demo"), names.includes("mcp-demo"), names.includes("mcp-empty")]).toEqual([
			true,
			false,
			true,
		]);
	});
});

describe("resolveSelection()", () => {
	test("takes disabled sets away last, whatever is enabled (#17309)", () => {
		const { names } = resolveSelection(registry, { enabled: ["file", "terminal"], disabled: ["terminal"] });
		expect([...names].sort()).toEqual(["patch", "read_file", "search_files", "write_file"]);
	});

	test.each(["hermes-cli", "hermes-telegram", "hermes-gateway", "hermes-irc"])(
		"keeps the core when the bundle %s is disabled (#33924)",
		(bundle) => {
			const { names } = resolveSelection(registry, { enabled: ["hermes-cli"], disabled: [bundle] });
			expect(names).toEqual(new Set(coreTools));
		},
	);

	test("says that disabling a bundle of core tools changes nothing", () => {
		const { warnings } = resolveSelection(registry, { disabled: ["hermes-cli", "hermes-discord"] });
		expect(warnings).toEqual([expect.stringContaining('disabling "hermes-cli" changes nothing')]);
	});

	test.each([
		[{ enabled: ["termnal"] }, 'did you mean "terminal"?'],
		[{ disabled: ["termnal"] }, 'did you mean "terminal"?'],
		[{ enabled: ["hermes-telegrm"] }, 'did you mean "hermes-telegram"?'],
		[{ enabled: ["reed_file"] }, 'did you mean "read_file"?'],
		[{ enabled: ["mcp-demoo"] }, 'did you mean "mcp-demo"?'],
	])("refuses %j", (selection, advice) => {
		expect(() => resolveSelection(registry, selection)).toThrow(UnknownToolset);
		expect(() => resolveSelection(registry, selection)).toThrow(advice);
	});

	test("knows older names, single tools, and tools that this build lacks", () => {
		const empty = createRegistry([]);
		expect([
			...resolveSelection(empty, { enabled: ["terminal_tools", "x_search", "mixture_of_agents"] }).names,
		]).toEqual(["terminal", "x_search", "mixture_of_agents"]);
		expect(olderNames.get("browser_tools")).toHaveLength(10);
	});
});

describe("laws", () => {
	const name = fc.constantFrom(...toolsetNames(registry), ...everyTool, "demo", ...olderNames.keys());
	const names = fc.array(name, { maxLength: 6 });
	const resolved = (enabled: readonly string[], disabled: readonly string[] = []) =>
		resolveSelection(registry, { enabled, disabled }).names;

	test("the order and repetition of names do not matter", () => {
		fc.assert(
			fc.property(names, names, (enabled, disabled) => {
				const again = resolved([...enabled, ...enabled].reverse(), [...disabled, ...disabled].reverse());
				expect(again).toEqual(resolved(enabled, disabled));
			}),
		);
	});

	test("more names enable no fewer tools, more disabled ones leave no more", () => {
		fc.assert(
			fc.property(names, names, names, (enabled, disabled, more) => {
				const base = resolved(enabled, disabled);
				expect(resolved([...enabled, ...more], disabled).isSupersetOf(base)).toBe(true);
				expect(resolved(enabled, [...disabled, ...more]).isSubsetOf(base)).toBe(true);
			}),
		);
	});

	test("a union is what its parts are, and nothing disabled is left", () => {
		fc.assert(
			fc.property(names, names, (left, right) => {
				expect(resolved([...left, ...right])).toEqual(resolved(left).union(resolved(right)));
				const taken = right.flatMap((each) => (toolsetNamed(registry, each) ? removedBy(registry, each) : [each]));
				const kept = resolved(left, right);
				expect(taken.filter((tool) => kept.has(tool))).toEqual([]);
			}),
		);
	});

	test("disabling bundles never takes a tool of the core", () => {
		const bundle = fc.constantFrom(...toolsetNames(registry).filter((each) => each.startsWith("hermes-")));
		fc.assert(
			fc.property(fc.array(bundle), (disabled) => {
				expect(resolved(["hermes-cli"], disabled)).toEqual(new Set(coreTools));
			}),
		);
	});
});

describe("drawToolsets()", () => {
	const all = { isUsable: () => true };

	test("names only sets of the table, with chances from 0 to 100", () => {
		for (const chances of distributions.values()) {
			expect(Object.keys(chances).filter((toolset) => !toolsetTable.has(toolset))).toEqual([]);
			expect(Object.values(chances).every((percent) => percent > 0 && percent <= 100)).toBe(true);
		}
	});

	test("draws the same for the same seed, and each set as often as its chance says", () => {
		const draw = (seed: number) => drawToolsets("development", { ...all, random: createRandom(seed) });
		expect(draw(7)).toEqual(draw(7));
		const random = createRandom(1);
		const draws = Array.from({ length: 4_000 }, () => drawToolsets("development", { ...all, random }));
		const share = (toolset: string) => draws.filter((drawn) => drawn.includes(toolset)).length / draws.length;
		expect(Math.abs(share("terminal") - 0.8)).toBeLessThan(0.03);
		expect(Math.abs(share("vision") - 0.1)).toBeLessThan(0.03);
	});

	test("takes the likeliest set when chance leaves none, and skips what is not there", () => {
		const skipped: string[] = [];
		const draw = { random: () => 0.999, isUsable: (toolset: string) => toolset !== "web" };
		expect(drawToolsets("research", { ...draw, onSkipped: (toolset) => skipped.push(toolset) })).toEqual(["browser"]);
		expect(skipped).toEqual(["web"]);
		expect(drawToolsets("minimal", draw)).toEqual([]);
		expect(drawToolsets("default", { ...all, random: () => 0.999 })).toHaveLength(7);
	});

	test("names the nearest distribution", () => {
		expect(() => drawToolsets("balancd", { ...all, random: () => 0 })).toThrow('did you mean "balanced"?');
	});
});
