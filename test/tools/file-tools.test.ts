/** The file tools in a real shell session, on real files. */

import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPage } from "../../lib/files/read.ts";
import { runScript, stampField } from "../../lib/files/run-script.ts";
import { readWholeScript } from "../../lib/files/scripts/read-script.ts";
import { sharedToolSession } from "../support/shared-tool-session.ts";

const shared = sharedToolSession();

const { at } = shared;
const put = (name: string, content: string | Uint8Array) => {
	mkdirSync(join(at(name), ".."), { recursive: true });
	writeFileSync(at(name), content);
	return name;
};
const bytes = (name: string) => readFileSync(at(name)).toString("latin1");
/** An answer but for the place, which one test is about. */
const call = async (tool: string, args: Record<string, unknown>) => {
	const { ran_on: _, ...answer } = await shared.session.call(tool, args);
	return answer;
};
const read = (path: string, more = {}) => call("read_file", { path, ...more });
const write = (path: string, content: string) => call("write_file", { path, content });
const patch = (path: string, [oldText, newText]: readonly [string, string]) =>
	shared.session.call("patch", { path, old_string: oldText, new_string: newText });
const textOf = (content: string, [total, size]: readonly [number, number], more = {}) => ({
	content,
	total_lines: total,
	file_size: size,
	truncated: false,
	is_binary: false,
	is_image: false,
	...more,
});

describe("read_file", () => {
	test.each([
		["a\nb\n", textOf("1|a\n2|b", [2, 4])],
		["a\nb", textOf("1|a\n2|b", [2, 3])],
		["", textOf("", [0, 0], { hint: "The file is empty" })],
		["\n", textOf("1|", [1, 1])],
		["\n\na", textOf("1|\n2|\n3|a", [3, 3])],
		["a\r\nb\r\n", textOf("1|a\n2|b", [2, 6])],
		["\ufeffa\n", textOf("1|a", [1, 5])],
		["  deep\n\ttab\n", textOf("1|  deep\n2|\ttab", [2, 12])],
		["ünï→😀\n", textOf("1|ünï→😀", [1, 13])],
	])("numbers the lines of %j", async (content, expected) => {
		expect(await read(put("r.txt", content))).toEqual(expected);
	});

	test("pages, tells the next offset and says when the end is passed", async () => {
		put("p.txt", "1\n2\n3\n4\n5");
		expect(await read("p.txt", { offset: 2, limit: 2 })).toEqual(
			textOf("2|2\n3|3", [5, 9], { truncated: true, hint: "Showing lines 2-3 of 5; go on with offset 4" }),
		);
		expect(await read("p.txt", { offset: 4, limit: 2 })).toEqual(textOf("4|4\n5|5", [5, 9]));
		expect(await read("p.txt", { offset: 9 })).toEqual(
			textOf("", [5, 9], { hint: "The file has 5 lines; offset 9 is past its end" }),
		);
	});

	test("shows the same lines once while the file stays the same", async () => {
		put("again.txt", "1\n2\n");
		const stub = {
			status: "unchanged",
			message: expect.stringContaining("has not changed"),
			path: at("again.txt"),
			dedup: true,
			content_returned: false,
		};
		const blocked = { error: expect.stringMatching(/^BLOCKED: /), path: at("again.txt") };
		expect(await read("again.txt")).toMatchObject({ content: "1|1\n2|2" });
		expect(await read("again.txt")).toEqual(stub);
		expect(await read("./again.txt")).toEqual({ ...blocked, already_read: 3 });
		expect(await read("again.txt")).toEqual({ ...blocked, already_read: 4 });
		expect(await read("again.txt", { limit: 1 })).toMatchObject({ content: "1|1" });
		await shared.session.call("terminal", { command: "true" });
		expect(await read("again.txt")).toEqual(stub);
		put("again.txt", "3\n4\n");
		expect(await read("again.txt")).toMatchObject({ content: "1|3\n2|4" });
		await patch("again.txt", ["3", "5"]);
		expect(await read("again.txt")).toMatchObject({ content: "1|5\n2|4" });
		shared.session.context.fileState?.pages.forget("test");
		expect(await read("again.txt")).toMatchObject({ content: "1|5\n2|4" });
	});

	test("shows a script what it asks for, however often", async () => {
		put("script.txt", "1\n");
		const context = { ...shared.session.context, isScript: true };
		const request = { path: "script.txt", offset: 1, limit: 10 };
		for (let time = 0; time < 3; time++) expect(await readPage(context, request)).toMatchObject({ content: "1|1" });
		expect(await read("script.txt")).toMatchObject({ content: "1|1" });
	});

	test.each([
		["no file", undefined],
		["a pipe", "fifo-direct"],
		["a device", "/dev/null"],
		["a file of the kernel", "/proc/self/status"],
		["an empty file", "empty-direct"],
	])("takes a process for %s", async (_, path = "nothing-here") => {
		if (path === "fifo-direct" && !existsSync(at(path))) Bun.spawnSync(["mkfifo", at(path)]);
		if (path === "empty-direct") put(path, "");
		expect(await shared.session.context.readDirectly?.(path)).toBeUndefined();
	});

	test("gives a file the same stamp with and without a process", async () => {
		const path = put("stamp.txt", "x\n");
		const direct = await shared.session.context.readDirectly?.(path);
		const answer = await runScript(shared.session.context, { script: readWholeScript, args: [path, "100"] });
		expect(stampField(answer.fields)).toBe(direct?.stamp ?? "none");
	});

	test("moves odd pages into range instead of refusing them", async () => {
		put("p.txt", "1\n2\n");
		expect(await read("p.txt", { offset: -3, limit: 0 })).toMatchObject({ content: "1|1", truncated: true });
		expect(await read("p.txt", { offset: "x", limit: 1e9 })).toMatchObject({ content: "1|1\n2|2" });
	});

	test("cuts long lines and never inside a character", async () => {
		put("l.txt", `${"x".repeat(3_000)}\n${"😀".repeat(4_000)}\n${"ü".repeat(1_999)}😀y\nend\n`);
		const lines = String((await read("l.txt")).content).split("\n");
		expect(lines).toEqual([
			`1|${"x".repeat(2_000)}... [truncated]`,
			`2|${"😀".repeat(1_000)}... [truncated]`,
			`3|${"ü".repeat(1_999)}... [truncated]`,
			"4|end",
		]);
	});

	test.each([
		["a character split by the end of the sample", `${"a".repeat(4_095)}ç and more\n`],
		["nothing but wide characters", "漢字".repeat(2_000)],
	])("takes %s for text", async (_, content) => {
		expect(await read(put("t.txt", content))).toMatchObject({ is_binary: false });
	});

	test("refuses a page of more than 100,000 characters", async () => {
		put("big.txt", `${"y".repeat(1_500)}\n`.repeat(100));
		const answer = await read("big.txt");
		expect(answer).toEqual({
			error: expect.stringContaining("more than 100000 characters"),
			path: at("big.txt"),
			total_lines: 100,
			file_size: 150_100,
		});
		expect(await read("big.txt", { limit: 20 })).toMatchObject({ truncated: true });
		put("huge.txt", `${"y".repeat(9_000)}\n`.repeat(2_000));
		expect((await read("huge.txt")).error).toContain("more than 100000 characters");
	});

	test.each([
		[
			"x.png",
			new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]),
			{ is_binary: true, is_image: true, error: expect.stringContaining("vision") },
		],
		["x.bin", new Uint8Array([1, 2, 3, 0, 5]), { is_binary: true, is_image: false }],
		["ctl.txt", new Uint8Array(100).fill(7), { is_binary: true }],
		[
			"u16.txt",
			Buffer.from(`\ufeff${"a\n".repeat(1_100_000)}`, "utf16le"),
			{ is_binary: false, error: expect.stringContaining("iconv") },
		],
	])("shows nothing of %s", async (name, content, expected) => {
		const answer = await read(put(name, content));
		expect(answer).toMatchObject(expected);
		expect(answer).not.toHaveProperty("content");
	});

	test("shows Latin-1 with a warning, in short and in long files", async () => {
		const warning = { encoding: "latin-1", _warning: expect.stringContaining("shown as Latin-1") };
		expect(await read(put("l1.txt", Buffer.from("caf\xe9\n", "latin1")))).toMatchObject({
			content: "1|café",
			...warning,
		});
		put("l2.txt", Buffer.from(`caf\xe9\n${"x\n".repeat(80_000)}`, "latin1"));
		expect(await read("l2.txt", { limit: 1 })).toMatchObject({ content: "1|café", total_lines: 80_001, ...warning });
	});

	test.each([
		["utf-16le", Buffer.from("\ufeffa ü\r\n😀", "utf16le")],
		["utf-16be", Buffer.from("\ufeffa ü\r\n😀", "utf16le").swap16()],
	])("shows %s", async (encoding, content) => {
		expect(await read(put("u.txt", content))).toMatchObject({ content: "1|a ü\n2|😀", encoding, total_lines: 2 });
	});

	test("names similar files for a missing one", async () => {
		put("similar/config.json", "");
		put("similar/configure.ts", "");
		put("similar/unrelated.zz", "");
		expect(await read("similar/config.yaml")).toEqual({
			error: "File not found: similar/config.yaml",
			similar_files: [at("similar/config.json")],
		});
		expect(await read("no/where/x")).toEqual({ error: "File not found: no/where/x" });
	});

	test.each([
		["/dev/zero", "device"],
		["/proc/self/environ", "inside of a process"],
		[".", "folder"],
		["fifo", "pipe"],
		["to-zero", "device"],
		["loop", "circle"],
		[".env", "secrets"],
		["to-env", "secrets"],
		["r.txt/x", "not found"],
		["/proc/kmsg", "never ends"],
		["to-kmsg", "never ends"],
		["\ud800x", "half of a character"],
	])("refuses %j", async (path, reason) => {
		put("r.txt", "");
		put(".env", "KEY=1");
		if (!existsSync(at("fifo"))) {
			Bun.spawnSync(["mkfifo", at("fifo")]);
			symlinkSync("/dev/zero", at("to-zero"));
			symlinkSync("loop", at("loop"));
			symlinkSync("/proc/kmsg", at("to-kmsg"));
			symlinkSync(".env", at("to-env"));
		}
		expect(String((await read(path)).error).toLowerCase()).toContain(reason.toLowerCase());
	});

	test.each(["-n", "--help", "a b", "a'b\"c", "$HOME", "`x`", "line\nend", "*", "ünï", "~x", " "])(
		"opens a file named %j",
		async (name) => {
			put(`odd/${name}`, "here\n");
			await shared.session.call("terminal", { command: "cd odd" });
			expect(await read(name)).toMatchObject({ content: "1|here" });
			expect(await write(name, "there\n")).toMatchObject({ resolved_path: at(`odd/${name}`) });
			expect(await patch(name, ["there", "where"])).toMatchObject({ success: true });
			expect(bytes(`odd/${name}`)).toBe("where\n");
			await shared.session.call("terminal", { command: "cd .." });
		},
	);

	test("knows ~ as the session does, and ~root from the system", async () => {
		put("home.txt", "mine\n");
		expect(await read("~/home.txt")).toMatchObject({ content: "1|mine" });
		expect((await read("~nobody-here/x")).error).toContain("not found");
	});

	test("is not fooled by functions, aliases and settings of the session", async () => {
		put("plain.txt", "plain\n");
		await shared.session.call("terminal", {
			command:
				"cat() { echo no; }; sed() { echo no; }; base64() { echo no; }; alias wc='echo no'; export -f cat sed base64; export GREP_OPTIONS=-v; set -eu; CDPATH=/; export CDPATH",
		});
		expect(await read("plain.txt")).toMatchObject({ content: "1|plain" });
		expect(await write("plain.txt", "new\n")).toMatchObject({ bytes_written: 4 });
		await shared.session.call("terminal", {
			command: "unset -f cat sed base64; unalias wc; unset GREP_OPTIONS CDPATH; set +eu",
		});
	});
});
