/** hermes selfcheck: the conformance suite on the user's own backend. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runSelfcheck } from "../../lib/cli/selfcheck/run-selfcheck.ts";
import { equal } from "../../lib/environments/conformance/assertions.ts";
import { conformanceCases } from "../../lib/environments/conformance/cases.ts";
import type { ConformanceCase } from "../../lib/environments/conformance/conformance-case.ts";
import { breakableBackend } from "../support/breakable-backend.ts";
import { startHermes } from "../support/run-hermes.ts";
import { composeScene, runInScene } from "../support/scene.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

const median = expect.any(Number);
const nothing = { execute_true: 0, output_1mb: 0, open_session: 0 };

describe.concurrent("hermes selfcheck", () => {
	/** A few quick cases, one that is broken and one that cannot be checked: the whole suite has tests of its own. */
	const quick = conformanceCases.slice(0, 3);
	const cases: readonly ConformanceCase[] = [
		...quick,
		{ name: "two is three", run: async () => equal(2, 3) },
		{ name: "it counts", needs: ["own-process"], run: async () => {} },
	];

	test("says of every check what became of it, and measures", async () => {
		using home = temporaryFolder();
		const backend = { ...breakableBackend("box").backend, files: "sync" as const };
		const { cli, stdout } = composeScene({ home: home.path, backends: [backend] });
		expect(await runSelfcheck(cli, { backend: "box", json: true }, cases)).toBe(1);
		expect(JSON.parse(stdout())).toEqual({
			backend: "box",
			ran_on: "box:1",
			checks: [
				{ name: "a session can be opened", status: "passed", detail: "" },
				...quick.map(({ name }) => ({ name, status: "passed", detail: "" })),
				{ name: "two is three", status: "failed", detail: "PromiseBroken: got 2, want 3" },
				{ name: "it counts", status: "unsupported", detail: expect.stringContaining("no children of hermes") },
				{ name: "a script calls a tool over the relay's socket in the sandbox", status: "passed", detail: "" },
			],
			script_transport: "relay",
			latency_ms: { execute_true: median, output_1mb: median, open_session: median },
		});
	});

	test("shows a table, and exits with 0 when nothing failed", async () => {
		using home = temporaryFolder();
		const { cli, stdout } = composeScene({ home: home.path });
		expect(await runSelfcheck(cli, { backend: "local", json: false }, quick)).toBe(0);
		const lines = stdout().split("\n");
		expect(lines.slice(0, 9)).toEqual([
			"hermes selfcheck local",
			"  ✓ a session can be opened",
			...quick.map(({ name }) => `  ✓ ${name}`),
			"  ✓ a script calls a tool over a Unix socket",
			"",
			"5 passed, 0 failed, 0 not supported on local",
			"",
		]);
		expect(lines.slice(9).join("\n")).toMatch(/^Median times\n(?: {2}a .* {2}\d+\.\d ms\n){3}$/);
	});

	test("is stopped by Ctrl-C, cleans up, and prints no half result", async () => {
		using home = temporaryFolder();
		const tmp = join(home.path, "tmp");
		mkdirSync(tmp);
		const running = startHermes(["selfcheck"], { home: home.path, env: { TMPDIR: tmp } });
		await running.shows("✓ execute()");
		running.kill("SIGINT");
		const { stdout, exitCode } = await running.ended;
		expect(exitCode).toBe(130);
		expect(stdout).toMatch(/\nStopped after \d+ of \d+ checks: \d+ passed, 0 failed, \d+ not supported\n$/);
		expect([...new Bun.Glob("**").scanSync({ cwd: tmp, onlyFiles: false })]).toEqual([]);
	});

	test("says why a backend cannot be opened, as a table and as JSON", async () => {
		using home = temporaryFolder();
		const box = breakableBackend("box");
		box.breakdown = "the cable is cut";
		const scene = { home: home.path, backends: [box.backend] };
		const detail =
			'Cannot use backend "box" (--backend): it is broken: the cable is cut; nothing runs elsewhere instead, see hermes doctor';
		const json = await runInScene(["selfcheck", "box", "--json"], scene);
		expect(JSON.parse(json.stdout)).toEqual({
			backend: "box",
			ran_on: "",
			checks: [{ name: "a session can be opened", status: "failed", detail }],
			script_transport: "",
			latency_ms: nothing,
		});
		const table = await runInScene(["selfcheck", "box"], scene);
		expect(table).toEqual({
			stdout: `hermes selfcheck box\n  ✗ a session can be opened\n    ${detail}\n\n0 passed, 1 failed, 0 not supported; nothing else could be checked\n`,
			stderr: "",
			exitCode: 1,
		});
		expect(json.exitCode).toBe(1);
	});

	test("checks the configured backend when none is named, and knows the nearest name", async () => {
		using home = temporaryFolder();
		mkdirSync(join(home.path, ".hermes"), { mode: 0o700 });
		writeFileSync(join(home.path, ".hermes/config.yaml"), "terminal: {backend: box}\n", { mode: 0o600 });
		const box = breakableBackend("box");
		box.breakdown = "the cable is cut";
		const scene = { home: home.path, backends: [box.backend] };
		expect((await runInScene(["selfcheck"], scene)).stdout).toStartWith("hermes selfcheck box\n");
		const typo = await runInScene(["selfcheck", "dokcer"], scene);
		expect(typo).toEqual({
			stdout: "",
			stderr: expect.stringMatching(
				/^hermes: Cannot use backend "dokcer": unknown; there is .*docker.*; did you mean "docker"\?\n$/,
			),
			exitCode: 2,
		});
	});
});
