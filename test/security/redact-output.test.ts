/** What a program printed, as a model gets it. */

import { expect, test } from "bun:test";
import { createRedactor } from "../../lib/security/redact.ts";
import { redactOutput } from "../../lib/security/redact-output.ts";

const redact = createRedactor();

test("redactOutput() sees secrets behind colours", () => {
	expect(redactOutput({ text: "\u001b[1mTOKEN\u001b[0m=\u001b[31mabcdef\u001b[0m\0" }, redact)).toBe("TOKEN=***");
});

test("redactOutput() leaves everything but colours when there is no redactor", () => {
	expect(redactOutput({ text: "\u001b[1mTOKEN\u001b[0m=abc" })).toBe("TOKEN=abc");
});

test("redactOutput() shows no half of a secret beside what was dropped", () => {
	const gap = "\n\n[9000 bytes omitted]\n\n";
	const text = `first sk-abcdefghij${gap}klmnopqrstuvwxyz last`;
	expect(redactOutput({ text, omittedBytes: 9_000 }, redact)).toBe(`first ${gap} last`);
});
