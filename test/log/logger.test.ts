/** What stands in the logs, who may read them, and that several writers lose nothing. */

import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLogger, type LoggerOptions } from "../../lib/log/logger.ts";
import { followLog } from "../../lib/log/tail.ts";
import { createRedactor } from "../../lib/security/redact.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const writer = join(import.meta.dir, "../support/log-writer.ts");

function open(home: string, options: Partial<LoggerOptions> = {}) {
	return createLogger({ home, redact: createRedactor(), now: () => new Date("2026-07-01T09:30:00.123Z"), ...options });
}

function read(home: string, name: string): string {
	const path = join(home, "logs", name);
	return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** The time as this machine's zone writes it, so that the test holds everywhere. */
const stamp = /^2026-0[67]-\d\d \d\d:\d\d:\d\d,123[+-]\d\d:\d\d /gm;

describe("createLogger()", () => {
	test("createLogger() writes INFO and up to agent.log, WARNING and up to errors.log too, with the session on each line", () => {
		using home = temporaryFolder();
		{
			using log = open(home.path);
			log.debug("not this");
			log.named("agent").inSession("s1").info("turn began");
			log.inSession("s1").named("tools").warning("slow");
			log.error("broken");
		}
		expect(read(home.path, "agent.log").replace(stamp, "")).toBe(
			"INFO [s1] agent: turn began\nWARNING [s1] tools: slow\nERROR hermes: broken\n",
		);
		expect(read(home.path, "errors.log").replace(stamp, "")).toBe("WARNING [s1] tools: slow\nERROR hermes: broken\n");
	});

	test("createLogger() touches nothing before the first entry, and then makes files for the user alone", () => {
		using home = temporaryFolder();
		using log = open(home.path);
		log.debug("nothing");
		log.flush();
		expect(readdirSync(home.path)).toEqual([]);
		log.info("something");
		log.flush();
		expect(["logs", "logs/agent.log"].map((name) => statSync(join(home.path, name)).mode & 0o777)).toEqual([
			0o700, 0o600,
		]);
		expect(readdirSync(join(home.path, "logs"))).toEqual(["agent.log"]);
	});

	test("createLogger() writes at the end of the tick by itself", async () => {
		using home = temporaryFolder();
		using log = open(home.path);
		log.info("later");
		expect(read(home.path, "agent.log")).toBe("");
		await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
		expect(read(home.path, "agent.log")).toContain("later");
	});

	test("createLogger() keeps DEBUG when asked, and WARNING in errors.log when agent.log keeps less", () => {
		using home = temporaryFolder();
		{
			using log = open(home.path, { level: "DEBUG" });
			log.debug("detail");
		}
		{
			using log = open(home.path, { level: "ERROR" });
			log.warning("only an error file");
		}
		expect(read(home.path, "agent.log").replace(stamp, "")).toBe("DEBUG hermes: detail\n");
		expect(read(home.path, "errors.log").replace(stamp, "")).toBe("WARNING hermes: only an error file\n");
	});

	test("createLogger() redacts message, stack and causes", () => {
		using home = temporaryFolder();
		{
			using log = open(home.path, { redact: createRedactor(["value-of-env"]) });
			const cause = new Error("401 for sk-proj-abcdefghijklmnopqrstuv");
			log.error("call failed with password=abc", new Error("https://me:pw@host says value-of-env", { cause }));
		}
		const text = read(home.path, "agent.log");
		for (const secret of ["abcdefghijklmnop", "=abc", ":pw@", "value-of-env"]) expect(text).not.toContain(secret);
		expect(text).toContain("logger.test.ts");
		expect(text).toContain("caused by Error: 401 for sk-pro...stuv");
	});

	test("createLogger() lets no message forge another entry or command a terminal", () => {
		using home = temporaryFolder();
		{
			using log = open(home.path);
			log.info("one\n2026-07-01 09:30:00,123+00:00 ERROR hermes: forged\r\u001b[2Jgone");
		}
		expect(read(home.path, "agent.log").replace(stamp, "")).toBe(
			"INFO hermes: one\n    2026-07-01 09:30:00,123+00:00 ERROR hermes: forged\n    \\x1b[2Jgone\n",
		);
	});

	test("createLogger() rotates by size and keeps as many files as it was told", () => {
		using home = temporaryFolder();
		using log = open(home.path, { maxBytes: 200, backups: 2 });
		for (let index = 0; index < 20; index++) {
			log.info(`entry ${index} ${"x".repeat(100)}`);
			log.flush();
		}
		const files = readdirSync(join(home.path, "logs")).filter((name) => !name.endsWith(".lock"));
		expect(files.sort()).toEqual(["agent.log", "agent.log.1", "agent.log.2"]);
		expect(
			["agent.log.2", "agent.log.1", "agent.log"].map((name) => read(home.path, name).match(/entry \d+/g)),
		).toEqual([
			["entry 14", "entry 15"],
			["entry 16", "entry 17"],
			["entry 18", "entry 19"],
		]);
	});

	test("createLogger() that cannot write says so once and stops nobody", () => {
		using home = temporaryFolder();
		writeFileSync(join(home.path, "logs"), "a file");
		const failures: string[] = [];
		using log = open(home.path, { onFailure: (reason) => failures.push(reason) });
		for (let index = 0; index < 3; index++) {
			log.error("lost");
			log.flush();
		}
		expect(failures.length).toBe(1);
	});

	test("createLogger() in two processes that rotate loses and tears no line, and a follower sees each once", async () => {
		using home = temporaryFolder();
		const followed: string[] = [];
		const stop = new AbortController();
		const following = followLog(join(home.path, "logs/agent.log"), {
			signal: stop.signal,
			onLines: (lines) => followed.push(...lines),
		});
		const count = 10_000;
		const writers = ["a", "b"].map((who) =>
			Bun.spawn([process.execPath, writer, home.path, who, String(count)], { stdout: "ignore", stderr: "inherit" }),
		);
		expect(await Promise.all(writers.map(({ exited }) => exited))).toEqual([0, 0]);
		for (let waited = 0; followed.length < 2 * count && waited < 200; waited++) await Bun.sleep(50);
		stop.abort();
		await following;

		const files = readdirSync(join(home.path, "logs")).filter((name) => !name.endsWith(".lock"));
		const lines = files.flatMap((name) => read(home.path, name).split("\n").slice(0, -1));
		const wanted = ["a", "b"].flatMap((who) =>
			Array.from({ length: count }, (_, index) => `INFO [${who}] hermes: line ${index} ${"x".repeat(index % 50)}`),
		);
		const bare = (all: readonly string[]) => all.map((line) => line.slice(30)).sort();
		expect(files.length).toBeGreaterThan(5);
		// Twenty thousand lines make no readable difference.
		expect(Bun.deepEquals(bare(lines), wanted.sort())).toBe(true);
		expect([followed.length, Bun.deepEquals(bare(followed), wanted)]).toEqual([2 * count, true]);
	}, 60_000);
});
