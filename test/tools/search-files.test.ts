/** Searching with ripgrep and with find and grep: the same answers. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Found, type SearchRequest, search } from "../../lib/files/search.ts";
import { parseCount, parseMatch, withoutDot } from "../../lib/files/search-lines.ts";
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
			mostLines: 1_000,
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
		(await found(request)).lines
			.flatMap((line) => parseMatch(line) ?? [])
			.map(({ path, line, content }) => `${path}|${line}|${content}`)
			.sort();
	const names = async (request: Partial<SearchRequest>) =>
		(await found({ mode: "names", ...request })).lines.map(withoutDot);

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
		expect(single.lines.flatMap((line) => parseMatch(line) ?? []).map(({ path }) => single.show(path))).toEqual([
			"src/b.py",
		]);
		expect(await matches({ pattern: "beta", path: "./-odd" })).toEqual(["-n.ts|1|odd beta"]);
		expect(await matches({ pattern: "beta", path: "-odd" })).toEqual(["-n.ts|1|odd beta"]);
	});

	test.skipIf(isMissing)("shows lines around a match", async () => {
		const lines = (await found({ pattern: "needle", path: "src", context: 1 })).lines.flatMap(
			(line) => parseMatch(line) ?? [],
		);
		expect(lines).toEqual([
			{ path: "name-12-x.ts", line: 1, content: "before", isContext: true },
			{ path: "name-12-x.ts", line: 2, content: "needle", isContext: false },
			{ path: "name-12-x.ts", line: 3, content: "after", isContext: true },
		]);
	});

	test.skipIf(isMissing)("counts, and names files", async () => {
		const counts = (await found({ mode: "count", pattern: "beta" })).lines.flatMap((line) => parseCount(line) ?? []);
		expect(counts.map(({ path, count }) => `${path} ${count}`).sort()).toEqual([
			"-odd/-n.ts 1",
			"src/a.ts 2",
			"src/b.py 1",
		]);
		expect((await found({ mode: "files_only", pattern: "beta" })).lines.map(withoutDot).sort()).toEqual([
			"-odd/-n.ts",
			"src/a.ts",
			"src/b.py",
		]);
	});

	test.skipIf(isMissing)("finds names, newest first", async () => {
		expect(await names({ glob: "*.ts" })).toEqual(["-odd/-n.ts", "src/name-12-x.ts", "src/deep/c.ts", "src/a.ts"]);
		expect(await names({ glob: "*.{py,md}" })).toEqual(["docs/colon:3:x.md", "src/b.py"]);
		expect(await names({ glob: ".*" })).toEqual(expect.arrayContaining([".config.ts"]));
	});

	test.skipIf(isMissing).each([
		[{ pattern: "[" }, "Search failed:"],
		[{ pattern: "a", glob: "[" }, "no file name pattern"],
		[{ pattern: "a", glob: "{a" }, "no file name pattern"],
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
			total_count: 11,
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
