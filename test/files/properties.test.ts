/** What holds for every change of every text file: nothing but the intended part is touched, and damage changes nothing. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { planPatch } from "../../lib/base/v4a/apply-patch.ts";
import { parseGitDiff } from "../../lib/base/v4a/parse-git-diff.ts";
import { decodeText, encodeText } from "../../lib/files/encoding.ts";
import { replaceText } from "../../lib/files/replace-text.ts";
import { byteOrderMark } from "../../lib/files/text.ts";
import { unifiedDiff } from "../../lib/files/unified-diff.ts";
import { sharedToolSession } from "../support/shared-tool-session.ts";

setDefaultTimeout(120_000);

/** A file as it could be on a disk. `latin-1` has bytes that are no UTF-8. */
const forms = fc.record({
	encoding: fc.constantFrom("utf-8", "utf-16le", "utf-16be", "latin-1"),
	hasMark: fc.boolean(),
	ends: fc.array(fc.constantFrom("\n", "\r\n"), { minLength: 1, maxLength: 4 }),
	tail: fc.constantFrom("", "\n", "\r\n", "\r", "\x07\x1b tail", "  "),
});
const plainLine = fc.stringMatching(/^[a-zé ]{0,6}$/);
const lines = fc.array(plainLine, { maxLength: 8 });

type Form = typeof forms extends fc.Arbitrary<infer T> ? T : never;

function fileOf(texts: readonly string[], { encoding, hasMark, ends, tail }: Form): Uint8Array {
	const isWide = encoding.startsWith("utf-16");
	const mark = isWide || (hasMark && encoding === "utf-8") ? byteOrderMark : "";
	const body = texts.map((text, index) => text + (ends[index % ends.length] ?? "\n")).join("");
	const bytes = encodeText(`${mark}${body}${tail}`, encoding as "utf-8") ?? new Uint8Array();
	return encoding === "latin-1" ? Buffer.concat([Buffer.from("\xff\xe9-\n", "latin1"), bytes]) : bytes;
}

const unique = "<<the place>>";

describe("a replacement", () => {
	test("leaves every byte outside of it, whatever encoding, line ends, mark and tail the file has", () => {
		const property = fc.property(
			fc.tuple(lines, lines),
			fc.tuple(plainLine, plainLine),
			forms,
			([head, rest], [one, two], form) => {
				const before = fileOf([...head, unique, "old", ...rest], form);
				const decoded = decodeText(before);
				if (decoded === undefined) throw new Error("Cannot decode the file");
				const request = { oldText: `${unique}\nold`, newText: `${unique}\nnew ${one}\n${two}!`, replaceAll: false };
				const replaced = replaceText(decoded.text, request);
				if (!replaced.ok) throw new Error(replaced.code);
				const after = encodeText(replaced.text, decoded.encoding);
				const at = decoded.text.indexOf(unique);
				const end = decoded.text.indexOf("old", at) + 3;
				const [start, stop] = [decoded.text.slice(0, at), decoded.text.slice(end)];
				const middle = replaced.text.slice(at, replaced.text.length - stop.length);
				expect(replaced.text.startsWith(start)).toBe(true);
				expect(replaced.text.endsWith(stop)).toBe(true);
				expect(middle.replaceAll("\r\n", "\n")).toBe(request.newText);
				expect(Buffer.from(encodeText(decoded.text, decoded.encoding) ?? []).equals(Buffer.from(before))).toBe(true);
				expect(after).toBeDefined();
			},
		);
		fc.assert(property, { numRuns: 500 });
	});

	test("has a diff that is the intended change, and leads from one to the other", () => {
		const property = fc.property(lines, lines, plainLine, (head, rest, fresh) => {
			const before = [...head, unique, ...rest].map((line) => `${line}\n`).join("");
			const replaced = replaceText(before, { oldText: unique, newText: `${fresh}!`, replaceAll: false });
			if (!replaced.ok) throw new Error(replaced.code);
			const diff = unifiedDiff("f", before, replaced.text);
			const changed = diff
				.split("\n")
				.slice(3)
				.filter((line) => !line.startsWith(" ") && !line.startsWith("@@"));
			expect(changed).toEqual([`-${unique}`, `+${fresh}!`]);
			const parsed = parseGitDiff(`diff --git a/f b/f\n${diff}\n`);
			const plan = parsed.ok ? planPatch(parsed.operations, new Map([["f", { text: before }]])) : parsed;
			expect(plan).toMatchObject({ ok: true, changes: [{ kind: "modify", after: replaced.text }] });
		});
		fc.assert(property, { numRuns: 300 });
	});
});

describe("a patch that is damaged", () => {
	const shared = sharedToolSession();
	const content = "\ufeffone\r\ntwo\r\nthree\n\x07 tail";
	const patch =
		"*** Begin Patch\n*** Update File: f\n one\n-two\n+TWO\n three\n*** Add File: g\n+x\n*** Delete File: h\n*** End Patch";
	const damages = fc.sample(
		fc.tuple(
			fc.nat(patch.length),
			fc.nat(9),
			fc.constantFrom("", "\0", "+", "-x\n", "*** ", "\ud800", "../", "@@ ", "\r"),
		),
		{
			numRuns: 60,
			seed: 3,
		},
	);

	test("changes no file, and never throws out of dispatch", async () => {
		const { session, at } = shared;
		const outcomes = { changed: 0, refused: 0 };
		for (const [from, cut, put] of damages) {
			writeFileSync(at("f"), content);
			writeFileSync(at("h"), "h\n");
			Bun.spawnSync(["rm", "-f", at("g")]);
			const damaged = patch.slice(0, from) + put + patch.slice(from + cut);
			const dispatched = await session.dispatch("patch", { mode: "patch", patch: damaged });
			const answer = JSON.parse(dispatched.answer);
			const left = readFileSync(at("f"), "utf8");
			if (dispatched.isError)
				expect({ damaged, left, h: readFileSync(at("h"), "utf8") }).toEqual({ damaged, left: content, h: "h\n" });
			else expect(answer.success).toBe(true);
			outcomes[dispatched.isError ? "refused" : "changed"]++;
		}
		expect(outcomes.refused).toBeGreaterThan(20);
		for (const args of [
			"{",
			"[]",
			'{"mode":"patch","patch":7}',
			'{"mode":"patch","patch":{"a":1}}',
			'{"mode":7}',
			"null",
		]) {
			expect((await session.dispatch("patch", args)).isError).toBe(true);
		}
	});
});
