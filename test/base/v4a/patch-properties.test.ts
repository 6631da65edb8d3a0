/** What holds for every patch: made from two texts it leads from one to the other, damaged it leads nowhere unexpected. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { type FileChange, planPatch } from "../../../lib/base/v4a/apply-patch.ts";
import { isGitDiff, parseGitDiff } from "../../../lib/base/v4a/parse-git-diff.ts";
import { parsePatch } from "../../../lib/base/v4a/parse-patch.ts";
import { editScript } from "../../../lib/files/edit-script.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const word = fc.constantFrom("", "a", "  b", "\tc", "if x:", "}", "@@", "*** z", "-d", "+e", " ", "—", "😀");
const lines = fc.array(word, { minLength: 1, maxLength: 14 });
const endings = fc.constantFrom("\n", "\r\n");

function textFiles(files: Readonly<Record<string, string>>) {
	return new Map(Object.entries(files).map(([path, text]) => [path, { text }]));
}

/** All lines of both texts in one hunk. */
function wholePatch(before: readonly string[], after: readonly string[]): string {
	const sign = { same: " ", removed: "-", added: "+" };
	const body = editScript(before, after).map(({ kind, line }) => sign[kind] + line);
	return ["*** Begin Patch", "*** Update File: f", "@@", ...body, "*** End Patch"].join("\n");
}

function applied(patch: string, text: string): string | undefined {
	const parsed = parsePatch(patch);
	if (!parsed.ok) return undefined;
	const plan = planPatch(parsed.operations, textFiles({ f: text }));
	const [change] = plan.ok ? plan.changes : [];
	if (!plan.ok) return undefined;
	return change?.kind === "modify" ? change.after : text;
}

/** Files before and after random edits: some with and without a last line feed, one gone, one new, one moved. */
function randomFiles() {
	const sample = fc.sample(fc.tuple(lines, lines, endings, fc.boolean(), fc.boolean()), { numRuns: 25, seed: 11 });
	const befores: Record<string, string> = { gone: "x\n", old: "some\nlines\nthat\nstay\nthe same\n" };
	const afters: Record<string, string> = {
		fresh: "new\nfile",
		"moved/new": "some\nlines\nthat\nstay\nthe very same\n",
	};
	for (const [index, [before, after, end, isOpen, becomesOpen]] of sample.entries()) {
		const padding = Array.from({ length: 12 }, (_, line) => `line ${line % 4}`);
		befores[`d/f ü${index}`] = [...padding, ...before, ...padding].join(end) + (isOpen ? "" : end);
		afters[`d/f ü${index}`] = [...padding, ...after, ...padding, ...before].join(end) + (becomesOpen ? "" : end);
	}
	return { befores, afters };
}

async function put(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
	for (const [path, text] of Object.entries(files)) await Bun.write(join(folder, path), text);
}

function filesAfter(files: Readonly<Record<string, string>>, changes: readonly FileChange[]): Record<string, string> {
	const result: Record<string, string> = { ...files };
	for (const change of changes) {
		if (change.kind === "move") delete result[change.from];
		if (change.kind === "delete") delete result[change.path];
		else result[change.path] = change.after ?? "";
	}
	return result;
}

describe("a V4A patch", () => {
	test("made from two texts leads from one to the other, whatever the line ends", () => {
		const property = fc.property(lines, lines, endings, (before, after, end) => {
			const join = (list: readonly string[]) => list.map((line) => line + end).join("");
			expect(applied(wholePatch(before, after), join(before))).toBe(join(after));
		});
		fc.assert(property, { numRuns: 600 });
	});

	test("changes nothing but its hunk", () => {
		const plain = fc.array(fc.stringMatching(/^[a-z]{1,4}$/), { minLength: 1, maxLength: 8 });
		const property = fc.property(
			fc.tuple(plain, plain),
			fc.tuple(plain, plain),
			endings,
			([head, tail], [old, fresh], end) => {
				const marked = ["<<start", ...old, "end>>"];
				const join = (list: readonly string[]) =>
					list.map((line, index) => line + (index % 3 === 0 ? "\n" : end)).join("");
				const before = join(head) + marked.join("\n");
				const rest = `\n${join(tail)}`;
				const patch = wholePatch(marked, ["<<start", ...fresh, "end>>"]);
				const result = applied(patch, before + rest);
				expect(result?.startsWith(join(head))).toBe(true);
				expect(result?.endsWith(rest)).toBe(true);
			},
		);
		fc.assert(property, { numRuns: 300 });
	});

	test("that is damaged is refused, or makes a text; it never throws", () => {
		const property = fc.property(
			lines,
			lines,
			fc.tuple(fc.nat(), fc.nat(5), fc.string()),
			(before, after, [at, cut, put]) => {
				const patch = wholePatch(before, after);
				const from = at % patch.length;
				const damaged = patch.slice(0, from) + put + patch.slice(from + cut);
				for (const parse of [parsePatch, parseGitDiff]) {
					const parsed = parse(damaged);
					if (parsed.ok) planPatch(parsed.operations, textFiles({ f: before.join("\n") }));
				}
			},
		);
		fc.assert(property, { numRuns: 600 });
	});
});

describe("a git diff", () => {
	const git = Bun.which("git");
	const run = (cwd: string, ...args: string[]) =>
		Bun.spawnSync(["git", "-c", "core.autocrlf=false", "-c", "user.name=t", "-c", "user.email=t@t", ...args], {
			cwd,
			env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
		});

	test.skipIf(git === null)("of random edits makes what git apply makes", async () => {
		using folder = temporaryFolder();
		const { befores, afters } = randomFiles();
		await put(folder.path, befores);
		run(folder.path, "init", "-q");
		run(folder.path, "add", "-A");
		run(folder.path, "commit", "-qm", "before");
		run(folder.path, "rm", "-qf", "gone", "old");
		await put(folder.path, afters);
		run(folder.path, "add", "-A");
		const diff = run(folder.path, "diff", "--cached", "-M20%").stdout.toString();
		expect(isGitDiff(diff)).toBe(true);
		const parsed = parseGitDiff(diff);
		const plan = parsed.ok ? planPatch(parsed.operations, textFiles(befores)) : parsed;
		if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
		expect(plan.changes.some(({ kind }) => kind === "move")).toBe(true);
		expect(filesAfter(befores, plan.changes)).toEqual(afters);
	});

	test.each([
		["--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", false],
		["diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", true],
	])("is told by its first line: %j", (text, expected) => {
		expect(isGitDiff(text)).toBe(expected);
	});

	test.each([
		["Binary files a/f and b/f differ", "binary"],
		["old mode 100644\nnew mode 100755", "no_hunks"],
		["--- a/../f\n+++ b/../f\n@@ -1 +1 @@\n-a\n+b", "path_escapes"],
		["--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-a\n+b", "short_hunk"],
	])("with %j is refused", (body, code) => {
		expect(parseGitDiff(`diff --git a/f b/f\n${body}`)).toMatchObject({ ok: false, problems: [{ code }] });
	});
});
