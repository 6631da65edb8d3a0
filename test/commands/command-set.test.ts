/** Which command a line means. */

import { describe, expect, test } from "bun:test";
import { type Command, chatSurfaces, type WhileBusy } from "../../lib/commands/command.ts";
import { commandForm, commandsOf, nameConflicts } from "../../lib/commands/command-set.ts";
import { type AfterCommand, runCommand } from "../../lib/commands/run-command.ts";

const record = (name: string, more: Partial<Command> = {}): Command => ({
	name,
	description: `does ${name}`,
	category: "info",
	surfaces: chatSurfaces,
	whileBusy: "runs",
	run: () => undefined,
	...more,
});

const all = [
	record("model", { argumentsHint: "[NAME]" }),
	record("mode"),
	record("usage"),
	record("reload-mcp", { aliases: ["rl"] }),
	record("approve", { surfaces: ["gateway"] }),
];
const set = commandsOf(all, "terminal");

/** The name and the argument that `line` means, or what is wrong with it. */
function meaning(line: string): unknown {
	const resolved = set.resolve(line);
	if (resolved?.kind !== "command") return resolved;
	return [resolved.command.name, resolved.argument];
}

describe("resolve()", () => {
	test.each([
		{ line: "/model", means: ["model", ""] },
		{ line: "  /MODEL  big/model:2 ", means: ["model", "big/model:2"] },
		{ line: "/model two\nlines", means: ["model", "two\nlines"] },
		{ line: "/reload_mcp", means: ["reload-mcp", ""] },
		{ line: "/rl", means: ["reload-mcp", ""] },
		{ line: "/usage@hermes_bot", means: ["usage", ""] },
		{ line: "/us", means: ["usage", ""] },
		{ line: "/mode", means: ["mode", ""] },
	])("$line is the command $means.0", ({ line, means }) => {
		expect(meaning(line)).toEqual(means);
	});

	test.each([
		"/etc/hosts",
		"/home/me/x is what?",
		"/ hello",
		"hello /model",
		"//comment",
		// The beginning of a name that takes no argument, and a word that nobody knows, begin sentences.
		"/us this thing",
		"/fix the parser",
		"/123",
		"",
	])("%p is for the model", (line) => {
		expect(meaning(line)).toBeUndefined();
	});

	test("a beginning that several names share is asked about, and a mistyped name is guessed", () => {
		expect(meaning("/mod")).toEqual({ kind: "ambiguous", word: "mod", names: ["mode", "model"] });
		expect(meaning("/usgae")).toEqual({ kind: "unknown", word: "usgae", near: "usage" });
		expect(meaning("/zzzzzz")).toEqual({ kind: "unknown", word: "zzzzzz", near: "help" });
	});

	test("a surface knows its own commands alone", () => {
		expect(meaning("/approve")).toMatchObject({ kind: "unknown" });
		expect(commandsOf(all, "gateway").list.map(({ name }) => name)).toEqual(["approve"]);
	});
});

test("nameConflicts() names every word that means two commands", () => {
	expect(nameConflicts([record("a", { aliases: ["b-c"] }), record("d", { aliases: ["B_C"] }), record("a")])).toEqual([
		"/b-c is both a and d",
		"/a is both a and a",
	]);
});

test("commandForm() is the name with what may stand behind it", () => {
	expect([record("model", { argumentsHint: "[NAME]" }), record("usage")].map(commandForm)).toEqual([
		"/model [NAME]",
		"/usage",
	]);
});

describe("runCommand()", () => {
	const turn = { queue() {}, steer: () => true, stop() {} };
	const run = async (command: Command, isBusy: boolean) => {
		const said: string[] = [];
		const after = await runCommand(
			{ kind: "command", command, argument: "" },
			{
				surface: "lines",
				conversation: {} as never,
				commands: set,
				turn: isBusy ? turn : undefined,
				signal: new AbortController().signal,
				say: (text) => said.push(text),
			},
		);
		return { after, said };
	};
	const leaves = { run: () => "leave" as const };

	test.each<{ whileBusy: WhileBusy; isBusy: boolean; result: { after: AfterCommand; said: string[] } }>([
		{ whileBusy: "runs", isBusy: true, result: { after: "leave", said: [] } },
		{ whileBusy: "waits", isBusy: true, result: { after: "waits", said: [] } },
		{ whileBusy: "waits", isBusy: false, result: { after: "leave", said: [] } },
		{
			whileBusy: "refused",
			isBusy: true,
			result: { after: "done", said: ["Cannot do /x while the model works: wait, or /stop first"] },
		},
	])("a command that $whileBusy, busy $isBusy", async ({ whileBusy, isBusy, result }) => {
		expect(await run(record("x", { whileBusy, ...leaves }), isBusy)).toEqual(result);
	});
});
