/** Changes of a YAML text that leave the rest of it alone. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ConfigInvalid } from "../../lib/config/config-invalid.ts";
import { editYaml } from "../../lib/config/edit.ts";
import { isMap } from "../../lib/config/expand.ts";
import { parseYaml } from "../../lib/config/yaml.ts";

const edit = (source: string, path: string, value: unknown) =>
	editYaml(source, { file: "config.yaml", path: path.split("."), value });

describe("editYaml()", () => {
	test.each([
		["a:   1_000   # why\nb: off\n", "a", 5, "a:   5   # why\nb: off\n"],
		["a: 'x'\n", "a", "off", 'a: "off"\n'],
		["a: x\n", "a", "y: # z", 'a: "y: # z"\n'],
		["a: x\n", "a", "two\nlines", 'a: "two\\nlines"\n'],
		["a: # empty\nb: 1\n", "a", 1, "a: 1 # empty\nb: 1\n"],
		["a:\n    b: 1 # one\n\nc: 2\n", "a.d", true, "a:\n    b: 1 # one\n    d: true\n\nc: 2\n"],
		["a:\n  b:\n    c: |\n      text\nd: 2\n", "a.b.e", 1, "a:\n  b:\n    c: |\n      text\n    e: 1\nd: 2\n"],
		["a: {b: 1} # flow\n", "a.c.d", 2, "a: {b: 1, c: {d: 2}} # flow\n"],
		["a: {}\n", "a.b", 2, "a: {b: 2}\n"],
		["a:\nb: 1\n", "a.c", 2, "a:\n  c: 2\nb: 1\n"],
		["a: ~ # none\nb: 1\n", "a.c", 2, "a:  # none\n  c: 2\nb: 1\n"],
		["a: 1\n# the end\n", "b.c", 2, "a: 1\n# the end\nb:\n  c: 2\n"],
		["a: 1", "b", 2, "a: 1\nb: 2\n"],
		["# only a comment\n", "b", 2, "# only a comment\nb: 2\n"],
		["", "b", [], "b: []\n"],
		["a: 1\r\nb: 2\r\n", "c", 3, "a: 1\r\nb: 2\r\nc: 3\r\n"],
		["a:\n- x\n- y # why\nb: 1\n", "a", ["z"], "a:\n  [z]\nb: 1\n"],
		["a: [x, y]\nb: 1\n", "a", { c: 1 }, "a: {c: 1}\nb: 1\n"],
		["a: 1\n", "a", 1, "a: 1\n"],
	])("editYaml() of %j sets %p to %j", async (...[source, path, value, changed]) => {
		expect(await edit(source, path, value)).toBe(changed);
	});

	test("editYaml() gives a key of its own to what was an alias", async () => {
		const changed = await edit("a: &x {b: 1}\nc: *x\n", "c", 2);
		expect((await parseYaml("f", changed)).content).toEqual({ a: { b: 1 }, c: 2 });
	});

	test.each([
		["a: [1\n", "a", 1],
		["- a\n", "a", 1],
		["a: &x {b: 1}\nc: *x\n", "a.b", 2],
		["a: 1\n", "a.b", 2],
	])("editYaml() refuses %j rather than change something else", async (source, path, value) => {
		const before = await edit(source, path, value).catch((error: unknown) => error);
		if (typeof before === "string") {
			const { content } = await parseYaml("f", before);
			expect(content).toEqual({ a: { b: 2 } });
		} else expect(before).toBeInstanceOf(ConfigInvalid);
	});

	test("editYaml() of any file sets the value, keeps every other one, and every comment in its order", async () => {
		await fc.assert(
			fc.asyncProperty(yamlFiles, fc.array(edits, { minLength: 1, maxLength: 3 }), async (source, changes) => {
				let text = source;
				for (const { path, value } of changes) {
					const before = (await parseYaml("f", text)).content ?? {};
					if (!isMap(before) || isThroughValue(before, path)) continue;
					text = await editYaml(text, { file: "f", path, value });
					expect((await parseYaml("f", text)).content).toEqual(withValue(before, path, value));
				}
				expect(comments(text)).toEqual(comments(source));
			}),
			{ numRuns: 200 },
		);
	}, 30_000);
});

const names = fc.constantFrom("alpha", "beta", "gamma", "delta");
const scalars = fc.oneof(
	fc.integer(),
	fc.boolean(),
	fc.constant(null),
	fc
		.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })
		.map((number) => Math.round(number * 8) / 8 + 0),
	fc.string(),
	fc.constantFrom(
		"off",
		"yes",
		"012",
		"1_000",
		"y",
		"~",
		"# no",
		"a: b",
		"- x",
		" ",
		"multi\nline",
		"{",
		"*a",
		"&a",
		"!x",
		"%",
	),
);
const edits = fc.record({
	path: fc.array(names, { minLength: 1, maxLength: 3 }),
	value: fc.oneof(scalars, fc.array(scalars, { maxLength: 3 })),
});

/** How a person writes files: comments everywhere, uneven spaces, flow maps, quotes, empty values. */
const written = fc.constantFrom(
	"1",
	"'it''s'",
	'"q # q"',
	"plain text",
	"off",
	"1_000",
	"",
	"~",
	"{x: 1, y: [2, 3]}",
	"[]",
	"0x1F",
	"  spaced   ",
);
const remark = fc.constantFrom("", "", " # remark", "    # far # away");
const fields = fc.array(fc.tuple(written, remark), { minLength: 4, maxLength: 4 });

interface Block {
	readonly indent: number;
	readonly fields: readonly (readonly [string, string])[];
	readonly count: number;
	readonly lead: string;
	readonly inner: number | undefined;
}

const block = fc.record<Block>({
	indent: fc.integer({ min: 1, max: 5 }),
	fields,
	count: fc.integer({ min: 1, max: 4 }),
	lead: fc.constantFrom("", "\n", "# lead\n", "\n# lead # two\n\n"),
	inner: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
});

const yamlFiles = fc.tuple(block, block, block).map(([top, middle, low]) => {
	const render = (blocks: readonly Block[], indent: number): string => {
		const [{ fields, count, lead, inner, ...own } = top, ...below] = blocks;
		return fields
			.slice(0, count)
			.map(([value, remark], index) => {
				const name = " ".repeat(indent) + ["alpha", "beta", "gamma", "delta"][index];
				const head = index % 2 === 0 ? lead.replace(/(?<=^|\n)(?=#)/g, " ".repeat(indent)) : "";
				const isNested = inner === index && below.length > 0;
				return isNested
					? `${head}${name}:${remark}\n${render(below, indent + own.indent)}`
					: `${head}${name}: ${value}${remark}\n`;
			})
			.join("");
	};
	return `# head\n${render([top, middle, low], 0)}# tail\n`;
});

/** Comments by their own words, which no value contains. */
function comments(source: string): string[] {
	return [...source.matchAll(/# (?:remark|far # away|lead # two|lead|head|tail)/g)].map(([comment]) => comment);
}

/** Setting a key below a value that is no map is refused; that is another test. */
function isThroughValue(content: Readonly<Record<string, unknown>>, path: readonly string[]): boolean {
	let inside: unknown = content;
	for (const name of path.slice(0, -1)) {
		if (!isMap(inside)) return inside !== null && inside !== undefined;
		inside = inside[name];
	}
	if (!isMap(inside)) return inside !== null && inside !== undefined;
	// A map with comments inside it that is replaced takes them along.
	return isMap(inside[path.at(-1) ?? ""]);
}

function withValue(
	content: Readonly<Record<string, unknown>>,
	[name = "", ...rest]: readonly string[],
	value: unknown,
): unknown {
	const below = content[name];
	return { ...content, [name]: rest.length === 0 ? value : withValue(isMap(below) ? below : {}, rest, value) };
}
