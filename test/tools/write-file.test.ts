/** Writing whole files in a real shell session: what is kept of the old file, and what is refused. */

import { describe, expect, test } from "bun:test";
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { patchFile } from "../../lib/files/patch.ts";
import { patchFiles } from "../../lib/files/patch-files.ts";
import { unchangedMessage } from "../../lib/files/shown-pages.ts";
import { writeFile } from "../../lib/files/write.ts";
import { sharedToolSession } from "../support/shared-tool-session.ts";

const shared = sharedToolSession();

const { at } = shared;
const put = (name: string, content: string | Uint8Array) => {
	mkdirSync(join(at(name), ".."), { recursive: true });
	writeFileSync(at(name), content);
	return name;
};
const bytes = (name: string) => readFileSync(at(name)).toString("latin1");
/** An answer but for the place. */
const write = async (path: string, content: string) => {
	const { ran_on: _, ...answer } = await shared.session.call("write_file", { path, content });
	return answer;
};

describe("write_file", () => {
	test("writes any text byte for byte and says where", async () => {
		const content = "open(\\1 \\g<0> $& $1 %s {} EOF\n'\"`$HOME`\0\ttab\r lone\n😀 end";
		expect(await write("w/deep/x.txt", content)).toEqual({
			bytes_written: Buffer.byteLength(content),
			dirs_created: true,
			resolved_path: at("w/deep/x.txt"),
			files_modified: [at("w/deep/x.txt")],
		});
		expect(readFileSync(at("w/deep/x.txt"), "utf8")).toBe(content);
		expect(await write("w/deep/y.txt", "")).toMatchObject({ bytes_written: 0, dirs_created: false });
		expect(readdirSync(at("w/deep"))).toEqual(["x.txt", "y.txt"]);
	});

	test("writes two megabytes", async () => {
		const content = "0123456789abcde\n".repeat(131_072);
		expect(await write("w/large.txt", content)).toMatchObject({ bytes_written: content.length });
		expect(readFileSync(at("w/large.txt"), "utf8")).toBe(content);
	});

	test("keeps line ends and the byte order mark of the file", async () => {
		put("crlf.txt", "a\r\nb\r\nc\n");
		await write("crlf.txt", "x\ny\r\nz\n");
		expect(bytes("crlf.txt")).toBe("x\r\ny\r\nz\r\n");
		put("bom.txt", "\ufeffa\n");
		await write("bom.txt", "b\n");
		expect(readFileSync(at("bom.txt"), "utf8")).toBe("\ufeffb\n");
		put("lf.txt", "a\nb\nc\r\n");
		await write("lf.txt", "x\ny\n");
		expect(bytes("lf.txt")).toBe("x\ny\n");
	});

	test.each([
		["UTF-16", [Buffer.from("\ufeffa\r\nb\r\n", "utf16le"), "é→\nz\n", Buffer.from("\ufeffé→\r\nz\r\n", "utf16le")]],
		[
			"UTF-16 of the other kind",
			[Buffer.from("\ufeffa\n", "utf16le").swap16(), "é\n", Buffer.from("\ufeffé\n", "utf16le").swap16()],
		],
		["Latin-1", [Buffer.from("caf\xe9\r\n", "latin1"), "thé\n", Buffer.from("th\xe9\r\n", "latin1")]],
		["UTF-8 with a mark and CRLF", [Buffer.from("\ufeffé\r\n"), "x\ny\n", Buffer.from("\ufeffx\r\ny\r\n")]],
		["data", [Buffer.from([0, 1, 2]), "é\n", Buffer.from("é\n")]],
	] as const)("keeps the form of %s", async (name, [before, content, after]) => {
		const path = put(name, before);
		expect(await write(path, content)).not.toHaveProperty("_warning");
		expect(readFileSync(at(path)).toString("hex")).toBe(after.toString("hex"));
	});

	test("says when the form cannot be kept", async () => {
		put("lossy.txt", Buffer.from("caf\xe9\n", "latin1"));
		expect(await write("lossy.txt", "→\n")).toMatchObject({ _warning: expect.stringContaining("it is UTF-8 now") });
		expect(readFileSync(at("lossy.txt"), "utf8")).toBe("→\n");
		put("mixed.txt", "a\r\nb\r\nc\n");
		expect(await write("mixed.txt", "x\n")).toMatchObject({ _warning: expect.stringContaining("CRLF") });
	});

	test("does not write what read_file says of an unchanged file", async () => {
		put("stub.txt", "kept");
		expect((await write("stub.txt", unchangedMessage)).error).toContain("not what the file holds");
		expect(bytes("stub.txt")).toBe("kept");
		expect(await write("quote.md", `${"text ".repeat(100)}\n${unchangedMessage}`)).toMatchObject({
			dirs_created: false,
		});
	});

	test("keeps the mode, and gives new files the one that the umask leaves", async () => {
		put("mode.sh", "#!/bin/sh\n");
		chmodSync(at("mode.sh"), 0o751);
		await write("mode.sh", "#!/bin/sh\nls\n");
		await write("fresh.txt", "x");
		const modes = [statSync(at("mode.sh")).mode & 0o777, statSync(at("fresh.txt")).mode & 0o777];
		expect(modes).toEqual([0o751, 0o666 & ~process.umask()]);
	});

	test("writes through links and leaves them links", async () => {
		put("real/target.txt", "old\n");
		symlinkSync("real/target.txt", at("link"));
		symlinkSync("real", at("linked-folder"));
		symlinkSync("real/made.txt", at("dangling"));
		expect(await write("link", "new\n")).toMatchObject({ resolved_path: at("real/target.txt") });
		await write("linked-folder/other.txt", "other\n");
		await write("dangling", "made\n");
		expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
		expect([bytes("real/target.txt"), bytes("real/other.txt"), bytes("real/made.txt")]).toEqual([
			"new\n",
			"other\n",
			"made\n",
		]);
	});

	test.each([
		[".", "it is a folder"],
		["new/", "a path that ends with a slash names a folder"],
		["fifo", "a device, a pipe or a socket"],
		["/dev/null", "devices"],
		["/etc/hermes-test", "files of the system"],
		["/tmp/../etc/hermes-test", "files of the system"],
		["~/.ssh/authorized_keys", "credentials"],
		["to-etc/hermes-test", "files of the system"],
		["new-folder/../x", "leads in a circle"],
		["r.txt/x", "old content is untouched"],
	])("refuses %s and writes nothing", async (path, reason) => {
		put("r.txt", "kept");
		if (!existsSync(at("fifo"))) Bun.spawnSync(["mkfifo", at("fifo")]);
		if (!existsSync(at("to-etc"))) symlinkSync("/etc", at("to-etc"));
		expect((await write(path, "x")).error).toContain(reason);
		expect(existsSync("/etc/hermes-test")).toBe(false);
		expect(bytes("r.txt")).toBe("kept");
	});

	test("keeps changes to the folder that HERMES_WRITE_SAFE_ROOT names", async () => {
		put("root/f", "a\n");
		put("outside", "a\n");
		const place = { ...shared.session.context, settings: { variables: { HERMES_WRITE_SAFE_ROOT: `${at("root")}/` } } };
		const patch = (path: string) => `*** Begin Patch\n*** Update File: ${path}\n-a\n+b\n*** End Patch`;
		const request = { oldText: "a", newText: "b", replaceAll: false };
		const refused = { ok: false as const, error: expect.stringContaining("HERMES_WRITE_SAFE_ROOT") };
		expect(await writeFile(place, "outside", "x")).toEqual(refused);
		expect(await patchFile(place, { path: "outside", ...request })).toMatchObject(refused);
		expect(await patchFiles(place, patch("outside"))).toMatchObject(refused);
		expect(await patchFiles(place, "*** Begin Patch\n*** Move File: root/f -> root2\n*** End Patch")).toMatchObject(
			refused,
		);
		expect(bytes("outside")).toBe("a\n");
		expect(await patchFile(place, { path: "root/f", ...request })).toMatchObject({ ok: true });
		expect(await writeFile(place, "root/g", "x")).toMatchObject({ ok: true });
	});

	test("refuses half of a surrogate pair, in the name and in the content", async () => {
		const before = readdirSync(shared.folder.path);
		expect((await write("half.txt", "a\ud83d")).error).toContain(
			"- content: a text cannot hold half of a character (a lone surrogate)",
		);
		expect((await write("\ud800x", "a")).error).toContain("- path: a path cannot hold half of a character");
		expect(readdirSync(shared.folder.path)).toEqual(before);
	});

	test("leaves the old file and no temporary one when the disk is full", async () => {
		put("full/x.txt", "old\n");
		// The limit is in blocks of 1024 bytes and holds for every later process of the session's command.
		const { answer } = await shared.session.dispatch("terminal", {
			command: "ulimit -f 8; head -c 100000 /dev/zero > full/y.txt; echo $?",
		});
		expect(JSON.parse(answer).output).not.toBe("0");
		const limited = {
			...shared.session.context,
			execute: (command: string, options = {}) =>
				shared.session.context.execute(`ulimit -f 8\ntrap '' XFSZ\n${command}`, options),
		};
		const written = await writeFile(limited, "full/x.txt", "z".repeat(100_000));
		expect(written).toEqual({ ok: false, error: expect.stringContaining("the old content is untouched") });
		expect(bytes("full/x.txt")).toBe("old\n");
		expect(readdirSync(at("full")).filter((name) => name.startsWith("."))).toEqual([]);
	});
});
