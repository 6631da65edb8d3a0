/** Archives: what other programs read of ours, and what ours reads of a stranger's. */

import { describe, expect, test } from "bun:test";
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ArchiveRefused, readTar } from "../../../lib/environments/sync/tar/read-tar.ts";
import { type TarContent, writeTar } from "../../../lib/environments/sync/tar/write-tar.ts";
import { runProgram } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { archive, header, linkTo } from "./hostile-archive.ts";

const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };
const limits = { totalBytes: 100_000, members: 100 };

function member(name: string, content: string, mode = 0o644): TarContent {
	const bytes = Buffer.from(content);
	return { name, size: bytes.length, mode, modifiedSeconds: 1_000_000_000, content: bytes };
}

function bytesOf(members: readonly TarContent[]): Buffer {
	return Buffer.concat([...writeTar(members)]);
}

async function* inPieces(bytes: Uint8Array, size = 700): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** What is read: `name: content`, or `name! reason`. */
async function read(bytes: Uint8Array, most = limits): Promise<string[]> {
	const seen: string[] = [];
	for await (const one of readTar(inPieces(bytes), most)) {
		if ("refused" in one) seen.push(`${one.name}! ${one.refused}`);
		else seen.push(`${one.name}: ${Buffer.concat(await Array.fromAsync(one.content)).toString()}`);
	}
	return seen;
}

const long = `${"folder-with-a-long-name/".repeat(5)}file.md`;
const longer = `a/${"ü".repeat(120)}.md`;
const names = ["plain.md", "a b/c'd\"$(e).md", "ünïcode/ß.md", long, longer];

describe("writeTar()", () => {
	test.each(["tar", "busybox tar", "python3"])("is read by %s", async (program) => {
		if (Bun.which(program.split(" ")[0] ?? "") === null) return;
		using folder = temporaryFolder();
		// busybox knows no pax records: it has names of up to 255 bytes in two parts.
		const readable = program.startsWith("busybox") ? names.filter((name) => name !== longer) : names;
		writeFileSync(join(folder.path, "a.tar"), bytesOf(readable.map((name) => member(name, name, 0o755))));
		const python = "import tarfile; tarfile.open('a.tar').extractall('out')";
		const words =
			program === "python3" ? ["python3", "-c", python] : [...program.split(" "), "xf", "a.tar", "-C", "out"];
		mkdirSync(join(folder.path, "out"));
		expect(await runProgram(words, { cwd: folder.path, env })).toMatchObject({ exitCode: 0 });
		for (const name of readable) {
			const path = join(folder.path, "out", name);
			expect(readFileSync(path, "utf8")).toBe(name);
			expect({ mode: lstatSync(path).mode & 0o777, time: lstatSync(path).mtimeMs }).toEqual({
				mode: 0o755,
				time: 1_000_000_000_000,
			});
		}
	});

	test("names nobody of this machine", async () => {
		using folder = temporaryFolder();
		writeFileSync(join(folder.path, "a.tar"), bytesOf([member(longer, "x")]));
		const { stdout } = await runProgram(["tar", "tvf", "a.tar", "--numeric-owner"], { cwd: folder.path, env });
		expect(stdout).toStartWith("-rw-r--r-- 0/0 ");
		const bytes = readFileSync(join(folder.path, "a.tar"));
		for (const [offset, length] of [
			[265, 32],
			[297, 32],
		] as const) {
			expect(bytes.subarray(1024 + offset, 1024 + offset + length).every((byte) => byte === 0)).toBe(true);
		}
	});

	test("fails when a content is shorter than it was", () => {
		const broken = { ...member("a", "xyz"), size: 5 };
		expect(() => bytesOf([broken])).toThrow('Cannot archive "a": it changed while it was read');
	});
});

describe("readTar()", () => {
	test("reads what it writes, in any pieces", async () => {
		expect(await read(bytesOf(names.map((name) => member(name, `${name}\n`.repeat(30)))))).toEqual(
			names.map((name) => `${name}: ${`${name}\n`.repeat(30)}`),
		);
	});

	test("reads what GNU tar and busybox write", async () => {
		using folder = temporaryFolder();
		mkdirSync(join(folder.path, long, ".."), { recursive: true });
		writeFileSync(join(folder.path, long), "long");
		writeFileSync(join(folder.path, "empty"), "");
		for (const program of [
			["tar", "--format=gnu"],
			["tar", "--format=pax"],
			["tar", "--format=ustar"],
			["busybox", "tar"],
		]) {
			if (Bun.which(program[0] ?? "") === null) continue;
			await runProgram([...program, "-cf", "a.tar", "empty", long], { cwd: folder.path, env });
			expect(await read(readFileSync(join(folder.path, "a.tar")))).toEqual(["empty: ", `${long}: long`]);
		}
	});

	test("refuses what is no regular file, and goes on", async () => {
		using folder = temporaryFolder();
		symlinkSync("/etc/passwd", join(folder.path, "link"));
		mkdirSync(join(folder.path, "d"));
		writeFileSync(join(folder.path, "f"), "f");
		await runProgram(["sh", "-c", "ln f hard; mkfifo pipe; tar -cf a.tar link d f hard pipe"], {
			cwd: folder.path,
			env,
		});
		const theirs = readFileSync(join(folder.path, "a.tar")).subarray(0, -1024);
		const ours = archive(header({ name: "dev", type: "3" }), linkTo("l", "../x"));
		expect(await read(Buffer.concat([theirs.subarray(0, 512 * 6), ours]))).toEqual([
			"link! it is a symbolic link",
			"d/! it is a folder",
			"f: f",
			"hard! it is a hard link",
			"pipe! it is a pipe",
			"dev! it is a device",
			"l! it is a symbolic link",
		]);
	});

	const broken: readonly (readonly [string, Buffer, string])[] = [
		["a header that says 3 GB", archive(header({ name: "a", size: 3e9 })), "larger than allowed"],
		["a sparse file", archive(header({ name: "a", size: 1, type: "S" })), "is sparse"],
		["a sum that is wrong", archive(header({ name: "a" }).fill("z", 0, 5)), "a header is broken"],
		["a cut content", header({ name: "a", size: 2000 }), "it is cut"],
		["no end", Buffer.from(header({ name: "a", size: 0 })), "it is cut"],
		["a name of a megabyte", archive(header({ name: "a", size: 1e6, type: "L" })), "a record is too long"],
		["a negative size", archive(header({ name: "a", sizeField: Buffer.alloc(12, 0xff) })), "a number in a header"],
		[
			"a huge size",
			archive(header({ name: "a", sizeField: Buffer.from("80ffffffffffffffffffffff", "hex") })),
			"a number in",
		],
		[
			"pax records that overlap",
			archive(header({ name: "p", size: 11, type: "x" }), Buffer.from("99 path=..\n".padEnd(512, "\0"))),
			"a pax record",
		],
		[
			"a sparse pax file",
			archive(
				header({ name: "p", size: 22, type: "x" }),
				Buffer.from("22 GNU.sparse.major=1\n".padEnd(512, "\0")),
				header({ name: "a" }),
			),
			"is sparse",
		],
	];
	test.each(broken)("refuses %s", (_, bytes, reason) => {
		const failure = read(bytes);
		expect(failure).rejects.toBeInstanceOf(ArchiveRefused);
		expect(failure).rejects.toThrow(reason);
	});

	test("refuses many small files, and many headers", async () => {
		const files = Array.from({ length: 60 }, (_, index) => member(String(index), "x".repeat(2000)));
		expect(read(bytesOf(files))).rejects.toThrow("larger than allowed");
		expect(read(bytesOf(files), { totalBytes: 1e9, members: 50 })).rejects.toThrow("too many members");
	});
});
