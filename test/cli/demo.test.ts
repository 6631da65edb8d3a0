/** hermes demo: the project is broken before, repaired after, and the exit code tells. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runHermes } from "../support/run-hermes.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const demo = join(import.meta.dir, "../../lib/cli/demo");
const tape = readFileSync(join(demo, "repair.jsonl"), "utf8");

describe.concurrent("the demonstration's project", () => {
	test.each(["sh", "bash", "dash", "busybox"].filter((shell) => Bun.which(shell) !== null))(
		"fails its own test in %s before it is repaired",
		async (shell) => {
			const argv = shell === "busybox" ? ["busybox", "sh"] : [shell];
			const options = { cwd: "/", env: { PATH: process.env.PATH ?? "" } };
			const { stdout, exitCode } = await runProgram([...argv, join(demo, "project/test.sh")], options);
			expect({ exitCode, last: stdout.trimEnd().split("\n").at(-1) }).toEqual({
				exitCode: 1,
				last: "3 of 7 checks failed",
			});
		},
	);
});

describe.concurrent("hermes demo", () => {
	test("hermes demo repairs the project, shows every step with time and place, and exits 0", async () => {
		using home = temporaryFolder();
		const { stdout, stderr, exitCode } = await runHermes(["demo"], { home: home.path });
		expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
		const steps = stdout.split("\n").filter((line) => /^\s*[▸✓✗]/.test(line));
		expect(steps.map((line) => line.replace(/\d+\.\d\d s/, "T s").trim())).toEqual([
			"▸ terminal sh test.sh",
			"✗ terminal · exit 1 · T s · local",
			"▸ read_file duration.sh",
			"✓ read_file · T s · local",
			"▸ patch duration.sh",
			"✓ patch · T s · local",
			"▸ terminal sh test.sh",
			"✓ terminal · exit 0 · T s · local",
			"✓ the test passes · exit 0 · T s · local",
		]);
		const folder = /^project: (\S+)/m.exec(stdout)?.[1] ?? "";
		expect({ removed: !existsSync(folder), home: existsSync(join(home.path, ".hermes")) }).toEqual({
			removed: true,
			home: false,
		});
	});

	test("hermes demo --keep leaves the repaired project", async () => {
		using home = temporaryFolder();
		const { stdout, exitCode } = await runHermes(["demo", "--keep"], { home: home.path, env: { TMPDIR: home.path } });
		const folder = /^project: (\S+)/m.exec(stdout)?.[1] ?? "";
		const after = await runProgram(["sh", "test.sh"], { cwd: folder, env: { PATH: process.env.PATH ?? "" } });
		rmSync(folder, { recursive: true });
		expect({ exitCode, after: after.exitCode, below: folder.startsWith(home.path) }).toEqual({
			exitCode: 0,
			after: 0,
			below: true,
		});
	});

	test.each([
		{ name: "a wrong patch", text: tape.replace("total % 3600", "total % 60"), said: /✗ the test fails · exit 1/ },
		{ name: "no patch at all", text: '{"text":"I did nothing."}\n', said: /✗ the test fails · exit 1/ },
		{ name: "a tape that ends too early", text: `${tape.split("\n", 1)[0]}\n`, said: /tape ended after line 1/ },
		{
			name: "an expectation that is not met",
			text: tape.replace('"exit_code": 1', '"exit_code": 0'),
			said: /line 2, turn 2: expected/,
		},
	])("hermes demo with $name exits 1", async ({ text, said }) => {
		using home = temporaryFolder();
		writeFileSync(join(home.path, "tape.jsonl"), text);
		const { stdout, exitCode } = await runHermes(["demo", "--cassette", "tape.jsonl"], { home: home.path });
		expect(exitCode).toBe(1);
		expect(stdout).toMatch(said);
	});

	test.each([
		{ text: `${tape}{"text":\n`, said: 'hermes: Cannot play "tape.jsonl": line 6: it is not JSON\n' },
		{ text: undefined, said: 'hermes: Cannot play cassette "tape.jsonl": there is no such file\n' },
	])("hermes demo with a broken tape does nothing: $said", async ({ text, said }) => {
		using home = temporaryFolder();
		if (text !== undefined) writeFileSync(join(home.path, "tape.jsonl"), text);
		const env = { TMPDIR: home.path };
		expect(await runHermes(["demo", "--cassette", "tape.jsonl"], { home: home.path, env })).toEqual({
			stdout: "",
			stderr: said,
			exitCode: 1,
		});
	});
});
