import { expect, test } from "bun:test";
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
