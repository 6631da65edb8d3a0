/** The compiled binary drives Modal's own library as the sources do: sandboxes, a relay in them, files that are kept. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hasModalServer } from "../environments/modal/modal-place.ts";
import { builtBinary } from "../support/built-binary.ts";
import { type ModalServer, startModalServer } from "../support/modal-server/start-server.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const limitMs = 60_000;

describe.skipIf(!(await hasModalServer()))("hermes", () => {
	let hermes: string;
	let server: ModalServer;
	beforeAll(async () => {
		[hermes, server] = await Promise.all([builtBinary(), startModalServer()]);
	}, 120_000);
	afterAll(() => server[Symbol.asyncDispose]());

	/** Nothing of the user who runs the tests. */
	const run = (home: string, words: readonly string[], more: Readonly<Record<string, string>> = server.variables) =>
		runProgram([hermes, ...words], { cwd: home, env: { HOME: home, PATH: "/usr/bin:/bin", ...more } });

	test(
		"exec runs a command in a sandbox, and the next one finds the files again",
		async () => {
			using home = temporaryFolder();
			const command = "echo out; echo err >&2; seq 100000 | tee file | wc -l; exit 3";
			const first = await run(home.path, ["exec", "--backend", "modal", command]);
			expect(first).toEqual({ stdout: "out\nerr\n100000\n", stderr: "Starting a Modal sandbox\n", exitCode: 3 });
			const second = await run(home.path, ["exec", "--backend", "modal", "tail -n 1 file"]);
			expect({ ...second, stderr: second.stderr.replace(/im-\S+/, "im-…") }).toEqual({
				stdout: "100000\n",
				stderr: "Starting a Modal sandbox\nThe sandbox begins with the files saved as im-…\n",
				exitCode: 0,
			});
			const { sandboxes } = await server.look();
			expect(sandboxes.map(({ isAlive }) => isAlive)).toEqual([false, false]);
		},
		limitMs,
	);

	test(
		"demo works in a sandbox",
		async () => {
			using home = temporaryFolder();
			const { stdout, exitCode } = await run(home.path, ["demo", "--backend", "modal"]);
			expect(stdout).toContain("the test passes");
			expect(exitCode).toBe(0);
		},
		limitMs,
	);

	test("demo says which variables are missing before any model is asked", async () => {
		using home = temporaryFolder();
		const { stdout, stderr, exitCode } = await run(home.path, ["demo", "--backend", "modal"], {
			TERMINAL_MODAL_MODE: "direct",
		});
		expect(stderr).toStartWith(
			'hermes: Cannot use backend "modal" (--backend): there is no Modal token: set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or let "modal token new" write',
		);
		expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
	});
});
