import { describe, expect, test } from "bun:test";
import { modelGuidance } from "../../lib/agent/prompt/model-guidance.ts";
import { buildSystemPrompt } from "../../lib/agent/prompt/system-prompt.ts";

const facts = {
	cwd: "/home/me/project",
	ranOn: "docker:4f2a",
	platform: "linux",
	date: new Date(2026, 2, 5, 9, 30),
	tools: [{ name: "terminal" }],
};

test("buildSystemPrompt() gives the same bytes all day and names place and date", () => {
	const prompt = buildSystemPrompt(facts);
	expect(buildSystemPrompt({ ...facts, date: new Date(2026, 2, 5, 23, 59) })).toBe(prompt);
	expect(prompt.split("\n").slice(-3)).toEqual([
		"Commands run on: docker:4f2a (linux)",
		"Working directory: /home/me/project",
		"Conversation started: Thursday, March 05, 2026",
	]);
});

test("buildSystemPrompt() declares the marks of what the user says meanwhile", () => {
	expect(buildSystemPrompt(facts)).toContain("between <user_steering> and </user_steering>");
});

test("buildSystemPrompt() without tools promises none", () => {
	const prompt = buildSystemPrompt({ ...facts, tools: [] });
	expect(prompt).toContain("You have no tools");
	expect(prompt).not.toContain("docker");
});

describe("modelGuidance()", () => {
	const isTold = (model: string, setting: unknown) => modelGuidance(model, setting).startsWith("Acting:");

	test("modelGuidance() tells families that only announce to act, or those that the settings name", () => {
		const models = ["openai/GPT-5.4", "gemini-3-flash-preview", "glm-5.2", "claude-sonnet-4-6", "Hermes-4-405B"];
		const told = (setting: unknown) => models.map((model) => isTold(model, setting));
		expect([undefined, "auto", true, "true", false, "false", ["Hermes", "claude"], [""], []].map(told)).toEqual([
			[true, true, true, false, false],
			[true, true, true, false, false],
			[true, true, true, true, true],
			[true, true, true, true, true],
			[false, false, false, false, false],
			[false, false, false, false, false],
			[false, false, false, true, true],
			[false, false, false, false, false],
			[false, false, false, false, false],
		]);
	});

	test("modelGuidance() has words for a family, in a prompt with tools alone", () => {
		const [gpt, gemini, glm] = ["gpt-5.4", "gemma-4-31b", "glm-5.2"].map((model) => modelGuidance(model, "auto"));
		expect([gpt?.includes("Sums, times"), gemini?.includes("absolute paths"), glm?.split("\n").length]).toEqual([
			true,
			true,
			3,
		]);
		expect(buildSystemPrompt({ ...facts, guidance: gpt })).toContain(gpt ?? "none");
		expect(buildSystemPrompt({ ...facts, guidance: gpt, tools: [] })).not.toContain("Acting:");
	});
});
