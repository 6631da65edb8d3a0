import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	chmodSync,
	chownSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "../../lib/store/database.ts";
import { repairStore } from "../../lib/store/repair.ts";
import { StoreRefused } from "../../lib/store/store.ts";

let home: string;
let path: string;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "hermes-faults-"));
	path = join(home, "state.db");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const program = join(import.meta.dir, "..", "support", "store-use.ts");
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

interface Use {
	readonly warnings: readonly string[];
	readonly written: number;
	readonly error: string;
	readonly journal: string;
}

async function use(argv: readonly string[]): Promise<Use> {
	const child = Bun.spawn([...argv], { stdout: "pipe", stderr: "inherit" });
	return JSON.parse(await new Response(child.stdout).text());
}

function fill(messages: number): void {
	using store = openStore(path);
	store.createSession({ id: "s", source: "cli" });
	for (let index = 0; index < messages; index++) {
		store.appendMessage("s", { role: "user", content: `needle ${index} `.padEnd(500, "hay ") });
	}
}

/** What somebody else does to the file; Bun's own module guards the schema. */
function change(...statements: string[]): void {
	const database = new DatabaseSync(path, { defensive: false });
	for (const statement of ["PRAGMA writable_schema = ON", ...statements]) database.exec(statement);
	database.close();
}

function refusalOf(action: () => unknown): string {
	try {
		action();
	} catch (cause) {
		expect(cause).toBeInstanceOf(StoreRefused);
		return cause instanceof Error ? cause.message.replaceAll(home, "HOME") : "";
	}
	return "was not refused";
}

/** A page that holds rows of `messages`, by its place in the file. */
function messagePage(): number {
	using database = new Database(path, { readonly: true });
	const pages = database
		.query<{ pageno: number }, []>(
			"SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY pageno",
		)
		.all();
	return pages[Math.floor(pages.length / 2)]?.pageno ?? 0;
}

function overwritePage(page: number): void {
	const bytes = readFileSync(path);
	bytes.fill(0xa5, (page - 1) * 4096, page * 4096);
	writeFileSync(path, bytes);
}

describe("a disk that is full", () => {
	// A file system of its own needs a mount, and that a user who is root in some name space.
	const unshare = ["unshare", "-m", ...(isRoot ? [] : ["-r"])];
	const canMount = process.platform === "linux" && Bun.spawnSync([...unshare, "true"]).exitCode === 0;
	test.skipIf(!canMount)(
		"appendMessage() on a full disk says so; what was written is there, and it goes on when there is room",
		async () => {
			const script = `mount -t tmpfs -o size=3m tmpfs "$1" && head -c 1000000 /dev/zero > "$1/ballast" && "$2" "$3" "$1/state.db" 5000
			rm "$1/ballast"; "$2" "$3" "$1/state.db" 5; cp "$1/state.db"* "$4"`;
			const disk = join(home, "disk");
			const out = join(home, "out");
			for (const folder of [disk, out]) mkdirSync(folder);
			const child = Bun.spawn([...unshare, "bash", "-c", script, "-", disk, process.execPath, program, out], {
				stdout: "pipe",
			});
			const [full, free]: Use[] = (await new Response(child.stdout).text())
				.trim()
				.split("\n")
				.map((line) => JSON.parse(line));
			expect(full?.error).toBe(`StoreRefused: Cannot write "${disk}/state.db": the disk is full`);
			expect(free).toEqual({ warnings: [], written: 5, error: "", journal: "wal" });
			using store = openStore(join(out, "state.db"));
			expect(full?.written).toBeGreaterThan(10);
			expect(store.stats().messages).toBe((full?.written ?? 0) + 5);
			expect(store.check()).toEqual([]);
		},
		60_000,
	);
});

describe.skipIf(!isRoot)("a file of somebody else", () => {
	const asNobody = ["setpriv", `--reuid=${nobody}`, "--clear-groups", process.execPath, program];

	test("openStore() says whose the file is, and leaves it", async () => {
		fill(3);
		chmodSync(home, 0o777);
		const before = readFileSync(path);
		const sentence = (file: string) =>
			`StoreRefused: Cannot open "${path}": "${file}" belongs to user 0 and you are user ${nobody}; change its owner or set HERMES_HOME to another folder`;
		const errors: string[] = [];
		for (const mode of [0o600, 0o444]) {
			chmodSync(path, mode);
			errors.push((await use([...asNobody, path, "1"])).error);
		}
		expect(errors).toEqual([sentence(path), sentence(path)]);
		expect(readFileSync(path).equals(before)).toBe(true);

		// Run once with sudo: the log is root's, though the file is not.
		chownSync(path, nobody, nobody);
		chmodSync(path, 0o600);
		writeFileSync(`${path}-wal`, "", { mode: 0o600 });
		writeFileSync(`${path}-shm`, "", { mode: 0o600 });
		expect((await use([...asNobody, path, "1"])).error).toBe(sentence(`${path}-wal`));
	}, 30_000);

	test("openStore() uses a file of another user that it may write, and leaves its mode", async () => {
		fill(1);
		chmodSync(home, 0o777);
		chmodSync(path, 0o666);
		expect(await use([...asNobody, path, "2"])).toEqual({ warnings: [], written: 2, error: "", journal: "wal" });
		expect(statSync(path).mode & 0o777).toBe(0o666);
	}, 30_000);

	test("openStore() in a folder that may only be read says so", async () => {
		chmodSync(home, 0o555);
		expect((await use([...asNobody, path, "1"])).error).toBe(
			`StoreRefused: Cannot open "${path}": "${home}" belongs to user 0 and you are user ${nobody}; change its owner or set HERMES_HOME to another folder`,
		);
		expect(readdirSync(home)).toEqual([]);
	}, 30_000);
});

describe("a damaged file", () => {
	test("a page of messages that is damaged is told, and repairStore() saves all other rows", () => {
		fill(200);
		overwritePage(messagePage());
		{
			using store = openStore(path);
			expect(refusalOf(() => store.listMessages("s"))).toBe(
				'Cannot read "HOME/state.db": it is damaged; keep a copy of it and run hermes sessions repair',
			);
			expect(store.check().length).toBeGreaterThan(0);
		}
		const damaged = readFileSync(path);
		const { outcome, kept = "", lost } = repairStore(path);
		expect({ outcome, few: lost > 0 && lost < 20 }).toEqual({ outcome: "saved", few: true });
		expect(readFileSync(kept).equals(damaged)).toBe(true);
		using store = openStore(path);
		expect(store.listMessages("s").length).toBe(200 - lost);
		expect(store.check()).toEqual([]);
		expect(repairStore(path)).toEqual({ outcome: "sound", kept: undefined, lost: 0 });
	});

	test("repairStore() makes an index again that cannot even be opened (R119, R130)", () => {
		fill(50);
		change("DELETE FROM messages_fts_config");
		expect(repairStore(path)).toMatchObject({ outcome: "index", lost: 0 });
		using store = openStore(path);
		expect(store.check()).toEqual([]);
		expect(store.listMessages("s").length).toBe(50);
	});

	test("repairStore() gives messages a session when theirs was lost", () => {
		fill(300);
		using database = new Database(path);
		const page = database
			.query<{ pageno: number }, []>("SELECT pageno FROM dbstat WHERE name = 'sessions' LIMIT 1")
			.get();
		database.close();
		overwritePage(page?.pageno ?? 0);
		repairStore(path);
		using store = openStore(path);
		expect(store.listSessions().map(({ id, source, messageCount }) => [id, source, messageCount])).toEqual([
			["s", "saved", 300],
		]);
	});

	test.each([
		["twice", "INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = 'messages_fts_insert'"],
		["unreadable", "UPDATE sqlite_schema SET sql = 'CREATE TRIGGER broken (' WHERE name = 'messages_fts_update'"],
	])("openStore() mends a schema with an entry that is %s, and keeps the file as it was", (_, statement) => {
		fill(5);
		change(statement);
		const before = readFileSync(path);
		const warnings: string[] = [];
		using store = openStore(path, { onWarning: (message) => void warnings.push(message) });
		const kept = readdirSync(home).find((name) => name.includes("malformed-backup")) ?? "";
		expect(warnings).toEqual([
			`"${path}" had a damaged schema and was mended; as it was it is kept in "${join(home, kept)}"`,
		]);
		expect(readFileSync(join(home, kept)).equals(before)).toBe(true);
		expect([store.listMessages("s").length, store.check()]).toEqual([5, []]);
	});

	test("repairStore() of what is no database refuses and leaves it", () => {
		writeFileSync(path, "text ".repeat(1_000));
		expect(refusalOf(() => repairStore(path))).toBe(
			'Cannot repair "HOME/state.db": it is not a database; it was left untouched',
		);
		expect(readFileSync(path, "utf8")).toBe("text ".repeat(1_000));
	});
});

describe.skipIf(Bun.which("strace") === null)("a file system that cannot share memory (R127)", () => {
	/** Every try to map `file` fails, as on such a file system. */
	const withoutMapping = (file: string) => [
		"strace",
		"-f",
		"-qq",
		"-o",
		"/dev/null",
		"-e",
		"trace=mmap",
		"-e",
		"inject=mmap:error=ENODEV",
		"-P",
		file,
	];

	test("openStore() there keeps a new database without a log, warns once, and several processes write", async () => {
		const child = Bun.spawn([process.execPath, program, path, "20", "wait"], { stdin: "pipe", stdout: "pipe" });
		const lines = child.stdout.getReader();
		const pid = new TextDecoder().decode((await lines.read()).value).trim();
		const tracer = Bun.spawn(
			[...withoutMapping(`${path}.probe-${pid}-shm`).filter((word) => word !== "-qq"), "-p", pid],
			{ stderr: "pipe" },
		);
		await tracer.stderr.getReader().read();
		child.stdin.end();
		const said: Use = JSON.parse(new TextDecoder().decode((await lines.read()).value));
		await Promise.all([child.exited, tracer.exited]);
		expect(said).toEqual({
			warnings: [
				`"${path}" is kept without a write-ahead log, so writers wait for readers: its file system cannot do it; a HERMES_HOME on another one is faster`,
			],
			written: 20,
			error: "",
			journal: "delete",
		});
		expect(readdirSync(home)).toEqual(["state.db"]);
	}, 30_000);

	test("openStore() of a database with a log there says what to do, and leaves it", async () => {
		fill(5);
		const before = readFileSync(path);
		const { error } = await use([...withoutMapping(`${path}-shm`), process.execPath, program, path, "1"]);
		expect(error).toBe(
			`StoreRefused: Cannot open "${path}": its file system cannot share the write-ahead log between processes; move HERMES_HOME to a local disk`,
		);
		expect(readFileSync(path).equals(before)).toBe(true);
	}, 30_000);
});

describe("a store that others hold", () => {
	test("openStore() and appendMessage() wait for a lock of three seconds (R124)", async () => {
		openStore(path).close();
		const script = `const d = new (require("bun:sqlite").Database)(${JSON.stringify(path)}); d.run("BEGIN IMMEDIATE"); console.log("held"); await Bun.sleep(3000); d.run("COMMIT")`;
		const holder = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
		await holder.stdout.getReader().read();
		const writers = await Promise.all([1, 2, 3, 4].map(() => use([process.execPath, program, path, "5"])));
		expect(writers.map(({ written, error }) => [written, error])).toEqual([1, 2, 3, 4].map(() => [5, ""]));
		await holder.exited;
		using store = openStore(path);
		expect(store.stats()).toMatchObject({ sessions: 4, messages: 20 });
	}, 60_000);

	test("a store keeps its log small, and empties it when it is closed", () => {
		using other = openStore(path);
		fill(400);
		expect(existsSync(`${path}-wal`)).toBe(true);
		expect(statSync(`${path}-wal`).size).toBe(0);
		expect(other.stats().messages).toBe(400);
	});
});

test("openStore() of an older version of ours makes a copy first, and grows the tables", () => {
	cpSync(join(import.meta.dir, "..", "fixtures", "store-version-1.sql"), join(home, "v1.sql"));
	{
		using old = new Database(path, { create: true });
		old.run(readFileSync(join(home, "v1.sql"), "utf8"));
	}
	const fresh = join(home, "fresh.db");
	openStore(fresh).close();
	using store = openStore(path);
	expect(store.listMessages("s").map(({ message }) => message.content)).toEqual(["needle", "針の穴から"]);
	expect(store.check()).toEqual([]);
	const shape = (file: string) => {
		using database = new Database(file, { readonly: true });
		return database
			.query<{ name: string }, []>(
				"SELECT m.name || '.' || c.name AS name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c ORDER BY 1",
			)
			.all()
			.concat(database.query<{ name: string }, []>("SELECT name FROM sqlite_schema ORDER BY 1").all());
	};
	expect(shape(path)).toEqual(shape(fresh));
	const copies = readdirSync(home).filter((name) => name.startsWith("state.db.v1-"));
	expect(copies.length).toBe(1);
	expect(statSync(join(home, copies[0] ?? "")).mode & 0o777).toBe(0o600);
	using copy = new Database(join(home, copies[0] ?? ""), { readonly: true });
	expect(copy.query("PRAGMA user_version").get()).toEqual({ user_version: 1 });
	expect(copy.query("SELECT count(*) AS rows FROM messages").get()).toEqual({ rows: 2 });
});

test("openStore() of version 2 learns what calls were for, and keeps those it has", () => {
	{
		using store = openStore(path);
		store.createSession({ id: "s", source: "cli" });
		store.addUsage("s", {
			inputTokens: 1,
			outputTokens: 2,
			cacheReadTokens: 0,
			cacheWriteTokens: 0,
			reasoningTokens: 0,
		});
	}
	{
		using older = new Database(path);
		older.run("ALTER TABLE model_calls DROP COLUMN task");
		older.run("PRAGMA user_version = 2");
	}
	using store = openStore(path);
	expect(store.listModelCalls("s").map(({ task, usage }) => [task, usage.outputTokens])).toEqual([[null, 2]]);
});
