import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../lib/store/database.ts";

let home: string;
let path: string;
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "hermes-endurance-"));
	path = join(home, "state.db");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const support = join(import.meta.dir, "..", "support");
const soak = process.env.HERMES_TEST_SOAK === "1";

function startWriter(session: string, count: number, ...more: string[]) {
	const argv = [process.execPath, join(support, "store-writer.ts"), path, session, String(count), "200", ...more];
	return Bun.spawn(argv, { stdout: "pipe", stderr: "inherit" });
}

/** Kills two writers at once, and gives how many messages each was told are stored. */
async function killTwo(round: number) {
	const names = [`one${round}`, `two${round}`];
	const children = names.map((name) => startWriter(name, 100_000, "acknowledge"));
	const outputs = children.map(({ stdout }) => stdout.tee());
	const acknowledged = outputs.map(([whole]) => new Response(whole).text());
	// From the middle of opening to some hundred messages later; on a busy machine opening alone takes longer than that.
	if (round % 2 === 1) await Promise.all(outputs.map(([, begun]) => begun.getReader().read()));
	await Bun.sleep(40 + Math.random() * 200);
	for (const child of children) child.kill("SIGKILL");
	await Promise.all(children.map(({ exited }) => exited));
	return Promise.all(
		names.map(async (name, index) => ({ name, taken: ((await acknowledged[index]) ?? "").split("\n").length - 1 })),
	);
}

describe("a store in many processes", () => {
	test("8 writers of 2,000 messages and 4 readers that search lose no row and see no error", async () => {
		const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
		openStore(path).close();
		const readers = names.slice(0, 4).map((name) =>
			Bun.spawn([process.execPath, join(support, "store-searcher.ts"), path, name], {
				stdin: "pipe",
				stdout: "pipe",
				stderr: "inherit",
			}),
		);
		const codes = await Promise.all(names.map((name) => startWriter(name, 2_000).exited));
		for (const reader of readers) reader.stdin.end();
		const searches = await Promise.all(readers.map((reader) => new Response(reader.stdout).text()));
		expect(codes).toEqual(names.map(() => 0));
		expect(await Promise.all(readers.map((reader) => reader.exited))).toEqual([0, 0, 0, 0]);
		expect(searches.filter((count) => Number(count) > 0).length).toBe(4);

		using store = openStore(path);
		expect(names.map((name) => store.getSession(name)?.messageCount)).toEqual(names.map(() => 2_000));
		for (const name of names) {
			const said = store.listMessages(name).map(({ message }) => message.content.trim());
			expect(said).toEqual(Array.from({ length: 2_000 }, (_, index) => `${name} ${index}`));
		}
		expect(store.check()).toEqual([]);
	}, 180_000);

	test("a writer killed at any moment leaves a database that opens with every acknowledged message", async () => {
		const rounds = soak ? 200 : 20;
		let all = 0;
		for (let round = 0; round < rounds; round++) {
			const killed = await killTwo(round);
			using store = openStore(path);
			for (const { name, taken } of killed) {
				all += taken;
				const stored = store.listMessages(name).map(({ message }) => message.content.trim());
				expect(stored.length).toBeGreaterThanOrEqual(taken);
				expect(stored).toEqual(stored.map((_, place) => `${name} ${place}`));
				expect(store.getSession(name)?.messageCount ?? 0).toBe(stored.length);
			}
			if (round % 10 === 9) expect(store.check()).toEqual([]);
		}
		// Else nothing was killed while it wrote.
		expect(all).toBeGreaterThan(0);
	}, 1_200_000);
});
