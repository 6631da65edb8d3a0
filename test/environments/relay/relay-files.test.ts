import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { FileError, type SandboxConnection, type SandboxHelper } from "../../../lib/environments/sandbox-helper.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { openLocalRelay } from "./open-local-relay.ts";
import { sh } from "./programs.ts";

setDefaultTimeout(60_000);

let sandbox: Sandbox;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
	sandbox = await openLocalRelay();
	folder = temporaryFolder();
});
afterAll(async () => {
	await sandbox[Symbol.asyncDispose]();
	folder[Symbol.dispose]();
});

function helper(): SandboxHelper {
	if (sandbox.helper === undefined) throw new Error("the relay is gone");
	return sandbox.helper;
}

const at = (name: string) => join(folder.path, name);
const bytesOf = async (stream: ReadableStream<Uint8Array>) => Buffer.from(await new Response(stream).arrayBuffer());

/** The code of the file system's refusal. */
async function codeOf(promise: Promise<unknown>): Promise<string> {
	const cause = await promise.then(
		() => new Error("it was done"),
		(cause) => cause,
	);
	if (!(cause instanceof FileError)) throw cause;
	return cause.code;
}

describe("files through the relay", () => {
	test("write() and read() move any bytes of any size", async () => {
		const content = Buffer.alloc(5_000_001);
		crypto.getRandomValues(content.subarray(0, 60_000));
		const facts = await helper().files.write(at("big"), content, { how: "new", mode: 0o640 });
		expect({ kind: facts.kind, size: facts.size, mode: facts.mode }).toEqual({
			kind: "file",
			size: 5_000_001,
			mode: 0o640,
		});
		const { content: stream } = await helper().files.read(at("big"));
		expect((await bytesOf(stream)).equals(content)).toBe(true);
		const { content: some } = await helper().files.read(at("big"), { offset: 10, limit: 70_000 });
		expect((await bytesOf(some)).equals(content.subarray(10, 70_010))).toBe(true);
	});

	test("write() with an empty content makes an empty file", async () => {
		await helper().files.write(at("empty"), new Uint8Array(0), { how: "new" });
		expect(statSync(at("empty")).size).toBe(0);
	});

	test("write() replaces a file as a whole, behind links and with its mode", async () => {
		writeFileSync(at("old"), "old");
		chmodSync(at("old"), 0o751);
		symlinkSync("old", at("link"));
		await helper().files.write(at("link"), Buffer.from("new"), { how: "replace" });
		expect([readFileSync(at("old"), "utf8"), statSync(at("old")).mode & 0o777]).toEqual(["new", 0o751]);
		expect(await sh(sandbox, `readlink ${at("link")}`)).toBe("old\n");
	});

	test("write() makes folders when it is told to", async () => {
		await helper().files.write(at("a/b/c"), Buffer.from("x"), { how: "replace", makeFolders: true });
		expect(readFileSync(at("a/b/c"), "utf8")).toBe("x");
	});

	test("everything says why the file system refuses", async () => {
		writeFileSync(at("there"), "");
		mkdirSync(at("folder"));
		const { files } = helper();
		expect([
			await codeOf(files.read(at("nonesuch"))),
			await codeOf(files.read(at("folder"))),
			await codeOf(files.read("/dev/zero")),
			await codeOf(files.stat(at("there/below"))),
			await codeOf(files.write(at("there"), Buffer.from("x"), { how: "new" })),
			await codeOf(files.write(at("none/such"), Buffer.alloc(3_000_000), { how: "replace" })),
			await codeOf(files.write("/dev/full", Buffer.alloc(3_000_000), { how: "new" })),
			await codeOf(files.list(at("nonesuch"))),
			await codeOf(files.remove(at("nonesuch"))),
			await codeOf(files.rename(at("nonesuch"), at("x"))),
		]).toEqual(["ENOENT", "EISDIR", "EINVAL", "ENOTDIR", "EEXIST", "ENOENT", "EEXIST", "ENOENT", "ENOENT", "ENOENT"]);
	});

	test("a full disk leaves the old file and no other", async () => {
		const script = `mkdir -p ${at("small")} && mount -t tmpfs -o size=64k tmpfs ${at("small")} && echo old >${at("small/f")}`;
		await sh(sandbox, script);
		if (!existsSync(at("small/f"))) return;
		try {
			const code = await codeOf(helper().files.write(at("small/f"), Buffer.alloc(300_000), { how: "replace" }));
			expect([code, await sh(sandbox, `cd ${at("small")}; ls -A; cat f`)]).toEqual(["ENOSPC", "f\nold\n"]);
		} finally {
			await sh(sandbox, `umount ${at("small")}`);
		}
	});

	test("stat() and list() tell what is there", async () => {
		mkdirSync(at("list"));
		writeFileSync(at("list/ä\nb"), "123");
		mkdirSync(at("list/d"));
		symlinkSync("nowhere", at("list/l"));
		await sh(sandbox, `mkfifo ${at("list/p")}`);
		const { files } = helper();
		expect((await files.list(at("list"))).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
			{ name: "d", kind: "folder" },
			{ name: "l", kind: "link" },
			{ name: "p", kind: "other" },
			{ name: "ä\nb", kind: "file" },
		]);
		const { kind, size, realPath } = await files.stat(at("list/ä\nb"));
		expect({ kind, size, realPath }).toEqual({ kind: "file", size: 3, realPath: at("list/ä\nb") });
		expect([await codeOf(files.stat(at("list/l"))), (await files.stat(at("list/l"), false)).kind]).toEqual([
			"ENOENT",
			"link",
		]);
	});

	test("list() takes folders of any size", async () => {
		mkdirSync(at("many"));
		const name = (index: number) => `${index}-${"n".repeat(240)}`;
		for (let index = 0; index < 1_000; index++) writeFileSync(at(join("many", name(index))), "");
		const entries = await helper().files.list(at("many"));
		expect(new Set(entries.map((entry) => entry.name)).size).toBe(1_000);
	});

	test("makeFolder(), rename() and remove() do it", async () => {
		const { files } = helper();
		await files.makeFolder(at("new/one"));
		await files.rename(at("new/one"), at("new/two"));
		expect(existsSync(at("new/two"))).toBe(true);
		expect(await codeOf(files.remove(at("new")))).toBeOneOf(["EISDIR", "EPERM"]);
		await files.remove(at("new"), { recursive: true });
		expect(existsSync(at("new"))).toBe(false);
	});

	test("createTar() and extractTar() carry a tree", async () => {
		const { signal } = new AbortController();
		await sh(
			sandbox,
			`mkdir -p ${at("from/s")} ${at("to")}; cd ${at("from")}; head -c 3000000 /dev/urandom >big; ln -s ../big s/l; chmod 700 s; echo x >'s/ä b'`,
		);
		const archive = await helper().files.createTar(at("from"), ["big", "s"], signal);
		await helper().files.extractTar(at("to"), archive, signal);
		expect(await sh(sandbox, `cd ${folder.path}; diff -r from to && stat -c %a to/s && readlink to/s/l`)).toBe(
			"700\n../big\n",
		);
	});

	test("createTar() and extractTar() fail when the archive is not whole", async () => {
		const { signal } = new AbortController();
		const { files } = helper();
		const half = new Blob([Buffer.alloc(700, "x")]).stream();
		await expect(files.extractTar(at("to"), half, signal)).rejects.toThrow("Cannot unpack an archive");
		await expect(files.extractTar(at("nonesuch"), half, signal)).rejects.toThrow("there is no such folder");
		const stream = await files.createTar(folder.path, ["nonesuch"], signal);
		await expect(bytesOf(stream)).rejects.toThrow("Cannot make an archive");
	});
});

describe("sockets through the relay", () => {
	/** Answers every connection with what it said, doubled. */
	async function echo(connection: SandboxConnection): Promise<void> {
		const doubled = new TransformStream<Uint8Array, Uint8Array>({
			transform(chunk, controller) {
				controller.enqueue(chunk);
				controller.enqueue(chunk);
			},
		});
		await connection.readable.pipeThrough(doubled).pipeTo(connection.writable);
	}

	/** What a socket says when `text` was said and no more comes. */
	const ask = (path: string, length: number) =>
		sh(
			sandbox,
			`python3 -c 'import socket,sys
s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); n=int(sys.argv[2])
import threading; threading.Thread(target=lambda:(s.sendall(b"x"*n),s.shutdown(1))).start()
t=0
while True:
    b=s.recv(65536)
    if not b: break
    t+=len(b)
print(t)' ${path} ${length}`,
		);

	test("listen() carries connections both ways, at once and of any size", async () => {
		const path = at("socket");
		const open: Promise<void>[] = [];
		await using _socket = await helper().listen(path, (connection) => open.push(echo(connection)));
		expect(statSync(path).mode & 0o777).toBe(0o600);
		expect(await Promise.all([ask(path, 3), ask(path, 4_000_000), ask(path, 0), ask(path, 70_000)])).toEqual([
			"6\n",
			"8000000\n",
			"0\n",
			"140000\n",
		]);
		await Promise.all(open);
	});

	test("listen() removes the socket when it is disposed of", async () => {
		const socket = await helper().listen(at("gone"), () => undefined);
		await socket[Symbol.asyncDispose]();
		expect(existsSync(at("gone"))).toBe(false);
	});

	test("listen() ends a connection that is dropped", async () => {
		await using _socket = await helper().listen(at("dropped"), (connection) => connection.close());
		expect(await ask(at("dropped"), 0)).toEndWith("0\n");
	});

	test("listen() refuses a path that cannot be", async () => {
		await expect(helper().listen(`/${"x".repeat(200)}`, () => undefined)).rejects.toThrow();
		await expect(helper().listen("/nonesuch/socket", () => undefined)).rejects.toThrow("No such file");
	});

	test("the relay is still there", () => {
		expect(sandbox.helper).toBeDefined();
	});
});
