import { describe, expect, test } from "bun:test";
import { repairCalls, repairName } from "../../../lib/agent/calls/repair-calls.ts";
import { repairJson } from "../../../lib/agent/calls/repair-json.ts";
import { createRandom } from "../../../lib/base/random.ts";

const names = ["read_file", "terminal", "web_search", "patch"];
const known = { names, has: (name: string) => names.includes(name) };

describe("repairName()", () => {
	test.each([
		["read_file", "read_file"],
		["ReadFile", "read_file"],
		["read-file", "read_file"],
		["Read File", "read_file"],
		["read_file_tool", "read_file"],
		["PatchToolTool", "patch"],
		['terminal" command="ls', "terminal"],
		["web_search<|channel|>", "web_search"],
		["termnal", "terminal"],
		["launch_rockets", "launch_rockets"],
		["launch rockets!", "launch_rockets"],
		["", "unknown_tool"],
	])("makes %p %p", (sent, expected) => {
		expect(repairName(sent, known)).toBe(expected);
	});
});

describe("repairJson()", () => {
	test.each([
		["", "{}"],
		['{"a":1,}', '{"a":1}'],
		['{"a":[1,2,],"b":{"c":3,},}', '{"a":[1,2],"b":{"c":3}}'],
		['{"a":True,"b":False,"c":None}', '{"a":true,"b":false,"c":null}'],
		['{"a":1}}', '{"a":1}'],
		['```json\n{"a":1}\n```', '{"a":1}'],
		['{"a":"one\ntwo"}', '{"a":"one\\ntwo"}'],
		['{"a":"keep ,} here","b":"True, None,]",}', '{"a":"keep ,} here","b":"True, None,]"}'],
	])("makes %p %p", (sent, expected) => {
		expect(repairJson(sent)).toEqual({ ok: true, text: expected });
	});

	test.each([
		['{"a":[1,{"b":2', true],
		['{"command":"rm -rf /tmp', true],
		['{"command":"rm -rf /tmp"', true],
		['{"a":1]', false],
		['{"a":1} and more', false],
		["[1,2]", false],
		['"text"', false],
		["{a:1}", false],
	])("makes nothing of %p", (sent, isCut) => {
		expect(repairJson(sent)).toEqual({ ok: false, isCut });
	});

	test("never changes what stands in a string, and never closes what was cut", () => {
		const random = createRandom(7);
		const pick = (choices: readonly string[]) => choices[Math.floor(random() * choices.length)] ?? "";
		const text = () =>
			Array.from({ length: 12 }, () => pick([",", "}", "]", " ", "\n", '"', "\\", "True", "None", "ä", "{", "a"])).join(
				"",
			);
		for (let round = 0; round < 300; round++) {
			const value = { [text()]: text(), list: [text(), { inner: text(), yes: true, no: null }] };
			const whole = JSON.stringify(value);
			const damaged = whole
				.replace(/true(?=,"no":null\}\]\}$)/, "True")
				.replace(/null(?=\}\]\}$)/, "None,")
				.replace(/\]\}$/, ",]}}");
			expect(repairJson(damaged)).toEqual({ ok: true, text: expect.any(String) });
			const repaired = repairJson(damaged);
			expect(repaired.ok && JSON.parse(repaired.text)).toEqual(value);
			const cut = whole.slice(0, 1 + Math.floor(random() * (whole.length - 1)));
			expect(repairJson(cut).ok).toBe(false);
		}
	});
});

describe("repairCalls()", () => {
	const message = (toolCalls: { id: string; name: string; arguments: string }[]) => ({
		role: "assistant" as const,
		content: "",
		toolCalls,
		replay: { provider: "p", reasoningContent: "r" },
	});

	test("leaves a message alone that is right", () => {
		const right = message([{ id: "a", name: "patch", arguments: '{"x":1}' }]);
		expect(repairCalls(right, known)).toBe(right);
	});

	test("gives calls ids of their own, and leaves arguments that were cut as they are", () => {
		const wrong = message([
			{ id: "0", name: "Patch", arguments: "" },
			{ id: "0", name: "patch", arguments: '{"cut' },
			{ id: "", name: "patch", arguments: "{}" },
		]);
		expect(repairCalls(wrong, known)).toEqual({
			role: "assistant",
			content: "",
			toolCalls: [
				{ id: "0", name: "patch", arguments: "{}" },
				{ id: "0_1", name: "patch", arguments: '{"cut' },
				{ id: "call_2", name: "patch", arguments: "{}" },
			],
		});
	});
});
