/** What users of file tools have reported elsewhere: each test names its report. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { search } from "../../lib/files/search.ts";
import { sharedToolSession } from "../support/shared-tool-session.ts";

setDefaultTimeout(60_000);

const shared = sharedToolSession();
const { at } = shared;
const put = (name: string, content: string | Uint8Array) => {
	mkdirSync(dirname(at(name)), { recursive: true });
	writeFileSync(at(name), content);
};
const text = (name: string) => readFileSync(at(name), "utf8");
const replace = (path: string, [oldText, newText]: readonly [string, string]) =>
	shared.session.call("patch", { path, old_string: oldText, new_string: newText });
const apply = (patch: string) => shared.session.call("patch", { mode: "patch", patch });

describe("patch", () => {
	test("keeps a backslash and an r in a table with CRLF (Hermes-CN-Core#183)", async () => {
		put("table.md", "| a | dir\\run.bat |\r\n| b | dir\\read.bat |\r\n| c | x |\r\n");
		const [old, fresh] = ["| a | dir\\run.bat |\n| b | dir\\read.bat |", "| a | new\\run.bat |\n| b | new\\read.bat |"];
		expect(await replace("table.md", [old, fresh])).toMatchObject({ success: true });
		expect(text("table.md")).toBe("| a | new\\run.bat |\r\n| b | new\\read.bat |\r\n| c | x |\r\n");
	});

	test("keeps the indent of a block whose old text begins at column 0 (#88264)", async () => {
		const lines = (y: number) => [
			"def outer():",
			"    x = 1",
			"    if x:",
			`        y = ${y}`,
			`        print(y + ${y})`,
			"    return x",
			"",
		];
		put("indent.py", lines(2).join("\r\n"));
		const block = (y: number) => `if x:\n        y = ${y}\n        print(y + ${y})`;
		expect(await replace("indent.py", [block(2), block(3)])).toMatchObject({ success: true });
		expect(text("indent.py")).toBe(lines(3).join("\r\n"));
	});

	test("writes a line end where the old text had to be unescaped (#59188)", async () => {
		put("escaped.txt", "line1\nline2\nline3\n");
		expect(await replace("escaped.txt", ["line1\\nline2", "lineA\\nlineB"])).toMatchObject({ success: true });
		expect(text("escaped.txt")).toBe("lineA\nlineB\nline3\n");
	});

	test("never takes one line for another that resembles it (#54572)", async () => {
		put("near.txt", "alpha(1)\nbeta(2)\ngamma(3)\n");
		const answer = await replace("near.txt", ["alpha(1)\nbeta(9)\ngamma(3)", "alpha(1)\nbeta(10)\ngamma(3)"]);
		expect(answer.error).toContain("could not find");
		expect(text("near.txt")).toBe("alpha(1)\nbeta(2)\ngamma(3)\n");
	});

	test("changes a long file in its hunk alone, and nothing when one operation fails (#6831)", async () => {
		const lines = Array.from({ length: 5_000 }, (_, index) => (index === 100 ? "w".repeat(3_000) : `line ${index}`));
		put("long.txt", `${lines.join("\n")}\n`);
		await apply("*** Begin Patch\n*** Update File: long.txt\n line 4499\n-line 4500\n+new\n*** End Patch");
		lines[4_500] = "new";
		expect(text("long.txt")).toBe(`${lines.join("\n")}\n`);
		const three = "*** Add File: first\n+1\n*** Update File: long.txt\n-no such line\n+x\n*** Add File: third\n+3\n";
		expect((await apply(`*** Begin Patch\n${three}*** End Patch`)).error).toContain("no file was changed");
		expect((await apply("*** Begin Patch\n*** Update File: long.txt\n*** End Patch")).error).toContain("line 2");
		expect((await shared.session.call("terminal", { command: "ls first third" })).exit_code).not.toBe(0);
	});

	test("reads markers with CRLF, blanks behind them and no last line end (codex#3953)", async () => {
		put("shell.txt", "a\nb\n");
		expect(await apply("*** Begin Patch  \r\n*** Update File: shell.txt \r\n-b\r\n+c\r\n*** End Patch ")).toMatchObject(
			{ success: true },
		);
		expect(text("shell.txt")).toBe("a\nc\n");
	});

	test("keeps CRLF in update, add, deletion of lines, move and several hunks (codex#25866)", async () => {
		put("crlf.txt", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n");
		const hunks = "@@\n 1\n-2\n+two\n@@\n 4\n-5\n 6\n@@\n 8\n+9\n";
		expect(
			await apply(`*** Begin Patch\n*** Update File: crlf.txt\n*** Move to: moved.txt\n${hunks}*** End Patch`),
		).toMatchObject({ success: true });
		expect(text("moved.txt")).toBe("1\r\ntwo\r\n3\r\n4\r\n6\r\n7\r\n8\r\n9\r\n");
	});

	test("changes one line of a file with CRLF, as git sees it too (openclaw#115943)", async () => {
		put("stat/f.txt", Array.from({ length: 30 }, (_, index) => `line ${index}\r\n`).join(""));
		const git = "git -C stat -c core.autocrlf=false";
		await shared.session.call("terminal", { command: `git init -q stat && ${git} add f.txt` });
		await apply("*** Begin Patch\n*** Update File: stat/f.txt\n line 9\n-line 10\n+ten\n line 11\n*** End Patch");
		const { output } = await shared.session.call("terminal", { command: `${git} diff --numstat` });
		expect(output).toBe("1\t1\tf.txt");
	});

	test("changes a Latin-1 file, and says what it cannot write into it (arbos#742)", async () => {
		put("latin.txt", Buffer.from("caf\xe9 one\n", "latin1"));
		expect(await replace("latin.txt", ["one", "two"])).toMatchObject({ success: true });
		expect(readFileSync(at("latin.txt")).toString("latin1")).toBe("caf\xe9 two\n");
		expect((await replace("latin.txt", ["two", "→"])).error).toContain("iconv");
	});

	test("leaves tabs elsewhere alone, and names the lines of several hits (harness-sdk#3175)", async () => {
		put("tabs.c", "\tint a;\n\t\tint b;\nint c;\n\tint a;\n");
		expect(await replace("tabs.c", ["int c;", "int d;"])).toMatchObject({ success: true });
		expect(text("tabs.c")).toBe("\tint a;\n\t\tint b;\nint d;\n\tint a;\n");
		expect((await replace("tabs.c", ["int a;", "x"])).error).toContain("at lines 1, 4");
	});

	test("finds text with CRLF in a file with a mark and CRLF (qwen-code#2513)", async () => {
		put("mark.cs", "\ufeffusing A;\r\nusing B;\r\n");
		expect(await replace("mark.cs", ["using A;\r\nusing B;", "using C;\r\nusing D;"])).toMatchObject({ success: true });
		expect(text("mark.cs")).toBe("\ufeffusing C;\r\nusing D;\r\n");
	});

	test("shows the closest lines with their numbers for a text that was cut (aider#830)", async () => {
		put("cut.py", "a = 1\n\ndef compute_total(values):\n    return sum(values)\n");
		const { error } = await replace("cut.py", ["def compute_total(valuez):\n    return su", "x"]);
		expect(error).toContain("   3| def compute_total(values):");
	});

	test("finds Chinese text with tabs, in UTF-8 and as bytes of another encoding (claude-code#371)", async () => {
		put("cn.txt", "\t名称\t值\n\t数量\t1\n");
		expect(await replace("cn.txt", ["\t数量\t1", "\t数量\t2"])).toMatchObject({ success: true });
		expect(text("cn.txt")).toBe("\t名称\t值\n\t数量\t2\n");
		// 数量 in GB18030.
		put("gb.txt", Buffer.from([0xca, 0xfd, 0xc1, 0xbf, 0x09, 0x31, 0x0a]));
		expect(await replace("gb.txt", ["1", "2"])).toMatchObject({ success: true });
		expect([...readFileSync(at("gb.txt"))]).toEqual([0xca, 0xfd, 0xc1, 0xbf, 0x09, 0x32, 0x0a]);
	});
});

test.each([
	["a character split by the 1,000th byte", `${"a".repeat(999)}ç and more\n`],
	["a character split by the 4,096th byte", `${"a".repeat(4_095)}ç and more\n`.repeat(100)],
	["400 wide characters", "漢字".repeat(200)],
])("read_file takes %s for text (#83863)", async (name, content) => {
	put(name, content);
	expect(await shared.session.call("read_file", { path: name, limit: 1 })).toMatchObject({ is_binary: false });
});

test("write_file writes what looks like code of a shell or a pattern as it is (#51333)", async () => {
	const content = "f = open('x')\n\\1 \\g<0> $& $1 %s {} $HOME `id` $(id)\nEOF\n'EOF'\nHERMES_EOF\n\0end";
	await shared.session.call("write_file", { path: "odd.txt", content });
	expect(text("odd.txt")).toBe(content);
});

describe.each(["auto", "grep"] as const)("search with %s", (program) => {
	const isMissing = program === "auto" && Bun.which("rg") === null;
	const run = (pattern: string, path: string, glob?: string) =>
		search(shared.session.context, { mode: "content", pattern, path, glob, wanted: 10, context: 0, program });

	test.skipIf(isMissing)("finds what is below a folder with a dot (#18473)", async () => {
		put(".x/y/f.txt", "needle\n");
		expect(await run("needle", "~/.x/y")).toMatchObject({ ok: true, records: [{ path: "f.txt" }] });
	});

	test.skipIf(isMissing)("shows the same with every pattern for names, and refuses a wrong one (#57366)", async () => {
		put(".d/config.txt", "needle\n");
		put(".d/.hidden-config", "needle\n");
		const shown = { ok: true, records: [{ path: "config.txt" }] };
		expect(await run("needle", ".d", "*")).toMatchObject(shown);
		expect(await run("needle", ".d", "*config*")).toMatchObject(shown);
		expect(await run("needle", ".d", "[")).toMatchObject({ ok: false });
		const nothing = await shared.session.call("search_files", { pattern: "no such thing", path: ".d" });
		expect(nothing).toMatchObject({ total_count: 0, _hint: expect.stringContaining("Hidden files") });
	});
});
