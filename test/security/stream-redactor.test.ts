/** Secrets in a text that comes in pieces. */

import { describe, expect, test } from "bun:test";
import { createRedactor } from "../../lib/security/redact.ts";
import { createStreamRedactor } from "../../lib/security/stream-redactor.ts";

const redact = createRedactor(["hunter2-from-env"]);
const key = [
	"-----BEGIN PRIVATE KEY-----",
	...Array.from({ length: 40 }, (_, line) => `MIIEvQIBADANBgkqhkiG9w0BAQEF${line}AASCBKcwggSjAgEAAoIBAQC7`),
	"-----END PRIVATE KEY-----",
].join("\n");
const text = `start\nTOKEN=abcdef\n${key}\nsk-abcdefghijklmnopqrst hunter2-from-env\npassword: "two words"\nlast line`;

function streamed(whole: string, size: number): string {
	const stream = createStreamRedactor(redact);
	let shown = "";
	for (let at = 0; at < whole.length; at += size) shown += stream.push(whole.slice(at, at + size));
	return shown + stream.end();
}

describe("createStreamRedactor()", () => {
	test.each([1, 2, 3, 7, 50, 333, 4_096])("masks the same as in one text, in pieces of %d characters", (size) => {
		expect(streamed(text, size)).toBe(redact(text));
	});

	test("shows whole lines at once", () => {
		const stream = createStreamRedactor(redact);
		expect([stream.push("one\ntw"), stream.push("o\n"), stream.push("READY\n")]).toEqual(["one\n", "two\n", "READY\n"]);
	});

	test("flush() shows a question that waits, but nothing before which a secret may stand", () => {
		const stream = createStreamRedactor(redact);
		expect([stream.push("Your name: "), stream.flush()]).toEqual(["", "Your name: "]);
		expect([stream.push("abc\npassword: "), stream.flush(), stream.push("secret1\n")]).toEqual([
			"abc\n",
			"",
			"password: ***\n",
		]);
	});

	test("flush() holds the first line of a key that has not come whole", () => {
		const stream = createStreamRedactor(redact);
		const key = ["-----BEGIN OPENSSH ", "PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----\n"];
		const shown = key.map((part) => stream.push(part) + stream.flush()).join("") + stream.end();
		expect(shown).toBe(redact(key.join("")));
	});

	test("flush() holds a name whose sign and value have not come", () => {
		const stream = createStreamRedactor(redact);
		const parts = ["api_key ", "= ", "abcdef0123456789abcdef\n"];
		const shown = parts.map((part) => stream.push(part) + stream.flush()).join("") + stream.end();
		expect(shown).toBe(redact(parts.join("")));
	});

	test("lets a line without end go, in bounded memory, and cuts no secret in it", () => {
		const secret = "sk-abcdefghijklmnopqrstuvwxyz0123";
		const line = `${"word ".repeat(3_000)}${secret} `.repeat(12);
		const stream = createStreamRedactor(redact);
		let shown = "";
		for (let at = 0; at < line.length; at += 1_000) shown += stream.push(line.slice(at, at + 1_000));
		expect(shown.length).toBeGreaterThan(line.length / 2);
		shown += stream.end();
		expect(shown).toBe(redact(line));
	});
});
