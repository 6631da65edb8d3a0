/** The text of .env: what is read out of it, and what a change leaves alone. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { EnvVariableRefused, parseEnvFile, setEnvVariable } from "../../lib/config/env-file.ts";

describe("parseEnvFile()", () => {
	test.each([
		["\uFEFFA=1\r\nB=2\r\n", { A: "1", B: "2" }],
		["export A=1\n  export   B = 2 \n", { A: "1", B: "2" }],
		["# comment\n\nA=1 # why\nB=1#2\n", { A: "1", B: "1#2" }],
		["A='x # y'\nB=\"x \\\"y\\\" \\n z\"\nC='it\\'s'\n", { A: "x # y", B: 'x "y" \n z', C: "it's" }],
		["A=1\nA=2\n", { A: "2" }],
		["A=***\nB=****\nC=**\n", { C: "**" }],
		["A=\nB=''\n", { A: "", B: "" }],
		["lower=1\n1A=1\nA-B=1\nnothing\n", {}],
		["A='open\nB=2\n", { B: "2" }],
		[
			"OPENROUTER_API_KEY=sk-or-abcANTHROPIC_API_KEY=sk-ant-1GITHUB_TOKEN=ghp_2\n",
			{
				OPENROUTER_API_KEY: "sk-or-abc",
				ANTHROPIC_API_KEY: "sk-ant-1",
				GITHUB_TOKEN: "ghp_2",
			},
		],
		["A=ABCOPENAI_API_KEY=x\n", { A: "ABC", OPENAI_API_KEY: "x" }],
		[
			"SEARXNG_URL=http://h/?GITHUB_TOKEN=1\nB='xOPENAI_API_KEY=y'\n",
			{
				SEARXNG_URL: "http://h/?GITHUB_TOKEN=1",
				B: "xOPENAI_API_KEY=y",
			},
		],
	])("parseEnvFile() reads %j", (source, variables) => {
		expect(parseEnvFile(source).variables).toEqual(variables as Record<string, string>);
	});

	test("parseEnvFile() says what it left out or repaired, without the values", () => {
		expect(parseEnvFile("a=1\nA=***\nB='x\nOPENAI_API_KEY=aXAI_API_KEY=b\n").warnings).toEqual([
			"line 1: not of the form NAME=value",
			"line 2: A is *** (a redacted paste)",
			"line 3: B has a quote that is not closed",
			"line 4: two variables on one line were read as two",
		]);
	});

	test("parseEnvFile() takes linear time", () => {
		for (const text of [
			"A".repeat(300_000),
			`A=${"B".repeat(300_000)}`,
			`A=${"B=".repeat(50_000)}`,
			`A="${"\\".repeat(300_000)}`,
		]) {
			expect(Object.keys(parseEnvFile(text).variables).length).toBeLessThan(3);
		}
	}, 10_000);
});

describe("setEnvVariable()", () => {
	test("setEnvVariable() replaces the line that counts and keeps comments, order, export and line ends", () => {
		const source = "# keys\r\nA=1\r\nexport A=2\r\n\r\n# end\r\n";
		expect(setEnvVariable(source, "A", "3")).toBe("# keys\r\nA=1\r\nexport A=3\r\n\r\n# end\r\n");
		expect(setEnvVariable(source, "B", "x y")).toBe(`${source}B='x y'\r\n`);
		expect(setEnvVariable("A=1", "B", "2")).toBe("A=1\nB=2\n");
		expect(setEnvVariable("", "B", "2")).toBe("B=2\n");
	});

	test("setEnvVariable() parts glued lines", () => {
		expect(setEnvVariable("OPENAI_API_KEY=aXAI_API_KEY=b\n", "XAI_API_KEY", "c")).toBe(
			"OPENAI_API_KEY=a\nXAI_API_KEY=c\n",
		);
	});

	test.each([
		["A", "x\nLD_PRELOAD=/tmp/x.so"],
		["A", "x\rB=1"],
		["A", "x\0"],
		["a", "x"],
		["A B", "x"],
		["", "x"],
		["PATH", "/tmp"],
		["LD_PRELOAD", "/tmp/x.so"],
		["DYLD_INSERT_LIBRARIES", "x"],
		["HERMES_HOME", "/tmp"],
	])("setEnvVariable() refuses %p = %j", (name, value) => {
		expect(() => setEnvVariable("", name, value)).toThrow(EnvVariableRefused);
	});

	test("setEnvVariable() writes every value so that it reads back, and changes no other", () => {
		const value = fc
			.string({ unit: "binary" })
			.filter((text) => !/[\r\n\0]/.test(text) && text.isWellFormed() && !/^\*{3,}$/.test(text));
		const name = fc.constantFrom("A", "B", "OPENAI_API_KEY", "XAI_API_KEY");
		fc.assert(
			fc.property(fc.array(fc.tuple(name, value), { maxLength: 8 }), (changes) => {
				const source = changes.reduce(
					(text, [name, value]) => setEnvVariable(text, name, value),
					"# head\nKEPT='a b' # why\n",
				);
				expect(parseEnvFile(source).variables).toEqual({ KEPT: "a b", ...Object.fromEntries(changes) });
				expect(source).toStartWith("# head\nKEPT='a b' # why\n");
			}),
			{ numRuns: 300 },
		);
	});
});
