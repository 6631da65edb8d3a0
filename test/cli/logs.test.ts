/** `hermes logs` as its users run it. */

import { describe, expect, test } from "bun:test";
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runHermes, startHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const line = (level: string, text: string, session = "s1") =>
	`2026-07-01 09:00:00,000+00:00 ${level} [${session}] agent: ${text}`;

function homeWithLog(lines: readonly string[]) {
	const folder = temporaryFolder();
	const path = join(folder.path, ".hermes/logs/agent.log");
	mkdirSync(join(path, ".."), { recursive: true });
	writeFileSync(path, `${lines.join("\n")}\n`);
	return { ...folder, home: folder.path, path };
}

describe("hermes logs", () => {
	test("hermes logs says in one line that HERMES_HOME is a file", async () => {
		using folder = temporaryFolder();
		const file = join(folder.path, ".hermes");
		writeFileSync(file, "");
		const { stdout, stderr, exitCode } = await runHermes(["logs"], { home: folder.path });
		expect({ stdout, stderr, exitCode }).toEqual({
			stdout: "",
			stderr: `hermes: Cannot open "${file}/logs/agent.log": a part of the path is a file\n`,
			exitCode: 1,
		});
	});

	test("hermes logs shows the last entries that are wanted, each with its stack", async () => {
		const lines = [
			line("INFO", "one"),
			line("ERROR", "two"),
			"    at x.ts:1",
			line("ERROR", "three", "s2"),
			line("INFO", "four"),
		];
		using at = homeWithLog(lines);
		const shown = async (...args: string[]) => (await runHermes(["logs", ...args], at)).stdout;
		expect([
			await shown("-n", "1"),
			await shown("--level", "warning"),
			await shown("--session", "s1", "--level", "error"),
			await shown("--since", "2027-01-01"),
			await shown("errors"),
		]).toEqual([`${lines[4]}\n`, `${lines.slice(1, 4).join("\n")}\n`, `${lines.slice(1, 3).join("\n")}\n`, "", ""]);
	});

	test.each([
		[["nothing"], 'hermes: Cannot show log "nothing": there is agent, errors, gateway and list\n'],
		[["--level", "loud"], 'hermes: Cannot show level "loud": there is debug, info, warning, error and critical\n'],
		[["--since", "soon"], 'hermes: Cannot show since "soon": say 30m, 1h, 2d, or a date such as 2026-07-01\n'],
	])("hermes logs %j is refused in one line", async (args, stderr) => {
		using home = temporaryFolder();
		expect(await runHermes(["logs", ...args], { home: home.path })).toEqual({ stdout: "", stderr, exitCode: 2 });
	});

	test("hermes logs list names the logs that are there", async () => {
		using at = homeWithLog([line("INFO", "one")]);
		const { stdout } = await runHermes(["logs", "list", "--json"], at);
		expect(JSON.parse(stdout)).toEqual([{ name: "agent", path: at.path, bytes: 51 }]);
	});

	test("hermes logs -f begins with the past, goes on over a rotation, and ends with Ctrl-C", async () => {
		using at = homeWithLog([line("INFO", "past")]);
		const running = startHermes(["logs", "-f"], at);
		await running.shows("past");
		appendFileSync(at.path, `${line("INFO", "present")}\n`);
		await running.shows("present");
		renameSync(at.path, `${at.path}.1`);
		writeFileSync(at.path, `${line("INFO", "after the rotation")}\n`);
		await running.shows("after the rotation");
		running.kill("SIGINT");
		const { stdout, exitCode } = await running.ended;
		expect([stdout.match(/agent: .*/g), exitCode]).toEqual([
			["agent: past", "agent: present", "agent: after the rotation"],
			130,
		]);
	}, 20_000);
});
