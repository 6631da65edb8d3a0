/** The file scripts on other shells and tools than this machine's own: busybox, as slim images have it, and bash as sh. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { patchFile } from "../../lib/files/patch.ts";
import { patchFiles } from "../../lib/files/patch-files.ts";
import type { FilePlace } from "../../lib/files/place.ts";
import { readPage } from "../../lib/files/read.ts";
import { type SearchRequest, search } from "../../lib/files/search.ts";
import { parseMatch } from "../../lib/files/search-records.ts";
import { writeFile } from "../../lib/files/write.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openToolSession, type ToolSession } from "../support/tool-session.ts";

const busybox = Bun.which("busybox");
const bash = Bun.which("bash");

/** A folder in which every command is busybox. */
function busyboxTools(folder: string): string {
	const tools = join(folder, "busybox-tools");
	mkdirSync(tools);
	for (const name of Bun.spawnSync([busybox ?? "", "--list"])
		.stdout.toString()
		.trim()
		.split("\n")) {
		symlinkSync(busybox ?? "", join(tools, name));
	}
	const ripgrep = Bun.which("rg");
	if (ripgrep !== null) symlinkSync(ripgrep, join(tools, "rg"));
	return tools;
}

const shells = [
	{
		name: "busybox",
		isMissing: busybox === null,
		rewrite: (command: string, tools: string) =>
			command
				.replace("'/bin/sh'", join(tools, "sh"))
				.replace("PATH=/usr/bin:/bin:/usr/local/bin:$PATH", `PATH=${tools}`),
	},
	{
		name: "bash as sh",
		isMissing: bash === null,
		rewrite: (command: string) => command.replace("'/bin/sh'", `'${bash}' --posix`),
	},
];

describe.each(shells)("file operations with $name", ({ isMissing, rewrite }) => {
	let folder: ReturnType<typeof temporaryFolder>;
	let session: ToolSession;
	let place: FilePlace;
	const at = (name: string) => join(folder.path, "files", name);
	beforeAll(async () => {
		folder = temporaryFolder();
		mkdirSync(at("sub/.hidden"), { recursive: true });
		if (isMissing) return;
		const tools = busybox === null ? "" : busyboxTools(folder.path);
		session = await openToolSession(join(folder.path, "files"));
		place = { execute: (command, options) => session.context.execute(rewrite(command, tools), options) };
	});
	afterAll(async () => {
		await session?.[Symbol.asyncDispose]();
		folder[Symbol.dispose]();
	});

	test.skipIf(isMissing)("read a page", async () => {
		writeFileSync(at("a.txt"), "one\ntwo\r\nthree ü\nfour");
		expect(await readPage(place, { path: "a.txt", offset: 2, limit: 2 })).toEqual({
			ok: true,
			path: at("a.txt"),
			content: "2|two\n3|three ü",
			totalLines: 4,
			fileSize: 22,
			isTruncated: true,
			encoding: "utf-8",
			isExtracted: false,
		});
		expect(await readPage(place, { path: "a.tx", offset: 1, limit: 2 })).toEqual({
			ok: false,
			error: "File not found: a.tx",
			details: { similar_files: [at("a.txt")] },
		});
	});

	test.skipIf(isMissing)("write through a link, keep mode and line ends", async () => {
		writeFileSync(at("w.txt"), "a\r\nb\r\n");
		chmodSync(at("w.txt"), 0o751);
		symlinkSync("../w.txt", at("sub/link"));
		expect(await writeFile(place, "sub/link", "x\ny\n")).toEqual({
			ok: true,
			path: at("w.txt"),
			bytesWritten: 6,
			dirsCreated: false,
		});
		expect([
			readFileSync(at("w.txt"), "utf8"),
			statSync(at("w.txt")).mode & 0o777,
			lstatSync(at("sub/link")).isSymbolicLink(),
		]).toEqual(["x\r\ny\r\n", 0o751, true]);
		expect(await writeFile(place, "new/deep/f", "é")).toEqual({
			ok: true,
			path: at("new/deep/f"),
			bytesWritten: 2,
			dirsCreated: true,
		});
		expect(statSync(at("new/deep/f")).mode & 0o777).toBe(0o666 & ~process.umask());
	});

	test.skipIf(isMissing)("patch", async () => {
		writeFileSync(at("p.txt"), "one\ntwo\n");
		const request = { path: "./sub/../p.txt", oldText: "two", newText: "2", replaceAll: false };
		expect(await patchFile(place, request)).toMatchObject({ ok: true, path: at("p.txt"), count: 1 });
		expect(readFileSync(at("p.txt"), "utf8")).toBe("one\n2\n");
	});

	test.skipIf(isMissing)("patch several files", async () => {
		writeFileSync(at("m 1.txt"), "one\ntwo\n");
		chmodSync(at("m 1.txt"), 0o640);
		writeFileSync(at("m2.txt"), "x\n");
		const lines = [
			"*** Update File: m 1.txt",
			"-two",
			"+2",
			"*** Move File: m2.txt -> md/e/m3.txt",
			"*** Add File: m4.txt",
			"+y",
		];
		expect(await patchFiles(place, lines.join("\n"))).toMatchObject({
			ok: true,
			modified: [at("m 1.txt"), at("md/e/m3.txt")],
			created: [at("m4.txt")],
			deleted: [at("m2.txt")],
		});
		const texts = ["m 1.txt", "md/e/m3.txt", "m4.txt"].map((name) => readFileSync(at(name), "utf8"));
		expect([...texts, statSync(at("m 1.txt")).mode & 0o777]).toEqual(["one\n2\n", "x\n", "y\n", 0o640]);
		expect(await patchFiles(place, "*** Add File: m4.txt\n+z")).toMatchObject({ ok: false });
	});

	test.skipIf(isMissing).each(["auto", "grep"] as const)(
		"search contents and names with program %s",
		async (program) => {
			writeFileSync(at("sub/needle.txt"), "x\nneedle 12\n");
			writeFileSync(at("sub/.hidden/needle.txt"), "needle 13\n");
			// Whether a name of two lines is found depends on the tools; it is never taken for two names.
			writeFileSync(at("sub/a\nneedle"), "");
			const base: SearchRequest = {
				mode: "content",
				pattern: "needle \\d+",
				path: ".",
				glob: undefined,
				wanted: 10,
				context: 0,
				program,
			};
			const contents = await search(place, base);
			expect(contents.ok && contents.records.map(parseMatch)).toEqual([
				{ path: "sub/needle.txt", line: 2, content: "needle 12", isContext: false },
			]);
			const records = async (mode: SearchRequest["mode"], more: Partial<SearchRequest> = {}) => {
				const found = await search(place, { ...base, mode, ...more });
				return found.ok && found.records.filter(({ path }) => path !== "sub/a\nneedle");
			};
			expect({
				names: await records("names", { glob: "*need*" }),
				files: await records("files_only"),
				counts: await records("count"),
			}).toEqual({
				names: [{ path: "sub/needle.txt", rest: "" }],
				files: [{ path: "sub/needle.txt", rest: "" }],
				counts: [{ path: "sub/needle.txt", rest: "1" }],
			});
			expect(await search(place, { ...base, pattern: "[" })).toEqual({
				ok: false,
				error: expect.stringContaining("Search failed"),
			});
		},
	);
});
