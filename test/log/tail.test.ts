/** Reading a log: the last entries, filters, and following it. */

import { describe, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSince } from "../../lib/log/select.ts";
import { followLog, readTail } from "../../lib/log/tail.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const at = (clock: string, rest: string) => `2026-07-01 ${clock},000+02:00 ${rest}`;
const older = `${[at("08:00:00", "INFO [s1] agent: first"), "    more of first", at("08:30:00", "ERROR [s2] tools: second"), "    at x.ts:1"].join("\n")}\n`;
const newer = `${[at("09:00:00", "WARNING [s1] agent: third"), at("09:30:00", "INFO agent: fourth")].join("\n")}\n`;

function twoFiles() {
	const home = temporaryFolder();
	const path = join(home.path, "agent.log");
	writeFileSync(`${path}.1`, older);
	writeFileSync(path, newer);
	return { path, [Symbol.dispose]: () => home[Symbol.dispose]() };
}

describe("readTail()", () => {
	test.each([
		[10, {}, ["first", "more of first", "second", "at x.ts:1", "third", "fourth"]],
		[3, {}, ["second", "at x.ts:1", "third", "fourth"]],
		[1, {}, ["fourth"]],
		[0, {}, []],
		[10, { level: "WARNING" as const }, ["second", "at x.ts:1", "third"]],
		[10, { session: "s1" }, ["first", "more of first", "third"]],
		[1, { session: "s1" }, ["third"]],
		[10, { since: Date.parse("2026-07-01T06:45:00Z") }, ["third", "fourth"]],
		[10, { since: Date.parse("2026-07-01T06:30:00Z"), level: "ERROR" as const }, ["second", "at x.ts:1"]],
	])("readTail() of %d entries with %j keeps what continues an entry with its head", (count, selection, wanted) => {
		using files = twoFiles();
		expect(readTail(files.path, count, selection).map((line) => line.replace(/^.*?: | {4}/, ""))).toEqual(wanted);
	});

	test("readTail() of a log that is not there is empty", () => {
		expect(readTail("/nowhere/agent.log", 5)).toEqual([]);
	});

	test("readTail() understands lines of the original, which have no offset", () => {
		using home = temporaryFolder();
		const path = join(home.path, "agent.log");
		writeFileSync(path, "2026-07-01 09:00:00,000 ERROR [s] x: old\nTraceback:\n2026-07-01 09:00:01,000 INFO x: new\n");
		expect(readTail(path, 5, { level: "ERROR" })).toEqual(["2026-07-01 09:00:00,000 ERROR [s] x: old", "Traceback:"]);
	});
});

describe("parseSince()", () => {
	const now = Date.parse("2026-07-02T00:00:00Z");
	test.each([
		["30m", now - 1_800_000],
		["1h", now - 3_600_000],
		["2d", now - 172_800_000],
		["2026-07-01T00:00:00Z", Date.parse("2026-07-01T00:00:00Z")],
		["1y", undefined],
		["", undefined],
		["soon", undefined],
		["2026-99-01", undefined],
	])("parseSince() reads %p", (written, wanted) => {
		expect(parseSince(written, now)).toBe(wanted as number);
	});
});

describe("followLog()", () => {
	test("followLog() passes on what is new, over a rotation, with filters", async () => {
		using home = temporaryFolder();
		const folder = join(home.path, "logs");
		const path = join(folder, "agent.log");
		mkdirSync(folder);
		writeFileSync(path, older);
		const seen: string[] = [];
		const stop = new AbortController();
		const following = followLog(path, {
			selection: { session: "s1" },
			signal: stop.signal,
			onLines: (lines) => seen.push(...lines.map((line) => line.replace(/^.*?: | {4}/, ""))),
		});
		const shows = async (text: string) => {
			for (let waited = 0; !seen.includes(text); waited++) {
				if (waited > 500) throw new Error(`${text} was never seen: ${seen}`);
				await Bun.sleep(10);
			}
		};
		appendFileSync(
			path,
			`${at("10:00:00", "INFO [s1] agent: one")}\n    tail of one\n${at("10:00:00", "INFO [s2] agent: no")}\n    nor this\n`,
		);
		await shows("tail of one");
		appendFileSync(path, at("10:00:01", "INFO [s1] agent: in two"));
		appendFileSync(path, " pieces\n");
		await shows("in two pieces");
		renameSync(path, `${path}.1`);
		appendFileSync(`${path}.1`, `${at("10:00:02", "INFO [s1] agent: late for the old file")}\n`);
		writeFileSync(path, `${at("10:00:03", "INFO [s1] agent: in the new file")}\n`);
		await shows("in the new file");
		renameSync(`${path}.1`, `${path}.2`);
		renameSync(path, `${path}.1`);
		writeFileSync(path, `${at("10:00:04", "INFO [s1] agent: in the newest file")}\n`);
		await shows("in the newest file");
		stop.abort();
		await following;
		expect(seen).toEqual([
			"one",
			"tail of one",
			"in two pieces",
			"late for the old file",
			"in the new file",
			"in the newest file",
		]);
	}, 20_000);

	test("followLog() waits for a log that is not there yet", async () => {
		using home = temporaryFolder();
		const stop = new AbortController();
		const seen = Promise.withResolvers<readonly string[]>();
		const path = join(home.path, "logs/errors.log");
		const following = followLog(path, { signal: stop.signal, onLines: seen.resolve });
		writeFileSync(path, newer);
		expect((await seen.promise).length).toBe(2);
		stop.abort();
		await following;
	}, 20_000);
});
