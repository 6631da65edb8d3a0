/** A turn says which files it leaves as they were, whatever the model says of them. */

import { describe, expect, test } from "bun:test";
import type { RunTool } from "../../../lib/agent/agent.ts";
import { failedEditsWarning } from "../../../lib/agent/calls/failed-edits.ts";
import { callOf, type Step, scriptedAgent, scriptedModel } from "../../support/scripted-model.ts";

const never = new AbortController().signal;

/** Runs the calls of one turn: `+a` edits /w/a, `-a` fails to; `-a,b` is one call of two files; `*` is a command. */
async function turnOf(messages: readonly (readonly string[])[], last: Step = { content: "Done." }) {
	const steps = messages.map((edits) => ({
		toolCalls: edits.map((edit, index) => callOf("look", { edit }, `c${index}`)),
	}));
	const runTool: RunTool = async ({ arguments: text }) => {
		const isError = JSON.parse(text).edit.startsWith("-");
		return { answer: isError ? '{"error":"no"}' : "{}", isError, denied: false, durationMs: 1 };
	};
	const { agent, events } = scriptedAgent({
		client: scriptedModel([...steps, last]),
		runTool,
		cwd: "/w",
		maxTurns: 20,
		traitsOf({ arguments: text }) {
			const { edit } = JSON.parse(text);
			if (edit === "-*") return { changes: ["/w/a"] };
			return {
				isConfined: true,
				changes: edit
					.slice(1)
					.split(",")
					.map((name: string) => `/w/${name}`),
			};
		},
	});
	const { failed_edits } = await agent.runTurn("Go", never);
	const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
	return { failed_edits, warnings, lastEvent: events.at(-1)?.type };
}

describe("a turn that fails to edit files", () => {
	test.each<[string, string[][], string[] | undefined]>([
		["names the files", [["-a"], ["+b"], ["-c,d"]], ["/w/a", "/w/c", "/w/d"]],
		["forgets what a later call put right", [["-a"], ["-b"], ["+a"]], ["/w/b"]],
		["counts the last edit of a file", [["+a"], ["-a"]], ["/w/a"]],
		[
			"takes the calls of a message in their order",
			[
				["-a", "+a"],
				["+b", "-b"],
			],
			["/w/b"],
		],
		["does not judge commands", [["-*"]], undefined],
		["does not count a call that stands there twice", [["+a", "+a"]], undefined],
	])("%s", async (_, messages, failed) => {
		const { failed_edits, warnings, lastEvent } = await turnOf(messages);
		expect(failed_edits).toEqual(failed);
		expect(warnings.filter((warning) => warning.startsWith("The last edit of"))).toHaveLength(failed ? 1 : 0);
		expect(lastEvent).toBe("turn_finished");
	});

	test("says so beside an answer only: a turn that failed claims nothing", async () => {
		const { failed_edits, warnings } = await turnOf([["-a"]], { refuse: "bad_request" });
		expect([failed_edits, warnings]).toEqual([["/w/a"], []]);
	});

	test("failedEditsWarning() names ten files at most, and those outside the folder by their whole path", () => {
		const many = Array.from({ length: 12 }, (_, index) => `/w/${index}`);
		expect([
			failedEditsWarning([], "/w"),
			failedEditsWarning(["/w/a/b", "/x"], "/w"),
			failedEditsWarning(many, "/w"),
		]).toEqual([
			undefined,
			"The last edit of a/b, /x failed in this turn, whatever the answer says",
			"The last edit of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more failed in this turn, whatever the answer says",
		]);
	});
});
