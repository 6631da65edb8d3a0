/** Searching with ripgrep and with find and grep: the same answers. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Found, type SearchRequest, search } from "../../lib/files/search.ts";
import { parseMatch } from "../../lib/files/search-records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openToolSession, type ToolSession } from "../support/tool-session.ts";

const files: Readonly<Record<string, string>> = {
	"src/a.ts": "alpha\nbeta one\ngamma\nbeta two\n",
	"src/b.py": "beta\n--pre=x\n-v\n",
	"src/deep/c.ts": "nothing\nBeta\nx9y\n",
	"src/name-12-x.ts": "before\nneedle\nafter\n",
	"docs/colon:3:x.md": "needle here\n",
	".hidden/h.ts": "beta hidden\n",
	".config.ts": "beta in dot file\n",
	".x/y/z.ts": "beta below a dot\n",
	".env": "beta=secret\n",
	"-odd/-n.ts": "odd beta\n",
	"bin/data.bin": "beta\0\u0001",
	"many/m.txt": "hit\n".repeat(30),
	"lines/a\nb\n\n/--\nc\n7:d.ts": "line ends\n2\nof 3\n4\n5\n6\nof 7\n8\nline 9\n",
	"backslash/a\\b.txt": "",
	"backslash/*": "",
};

let folder: ReturnType<typeof temporaryFolder>;
let session: ToolSession;
beforeAll(async () => {
	folder = temporaryFolder();
	for (const [index, [name, content]] of Object.entries(files).entries()) {
		const path = join(folder.path, name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, content);
		utimesSync(path, 1_000_000 + index, 1_000_000 + index);
	}
	session = await openToolSession(folder.path);
});
afterAll(async () => {
	await session[Symbol.asyncDispose]();
	folder[Symbol.dispose]();
});

/** An answer but for the place. */
const call = async (args: Record<string, unknown>) => {
	const { ran_on: _, ...answer } = await session.call("search_files", args);
	return answer as Record<string, unknown>;
};

describe.each(["auto", "grep"] as const)("search() with program %s", (program) => {
	const isMissing = program === "auto" && Bun.which("rg") === null;
	const run = (request: Partial<SearchRequest>) =>
		search(session.context, {
			mode: "content",
			pattern: "",
			path: ".",
			glob: undefined,
			wanted: 1_000,
			context: 0,
			program,
			...request,
		});
	const found = async (request: Partial<SearchRequest>): Promise<Found> => {
		const answer = await run(request);
		if (!answer.ok) throw new Error(answer.error);
		return answer;
	};
	const matches = async (request: Partial<SearchRequest>) =>
		(await found(request)).records
			.flatMap((record) => parseMatch(record) ?? [])
			.map(({ path, line, content }) => `${path}|${line}|${content}`)
			.sort();
	const names = async (request: Partial<SearchRequest>) =>
		(await found({ mode: "names", ...request })).records.map(({ path }) => path);

	test.skipIf(isMissing)("finds lines, leaves out hidden files and data", async () => {
		expect(await matches({ pattern: "beta" })).toEqual([
			"-odd/-n.ts|1|odd beta",
			"src/a.ts|2|beta one",
			"src/a.ts|4|beta two",
			"src/b.py|1|beta",
		]);
	});

	test.skipIf(isMissing).each([
		["--pre=x", ["src/b.py|2|--pre=x"]],
		["-v", ["src/b.py|3|-v"]],
		["x\\dy", ["src/deep/c.ts|3|x9y"]],
		["^(?:alpha|gamma)$", ["src/a.ts|1|alpha", "src/a.ts|3|gamma"]],
		["needle", ["docs/colon:3:x.md|1|needle here", "src/name-12-x.ts|2|needle"]],
		["no such text", []],
	])("takes %j as a pattern and never as an option", async (pattern, expected) => {
		expect(await matches({ pattern })).toEqual(expected);
	});

	test.skipIf(isMissing)("runs no program that a pattern or a configuration names", async () => {
		const script = join(folder.path, "../", `${folder.path.split("/").at(-1)}-ran`);
		writeFileSync(`${script}.sh`, `#!/bin/sh\ntouch ${script}\ncat "$1"\n`, { mode: 0o755 });
		writeFileSync(`${script}.conf`, `--pre=${script}.sh\n`);
		await session.call("terminal", { command: `export RIPGREP_CONFIG_PATH=${script}.conf` });
		await run({ pattern: `--pre=${script}.sh` });
		await run({ pattern: "beta", glob: `--pre=${script}.sh` });
		await session.call("terminal", { command: `unset RIPGREP_CONFIG_PATH; rm -f ${script}.sh ${script}.conf` });
		expect(existsSync(script)).toBe(false);
	});

	test.skipIf(isMissing).each([
		["*.py", ["src/b.py|1|beta"]],
		["*.{py,md}", ["src/b.py|1|beta"]],
		["*", ["-odd/-n.ts|1|odd beta", "src/a.ts|2|beta one", "src/a.ts|4|beta two", "src/b.py|1|beta"]],
		[".config*", [".config.ts|1|beta in dot file"]],
		["src/**/*.ts", ["src/a.ts|2|beta one", "src/a.ts|4|beta two"]],
		["-n.ts", ["-odd/-n.ts|1|odd beta"]],
	])("looks only at files like %s", async (glob, expected) => {
		expect(await matches({ pattern: "beta", glob })).toEqual(expected);
	});

	test.skipIf(isMissing)("searches a hidden folder that is named, and a single file", async () => {
		expect(await matches({ pattern: "beta", path: ".x/y" })).toEqual(["z.ts|1|beta below a dot"]);
		expect(await matches({ pattern: "beta", path: ".hidden" })).toEqual(["h.ts|1|beta hidden"]);
		const single = await found({ pattern: "beta", path: "src/b.py" });
		expect(single.records.map(({ path }) => single.show(path))).toEqual(["src/b.py"]);
		expect(await matches({ pattern: "beta", path: "./-odd" })).toEqual(["-n.ts|1|odd beta"]);
		expect(await matches({ pattern: "beta", path: "-odd" })).toEqual(["-n.ts|1|odd beta"]);
	});

	test.skipIf(isMissing)("shows lines around a match", async () => {
		const lines = (await found({ pattern: "needle", path: "src", context: 1 })).records.flatMap(
			(record) => parseMatch(record) ?? [],
		);
		expect(lines).toEqual([
			{ path: "name-12-x.ts", line: 1, content: "before", isContext: true },
			{ path: "name-12-x.ts", line: 2, content: "needle", isContext: false },
			{ path: "name-12-x.ts", line: 3, content: "after", isContext: true },
		]);
	});

	test.skipIf(isMissing)("counts, and names files", async () => {
		const counts = (await found({ mode: "count", pattern: "beta" })).records;
		expect(counts.map(({ path, rest }) => `${path} ${rest}`).sort()).toEqual([
			"-odd/-n.ts 1",
			"src/a.ts 2",
			"src/b.py 1",
		]);
		expect((await found({ mode: "files_only", pattern: "beta" })).records.map(({ path }) => path).sort()).toEqual([
			"-odd/-n.ts",
			"src/a.ts",
			"src/b.py",
		]);
	});

	test.skipIf(isMissing)("finds names, newest first", async () => {
		const newestFirst = ["-odd/-n.ts", "src/name-12-x.ts", "src/deep/c.ts", "src/a.ts"];
		expect((await names({ glob: "*.ts" })).filter((name) => !name.startsWith("lines/"))).toEqual(newestFirst);
		expect(await names({ glob: "*.{py,md}" })).toEqual(["docs/colon:3:x.md", "src/b.py"]);
		expect(await names({ glob: ".*" })).toEqual(expect.arrayContaining([".config.ts"]));
	});

	test.skipIf(isMissing)("takes a name with line ends for one name", async () => {
		const path = "lines/a\nb\n\n/--\nc\n7:d.ts";
		const near = { path: "lines", context: 1 };
		expect({
			matches: (await found({ pattern: "line", path: "lines" })).records.map(parseMatch),
			around: (await found({ pattern: "of", ...near })).records.map(parseMatch),
			files: (await found({ mode: "files_only", pattern: "line" })).records,
			counts: (await found({ mode: "count", pattern: "line" })).records,
			names: await names({ glob: "*:d.ts" }),
			below: await names({ glob: "lines/**/*.ts" }),
		}).toEqual({
			matches: [
				{ path: path.slice(6), line: 1, content: "line ends", isContext: false },
				{ path: path.slice(6), line: 9, content: "line 9", isContext: false },
			],
			around: [
				{ path: path.slice(6), line: 2, content: "2", isContext: true },
				{ path: path.slice(6), line: 3, content: "of 3", isContext: false },
				{ path: path.slice(6), line: 4, content: "4", isContext: true },
				{ path: path.slice(6), line: 6, content: "6", isContext: true },
				{ path: path.slice(6), line: 7, content: "of 7", isContext: false },
				{ path: path.slice(6), line: 8, content: "8", isContext: true },
			],
			files: [{ path, rest: "" }],
			counts: [{ path, rest: "2" }],
			names: [path],
			below: [path],
		});
	});

	test.skipIf(isMissing || !existsSync("/proc/kmsg"))("opens no file of the kernel that never ends", async () => {
		const glob = "{comm,environ,mem,pagemap}";
		const own = await found({ pattern: ".", path: `/proc/${process.pid}`, mode: "files_only", glob });
		expect(new Set(own.records.map(({ path }) => path.split("/").at(-1)))).toEqual(new Set(["comm"]));
		expect(await run({ pattern: "x", path: "/proc/kmsg" })).toEqual({
			ok: false,
			error: 'Cannot search "/proc/kmsg": it never ends, or waits for ever',
		});
	});

	test.skipIf(isMissing).each([
		[{ pattern: "[" }, "Search failed:"],
		[{ pattern: "a", glob: "[" }, "no file name pattern"],
		[{ pattern: "a", glob: "{a" }, "no file name pattern"],
		[{ pattern: "a", glob: "*\\" }, "no file name pattern"],
		[{ pattern: "a\nb" }, "line end"],
		[{ pattern: "a", path: "sr" }, "Path not found: sr. Similar paths: src"],
		[{ pattern: "a", path: "/dev/null" }, "neither a folder nor a file"],
	])("answers %j with an error", async (request, reason) => {
		expect(await run(request)).toEqual({ ok: false, error: expect.stringContaining(reason) });
	});
});

describe("search_files", () => {
	test("pages and says that there is more", async () => {
		const first = await call({ pattern: "hit", limit: 10 });
		expect(first).toMatchObject({
			total_count: 30,
			truncated: true,
			more: true,
			_hint: expect.stringContaining("offset 10"),
		});
		expect(first.matches).toHaveLength(10);
		const last = await call({ pattern: "hit", limit: 10, offset: 20 });
		expect(last).toEqual({
			total_count: 30,
			matches: Array.from({ length: 10 }, (_, index) => ({ path: "many/m.txt", line: 21 + index, content: "hit" })),
		});
	});

	test("pages to the end through names of many lines, and says in every mode that there is more", async () => {
		const names = Array.from({ length: 12 }, (_, index) => `many-lines/${"\n".repeat(30)}${index}.x`).sort();
		for (const name of names) {
			mkdirSync(dirname(join(folder.path, name)), { recursive: true });
			writeFileSync(join(folder.path, name), "page\n");
		}
		const pages = async (args: Record<string, unknown>) => {
			const answers: Record<string, unknown>[] = [];
			for (let offset = 0; offset < 12; offset += 5)
				answers.push(await call({ pattern: "page", path: "many-lines", limit: 5, offset, ...args }));
			return answers;
		};
		const more = [true, true, undefined];
		const [byFile, byCount, byName] = await Promise.all([
			pages({ output_mode: "files_only" }),
			pages({ output_mode: "count" }),
			pages({ pattern: ".x", target: "files" }),
		]);
		expect({
			byFile: byFile.flatMap(({ files }) => files),
			byCount: byCount.flatMap(({ counts }) => Object.keys(counts as object)),
			byName: byName.flatMap(({ files }) => files as string[]).sort(),
			more: [byFile, byCount, byName].map((answers) => answers.map(({ truncated }) => truncated)),
		}).toEqual({ byFile: names, byCount: names, byName: names, more: [more, more, more] });
	});

	test("warns of a search that finds the same again and again, and then refuses it", async () => {
		const again = { pattern: "alpha", path: "src" };
		const answers = [];
		for (let time = 0; time < 4; time++) answers.push(await call(again));
		const matches = [{ path: "src/a.ts", line: 1, content: "alpha" }];
		const plain = { total_count: 1, matches };
		expect(answers).toEqual([
			plain,
			plain,
			{ ...plain, _warning: expect.stringContaining("third time") },
			{ error: expect.stringMatching(/^BLOCKED: /), pattern: "alpha", already_searched: 4 },
		]);
		await call({ pattern: "beta", path: "src" });
		expect(await call(again)).toEqual(plain);
	});

	test("takes a backslash in a name for a backslash", async () => {
		expect(await call({ pattern: "\\", target: "files" })).toEqual({ total_count: 1, files: ["backslash/a\\b.txt"] });
		expect(await call({ pattern: "\\*", target: "files" })).toEqual({ total_count: 1, files: ["backslash/*"] });
	});

	test("shows paths as they were asked for", async () => {
		expect(await call({ pattern: "alpha", path: "src" })).toMatchObject({ matches: [{ path: "src/a.ts", line: 1 }] });
		expect(await call({ pattern: "alpha", path: join(folder.path, "src") })).toMatchObject({
			matches: [{ path: join(folder.path, "src/a.ts") }],
		});
		expect(await call({ pattern: "alpha", path: "~/src" })).toMatchObject({
			matches: [{ path: join(folder.path, "src/a.ts") }],
		});
	});

	test("marks context lines", async () => {
		expect((await call({ pattern: "needle", path: "src", context: 1 })).matches).toEqual([
			{ path: "src/name-12-x.ts", line: 1, content: "before", context: true },
			{ path: "src/name-12-x.ts", line: 2, content: "needle" },
			{ path: "src/name-12-x.ts", line: 3, content: "after", context: true },
		]);
	});

	test("finds files by a part of the name, with both words for it", async () => {
		expect(await call({ pattern: "name", target: "files" })).toEqual({ total_count: 1, files: ["src/name-12-x.ts"] });
		expect(await call({ pattern: "*.py", target: "find" })).toEqual({ total_count: 1, files: ["src/b.py"] });
	});

	test("counts per file", async () => {
		expect(await call({ pattern: "beta", path: "src", output_mode: "count" })).toEqual({
			total_count: 2,
			counts: { "src/a.ts": 2, "src/b.py": 1 },
		});
	});

	test("shows nothing of files that hold secrets", async () => {
		expect(await call({ pattern: "beta", file_glob: ".env" })).toMatchObject({ total_count: 0, matches: [] });
		expect(await call({ pattern: "beta", path: ".env" })).toMatchObject({ total_count: 0 });
		if (!existsSync(join(folder.path, "plain"))) symlinkSync(".env", join(folder.path, "plain"));
		expect(await call({ pattern: "beta", path: "plain" })).toMatchObject({ total_count: 0 });
	});

	test("says what was not searched when it found nothing", async () => {
		expect(await call({ pattern: "no such text" })).toEqual({
			total_count: 0,
			matches: [],
			_hint: expect.stringContaining("Hidden files"),
		});
	});
});
