/** The patch tool in a real shell session: what it overcomes, what it refuses, and what it says. */

import { describe, expect, test } from "bun:test";
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { loadPlugins } from "../../lib/base/plugins.ts";
import { dispatch } from "../../lib/registry/dispatch.ts";
import { createRegistry } from "../../lib/registry/registry.ts";
import { tools } from "../../lib/tools/all.ts";
import { sharedToolSession } from "../support/shared-tool-session.ts";

const shared = sharedToolSession();

const { at } = shared;
const put = (name: string, content: string | Uint8Array) => {
	mkdirSync(dirname(at(name)), { recursive: true });
	writeFileSync(at(name), content);
};
const bytes = (name: string) => readFileSync(at(name)).toString("latin1");
const text = (name: string) => readFileSync(at(name), "utf8");
const replace = (path: string, [oldText, newText]: readonly [string, string], more = {}) =>
	shared.session.call("patch", { path, old_string: oldText, new_string: newText, ...more });
const apply = (...lines: string[]) =>
	shared.session.call("patch", { mode: "patch", patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });

describe("patch with mode replace", () => {
	test("overcomes indents and says how", async () => {
		put("i.py", "class A:\n    def f(self):\n        return 1\n");
		expect(await replace("i.py", ["def f(self):\n    return 1", "def f(self):\n    return 2"])).toEqual({
			success: true,
			diff: expect.stringContaining("-        return 1\n+        return 2"),
			replacements: 1,
			strategy: "line_trimmed",
			similarity: 1,
			replaced: "    def f(self):\n        return 1",
			lint: { status: "ok" },
			files_modified: [at("i.py")],
			resolved_path: at("i.py"),
			ran_on: "local",
		});
		expect(text("i.py")).toBe("class A:\n    def f(self):\n        return 2\n");
	});

	test("never writes a near miss over another line, and shows the closest lines", async () => {
		put("near.txt", "alpha(1)\nbeta(2)\ngamma(3)\n");
		const answer = await replace("near.txt", ["alpha(1)\nbeta(9)\ngamma(3)", "alpha(1)\nbeta(10)\ngamma(3)"]);
		expect(answer.error).toContain("Did you mean one of these sections?\n   1| alpha(1)\n   2| beta(2)");
		expect(text("near.txt")).toBe("alpha(1)\nbeta(2)\ngamma(3)\n");
	});

	test("recognises what was done before", async () => {
		put("done.txt", "  return second;\n");
		expect(await replace("done.txt", ["return first;", "return second;"])).toEqual({
			success: true,
			already_applied: true,
			_hint: expect.stringContaining("at line 1"),
			files_modified: [],
			resolved_path: at("done.txt"),
			ran_on: "local",
		});
	});

	test("tells to stop trying at the third failure in a row, and forgets them with a success", async () => {
		put("sticky.txt", "a\n");
		const hints = [];
		for (const wanted of ["q1z", "q2z", "q3z", "a", "q4z"])
			hints.push(String((await replace("sticky.txt", [wanted, "b"]))._hint).slice(0, 20));
		expect(hints).toEqual([
			"Read the file with r",
			"Read the file with r",
			"This is failure 3 in",
			"undefined",
			"Read the file with r",
		]);
	});

	test("takes CRLF arguments for a file with BOM and CRLF, and keeps both", async () => {
		put("b.txt", "\ufeffone\r\ntwo\r\n");
		expect(await replace("b.txt", ["one\r\ntwo", "1\r\n2"])).toMatchObject({ success: true });
		expect(text("b.txt")).toBe("\ufeff1\r\n2\r\n");
	});

	test("does two changes of one file one after the other", async () => {
		put("both.txt", "a\nb\nc\nd\n");
		const answers = await Promise.all(
			["a", "b", "c", "d"].map((line) => replace("both.txt", [line, `${line}${line}`])),
		);
		expect(answers.map(({ success }) => success)).toEqual([true, true, true, true]);
		expect(text("both.txt")).toBe("aa\nbb\ncc\ndd\n");
	});
});

describe("patch with mode patch", () => {
	test("changes several files as a whole", async () => {
		put("v/a.txt", "one\ntwo\n");
		put("v/gone.txt", "x\n");
		put("v/run.sh", "echo\n");
		chmodSync(at("v/run.sh"), 0o750);
		const answer = await apply(
			"*** Update File: v/a.txt",
			"-two",
			"+TWO",
			"*** Add File: v/n/new.txt",
			"+new",
			"*** Delete File: v/gone.txt",
			"*** Update File: v/run.sh",
			"*** Move to: v/n/go.sh",
			"-echo",
			"+echo go",
		);
		expect(answer).toEqual({
			success: true,
			diff: expect.stringContaining(`# Moved: ${at("v/run.sh")} -> ${at("v/n/go.sh")}\n---`),
			files_modified: [at("v/a.txt"), at("v/n/go.sh")],
			files_created: [at("v/n/new.txt")],
			files_deleted: [at("v/gone.txt"), at("v/run.sh")],
			lint: { [at("v/n/go.sh")]: { status: "ok" } },
			ran_on: "local",
		});
		expect([text("v/a.txt"), text("v/n/new.txt"), text("v/n/go.sh"), statSync(at("v/n/go.sh")).mode & 0o777]).toEqual([
			"one\nTWO\n",
			"new\n",
			"echo go\n",
			0o750,
		]);
		expect([existsSync(at("v/gone.txt")), existsSync(at("v/run.sh"))]).toEqual([false, false]);
	});

	test("asks for every file that it names", async () => {
		const asked: unknown[] = [];
		const { context } = shared.session;
		const { loaded } = await loadPlugins(tools);
		const patch = "*** Begin Patch\n*** Add File: a, b\n+x\n*** Move File: c -> d\n*** End Patch";
		await dispatch({
			registry: createRegistry(loaded, []),
			call: { name: "patch", arguments: { mode: "patch", patch } },
			context,
			async approve(request) {
				asked.push(request);
				return { approved: false, reason: "no" };
			},
		});
		expect(asked).toEqual([{ kind: "write", path: at("a, b"), others: [at("c"), at("d")] }]);
		expect(existsSync(at("a, b"))).toBe(false);
	});

	test("changes nothing when one file does not fit, and names the lines", async () => {
		put("w/a.txt", "a\n");
		put("w/b.txt", "b\n");
		const answer = await apply(
			"*** Update File: w/a.txt",
			"-a",
			"+A",
			"*** Update File: w/b.txt",
			"-q(z)",
			"+B",
			"*** Delete File: w/c",
		);
		expect(answer.success).toBe(false);
		expect(answer.error).toContain("no file was changed\n- line 6 of the patch");
		expect(answer.error).toContain("- line 8 of the patch");
		expect([text("w/a.txt"), text("w/b.txt")]).toEqual(["a\n", "b\n"]);
	});

	test("edits the target of a link, and refuses to move or delete the link", async () => {
		put("l/real.txt", "a\n");
		symlinkSync("real.txt", at("l/link"));
		expect(await apply("*** Update File: l/link", "-a", "+b")).toMatchObject({ files_modified: [at("l/real.txt")] });
		expect([lstatSync(at("l/link")).isSymbolicLink(), text("l/real.txt")]).toEqual([true, "b\n"]);
		expect((await apply("*** Delete File: l/link")).error).toContain("it is a link");
		expect(await apply("*** Update File: l/link", "-b", "+c", "*** Update File: l/real.txt", "-c", "+d")).toMatchObject(
			{
				success: true,
			},
		);
		expect(text("l/real.txt")).toBe("d\n");
	});

	test.each([
		[["***Update File: /etc/passwd", "-root", "+toor"], "system"],
		[["***Move File: g/a -> /etc/hermes-test"], "system"],
		[["*** Add File: g/../../x", "+x"], ".."],
		[["*** Update File: g/.env", "-A=1", "+A=2"], "secrets"],
		[["*** Delete File: g"], "folder"],
		[["*** Update File: g/latin", "-aé", "+→"], "every character of it is one byte"],
		[["*** Update File: g/bin", "-a", "+b"], "not text"],
		[["*** Add File: g/a/b", "+x"], "no file was changed"],
		[["*** Add File: ~/.ssh/authorized_keys", "+x"], "credentials"],
	])("refuses %j", async (lines, reason) => {
		put("g/a", "a\n");
		put("g/.env", "A=1\n");
		put("g/latin", Buffer.from("a\xe9\n", "latin1"));
		put("g/bin", new Uint8Array([97, 0, 10]));
		expect((await apply(...lines)).error).toContain(reason);
		expect(existsSync("/etc/hermes-test")).toBe(false);
	});

	test("changes one line of a long CRLF file and no other byte", async () => {
		const lines = Array.from({ length: 5_000 }, (_, index) => (index === 10 ? "l".repeat(3_000) : `line ${index}`));
		put("long.txt", lines.join("\r\n"));
		expect(await apply("*** Update File: long.txt", " line 4499", "-line 4500", "+changed")).toMatchObject({
			success: true,
		});
		lines[4_500] = "changed";
		expect(text("long.txt")).toBe(lines.join("\r\n"));
	});

	test("takes what git diff prints", async () => {
		put("git.txt", "a\nb\n");
		const patch = "diff --git a/git.txt b/git.txt\n--- a/git.txt\n+++ b/git.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
		expect(await shared.session.call("patch", { mode: "patch", patch })).toMatchObject({
			files_modified: [at("git.txt")],
		});
		expect(text("git.txt")).toBe("a\nc\n");
	});

	test("keeps the encodings of its files", async () => {
		put("e/latin", Buffer.from("caf\xe9\r\nx\r\n", "latin1"));
		put("e/utf16", Buffer.from("\ufeffa ü\r\nb\r\n", "utf16le"));
		put("e/be", Buffer.from("\ufeffa 😀\nb\n", "utf16le").swap16());
		const names = ["latin", "utf16", "be"];
		const ops = ["x", "b", "b"].flatMap((line, index) => [
			`*** Update File: e/${names[index]}`,
			`-${line}`,
			`+${line}ß`,
		]);
		expect(await apply(...ops)).toMatchObject({ success: true });
		expect(await replace("e/latin", ["café", "thé"])).toMatchObject({ success: true });
		expect(await replace("e/utf16", ["a ü", "ä"])).toMatchObject({ success: true });
		expect(await replace("e/be", ["a 😀", "😁"])).toMatchObject({ success: true });
		expect(names.map((name) => readFileSync(at(`e/${name}`)).toString("hex"))).toEqual([
			Buffer.from("th\xe9\r\nx\xdf\r\n", "latin1").toString("hex"),
			Buffer.from("\ufeffä\r\nbß\r\n", "utf16le").toString("hex"),
			Buffer.from("\ufeff😁\nbß\n", "utf16le").swap16().toString("hex"),
		]);
		expect((await replace("e/latin", ["thé", "→"])).error).toContain("iconv");
	});

	test("moves a file that is no text, byte for byte", async () => {
		put("bin.dat", new Uint8Array([0, 255, 10, 13]));
		expect(await apply("*** Move File: bin.dat -> moved/bin.dat")).toMatchObject({ files_deleted: [at("bin.dat")] });
		expect([...readFileSync(at("moved/bin.dat"))]).toEqual([0, 255, 10, 13]);
	});

	test("says what a patch looks like when it is none", async () => {
		expect(
			(await shared.session.call("patch", { mode: "patch", patch: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" })).error,
		).toContain('"*** Begin Patch"');
	});
});

describe("patch of one file", () => {
	test("replaces the one occurrence and shows the change", async () => {
		put("f.txt", "one\ntwo\nthree\n");
		const path = at("f.txt");
		expect(await replace("f.txt", ["two", "TWO"])).toEqual({
			success: true,
			diff: [`--- a${path}`, `+++ b${path}`, "@@ -1,3 +1,3 @@", " one", "-two", "+TWO", " three"].join("\n"),
			replacements: 1,
			strategy: "exact",
			files_modified: [path],
			resolved_path: path,
			ran_on: "local",
		});
		expect(bytes("f.txt")).toBe("one\nTWO\nthree\n");
	});

	test("changes one line of a CRLF file and no other byte", async () => {
		put("c.txt", "\ufeffa\r\nb\r\nc\r\nlone\rx\n");
		expect(await replace("c.txt", ["b\nc", "B\nC"])).toMatchObject({ success: true });
		expect(readFileSync(at("c.txt"), "utf8")).toBe("\ufeffa\r\nB\r\nC\r\nlone\rx\n");
	});

	test("replaces all when asked, keeps mode and links", async () => {
		put("all.txt", "x y x\n");
		chmodSync(at("all.txt"), 0o640);
		symlinkSync("all.txt", at("all-link"));
		expect(await replace("all-link", ["x", "z"], { replace_all: true })).toMatchObject({
			replacements: 2,
			resolved_path: at("all.txt"),
			ran_on: "local",
		});
		expect({
			text: bytes("all.txt"),
			mode: statSync(at("all.txt")).mode & 0o777,
			link: lstatSync(at("all-link")).isSymbolicLink(),
		}).toEqual({
			text: "z y z\n",
			mode: 0o640,
			link: true,
		});
	});

	test.each([
		[["two", "two"], {}, "identical"],
		[["", "x"], {}, "empty"],
		[["q(z)", "x"], {}, "could not find old_string"],
		[["e", "E"], {}, "is there 3 times, at lines 1, 3, 3; add lines"],
	] as const)("refuses %j with %j and changes nothing", async (texts, more, reason) => {
		put("n.txt", "one\ntwo\nthree\n");
		expect(await replace("n.txt", texts, more)).toEqual({
			success: false,
			error: expect.stringContaining(reason),
			ran_on: "local",
			...(reason.startsWith("could") && { _hint: expect.stringContaining("read_file") }),
		});
		expect(bytes("n.txt")).toBe("one\ntwo\nthree\n");
	});

	test("keeps the bytes of a text that is not UTF-8, and refuses what is no text", async () => {
		put("latin.txt", Buffer.from("caf\xe9 x\n", "latin1"));
		expect(await replace("latin.txt", ["x", "y"])).toMatchObject({ success: true });
		expect(bytes("latin.txt")).toBe("caf\xe9 y\n");
		put("nul.bin", new Uint8Array([97, 0, 98]));
		expect((await replace("nul.bin", ["a", "c"])).error).toContain("not text");
	});

	test("refuses a missing file, a folder, a system file and a file of secrets", async () => {
		put("secret/.env", "A=1\n");
		expect((await replace("missing.txt", ["a", "b"])).error).toContain("not found");
		expect((await replace(".", ["a", "b"])).error).toContain("folder");
		expect((await replace("/etc/passwd", ["root", "toor"])).error).toContain("system");
		expect((await replace("secret/.env", ["A", "B"])).error).toContain("secrets");
	});

	test("works on a file of 5,000 lines with a line of 3,000 characters", async () => {
		const lines = Array.from({ length: 5_000 }, (_, index) => (index === 10 ? "l".repeat(3_000) : `line ${index}`));
		put("long.txt", lines.join("\n"));
		expect(await replace("long.txt", ["line 4500\n", "changed\n"])).toMatchObject({ success: true });
		lines[4_500] = "changed";
		expect(bytes("long.txt")).toBe(lines.join("\n"));
	});

	test("says what is missing, and refuses other modes", async () => {
		expect((await shared.session.call("patch", { mode: "replace" })).error).toContain("path is missing");
		expect((await shared.session.call("patch", { path: "x" })).error).toContain("old_string and new_string");
		expect((await shared.session.call("patch", { mode: "patch" })).error).toContain("patch is missing");
		expect((await shared.session.call("patch", { mode: "sed" })).error).toContain("mode");
	});
});
