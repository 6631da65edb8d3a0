/** What is said of changed files: only what the change has brought, by whatever the machine has. */

import { describe, expect, test } from "bun:test";
import { checkChange } from "../../../lib/files/check/check-change.ts";
import type { FilePlace } from "../../../lib/files/place.ts";
import { sharedToolSession } from "../../support/shared-tool-session.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const shared = sharedToolSession();
const check = (path: string, text: string, before?: string) =>
	checkChange(shared.session.context, { path, text, before: async () => before });
const checkAt = (place: FilePlace, path: string) => checkChange(place, { path, text: "x", before: async () => "" });

const good: readonly (readonly [string, string])[] = [
	["a.json", '{"a": [1, 2]}\n'],
	["tsconfig.json", '{\n// why\n"a": 1,\n}'],
	["a.yaml", "a: 1\n---\nb: !Ref x\nc: !Sub ['${y}', {y: 1}]\n"],
	["a.toml", "[x]\na = 2020-01-01\n"],
	["a.js", "#!/usr/bin/env node\nmodule.exports = <div>{1}</div>;\nreturn 1;\n"],
	["a.mjs", "export const x = await y;\n"],
	["a.ts", "@d class A<T> { constructor(private z: string) {} }\nlet x = <any>y;\nexport = x;\n"],
	["a.tsx", "const x = <T,>(a: T) => <b>{a}</b>;\n"],
	["a.py", "def f(a):\n    return a\n"],
	["a.sh", "for x in 1 2; do echo $x; done\n"],
	["a.go", "package a\n\nfunc f() {}\n"],
	["a.rs", "mod other;\nfn f() {}\n"],
	["tool", "#!/usr/bin/env python3\nprint(1)\n"],
	["bom.json", "\ufeff{}"],
];

const bad: readonly (readonly [string, string, string])[] = [
	["a.json", '{\n"a": 1\n"b": 2\n}', "line 2: JSON Parse error"],
	["a.json", "", "no JSON"],
	["a.yaml", "a: 1\nb: [1\nc: 2\n", "line "],
	["a.toml", "a = \n", "value"],
	["a.js", "const a = 1;\nfoo(\n", "line "],
	["a.ts", "let a = 1;\nlet b = (;\n", "line 2: Unexpected ;"],
	["a.py", "def f(:\n  pass\n", "line 1: SyntaxError: "],
	["a.py", "x = 1\n  y = 2\n", "line 2: IndentationError: "],
	["a.py", "return 1\n", "line 1: SyntaxError: 'return' outside function"],
	["a.sh", "if true; then\necho\n", "line 3: syntax error"],
	["run", "#!/bin/bash -e\necho (\n", "line 2: syntax error"],
	["run", "#!/bin/sh\necho (\n", "yntax error"],
	["a.go", "package a\nfunc f( {}\n", "line 2: "],
	["a.rs", "fn f() {\nlet x = ;\n}\n", "line 2: expected expression"],
];

const programs: Readonly<Record<string, string>> = { py: "python3", go: "gofmt", rs: "rustfmt", rb: "ruby" };
const isMissing = (path: string) => {
	const program = programs[path.split(".").at(-1) ?? ""];
	if (program === undefined) return false;
	// A shim of a version manager may be there without what it stands for; the session has another home.
	using home = temporaryFolder();
	const started =
		Bun.which(program) && Bun.spawnSync([program, "-h"], { env: { PATH: process.env.PATH, HOME: home.path } });
	return started === null || started === "" || started.exitCode !== 0;
};

describe("checkChange()", () => {
	test.each(good.filter(([path]) => !isMissing(path)))("finds nothing wrong with %s: %j", async (path, text) => {
		expect(await check(path, text)).toEqual({ status: "ok" });
	});

	test.each(bad.filter(([path]) => !isMissing(path)))("finds the fault in %s: %j", async (path, text, said) => {
		expect(await check(path, text)).toEqual({ status: "error", output: expect.stringContaining(said) });
	});

	test("reports what the change has brought, and not what was there before", async () => {
		const old = "first: 1\nbroken: [1\n";
		expect(await check("a.yaml", `# a line more\n${old}`, old)).toEqual({
			status: "error",
			message: "The file had these faults before; your change has brought no new ones",
		});
		expect(await check("a.json", '{"b": }', '{"a": 1}')).toEqual({ status: "error", output: expect.any(String) });
		expect(await check("a.py", "\n\ndef f(:\n", "def f(:\n")).toEqual({ status: "error", message: expect.any(String) });
		expect(await check("a.py", "def g(:\n", "def f(:\n")).toEqual({ status: "error", output: expect.any(String) });
	});

	test("takes a template for no fault", async () => {
		expect(await check("chart.yaml", "{{- if .x }}\na: 1\n{{- end }}\n")).toEqual({
			status: "skipped",
			message: "it looks like a template",
		});
	});

	test.each([["a.txt"], ["Makefile"], ["a.md"], [".profile"], ["a.constructor"]])(
		"says nothing of %s",
		async (path) => {
			expect(await check(path, "x (")).toBeUndefined();
		},
	);

	test("says what is missing, what does not work and what takes too long", async () => {
		const { context } = shared.session;
		const inFolder = (setup: string): FilePlace => ({
			execute: (command, options) =>
				context.execute(
					`${setup}\n${command.replace("PATH=/usr/bin:/bin:/usr/local/bin:$PATH", "PATH=$PWD/bin:/bin")}`,
					options,
				),
		});
		const make = (text: string) => `mkdir -p bin; printf '%s\\n' '#!/bin/sh' '${text}' >bin/gofmt; chmod +x bin/gofmt`;
		expect(await checkAt(inFolder("true"), "a.rb")).toEqual({
			status: "skipped",
			message: "there is no ruby to check it with",
		});
		expect(await checkAt(inFolder(make("echo cannot start >&2; exit 3")), "a.go")).toEqual({
			status: "skipped",
			message: "gofmt does not work here: cannot start",
		});
		const failing: FilePlace = { execute: () => Promise.reject(new Error("Cannot run: gone")) };
		expect(await checkAt(failing, "a.go")).toEqual({
			status: "skipped",
			message: "the check failed: Cannot run: gone",
		});
		expect(await check("a.json", `[${"1,".repeat(600_000)}1]`)).toEqual({
			status: "skipped",
			message: "it is too long to be checked",
		});
	});

	test("runs nothing that it reads", async () => {
		const { session, at } = shared;
		await check("a.py", `open(${JSON.stringify(at("ran"))}, "w")\n`);
		await check("a.sh", `touch ${at("ran")}\n`);
		await check("a.ts", `await Bun.write(${JSON.stringify(at("ran"))}, "");\n`);
		expect((await session.call("terminal", { command: "ls ran" })).exit_code).not.toBe(0);
	});
});

describe("file tools", () => {
	test("say what is wrong with the file that they have changed", async () => {
		const { session, at } = shared;
		expect(await session.call("write_file", { path: "w.json", content: "{" })).toMatchObject({
			bytes_written: 1,
			lint: { status: "error" },
		});
		expect(await session.call("write_file", { path: "w.json", content: "{}" })).toMatchObject({
			lint: { status: "ok" },
		});
		expect(await session.call("patch", { path: "w.json", old_string: "{}", new_string: "{]" })).toMatchObject({
			success: true,
			lint: { status: "error", output: expect.any(String) },
		});
		const patch = "*** Begin Patch\n*** Update File: w.json\n-{]\n+{}\n*** Add File: w.txt\n+x\n*** End Patch";
		const answer = await session.call("patch", { mode: "patch", patch });
		expect(answer).toMatchObject({ success: true, lint: { [at("w.json")]: { status: "ok" } } });
		expect(await session.call("write_file", { path: "w.txt", content: "{" })).not.toHaveProperty("lint");
	});
});
