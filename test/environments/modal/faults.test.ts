/** What users of the modal backend see when Modal, the way to it, or a clock is not as it should be. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { BackendUnavailable } from "../../../lib/environments/backend.ts";
import { openSnapshots } from "../../../lib/environments/modal/snapshots.ts";
import type { Outcome } from "../../../lib/environments/outcome.ts";
import type { PooledShell } from "../../../lib/environments/pool/task-shell.ts";
import { type ModalServer, startModalServer } from "../../support/modal-server/start-server.ts";
import { usualSwitches } from "../../support/modal-server/switches.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { hasModalServer } from "./modal-place.ts";
import { type ModalPool, openModalPool } from "./modal-pool.ts";

const limitMs = 60_000;
const hour = 3600;

/** Codes of gRPC. */
const resourceExhausted = 8;
const unavailable = 14;

describe.skipIf(!(await hasModalServer()))("modal", () => {
	let server: ModalServer;
	beforeAll(async () => {
		server = await startModalServer();
	}, limitMs);
	beforeEach(() => server.set(usualSwitches));
	afterAll(() => server[Symbol.asyncDispose](), limitMs);

	const signal = new AbortController().signal;
	const run = (shell: PooledShell, command: string) => shell.execute(command, { signal, timeoutSeconds: 30 });
	const inPool = async <T>(home: string, use: (shell: PooledShell, told: ModalPool["told"]) => Promise<T>) => {
		await using opened = openModalPool(server, { home });
		return await use(opened.pool.shell(""), opened.told);
	};
	/** What a call that must fail says. */
	const failureOf = async (call: Promise<Outcome>) => {
		const failure = await call.then(
			({ output }) => new Error(`it gave ${output}`),
			(cause: unknown) => cause,
		);
		expect(failure).toBeInstanceOf(BackendUnavailable);
		return failure instanceof Error ? failure.message : "";
	};
	const callsOf = async (method: string) => (await server.look()).calls[method] ?? 0;

	for (const hasRelay of [false, true]) {
		const how = hasRelay ? "with a relay" : "by itself";

		test(
			`execute() says that a sandbox has expired between commands, and goes on with the files saved last (${how})`,
			async () => {
				using home = temporaryFolder();
				await inPool(home.path, (shell) => run(shell, "echo saved >file"));
				await using opened = openModalPool(server, { home: home.path, hasRelay });
				const shell = opened.pool.shell("");
				await run(shell, "echo lost >later");
				const first = shell.ranOn;
				await server.expire();
				const failure = await failureOf(untilFailure(() => run(shell, "cat file")));
				expect(failure).toContain("time was over");
				const outcome = await run(shell, "cat file; ls later 2>&1");
				expect(outcome.output).toStartWith("saved\nls: cannot access 'later'");
				expect(outcome.notice).toStartWith(`The sandbox ${first} is gone; this ran in a new one, ${outcome.ranOn}`);
				expect(
					opened.told.filter((line) => line.startsWith("The sandbox begins with the files saved as im-")),
				).toHaveLength(2);
			},
			limitMs,
		);

		test(
			`execute() says that a sandbox has expired while a command ran, and goes on in a new one (${how})`,
			async () => {
				using home = temporaryFolder();
				await inPool(home.path, (shell) => run(shell, "echo saved >file"));
				await using opened = openModalPool(server, { home: home.path, hasRelay });
				const shell = opened.pool.shell("");
				await shell.open(signal);
				const onOutput = () => void server.expire();
				const running = shell.execute("echo up; sleep 60; echo whole", { signal, timeoutSeconds: 50, onOutput });
				const failure = await running.then(
					() => "it ended well",
					(cause: unknown) => String(cause),
				);
				expect(failure).toMatch(/^(?:BackendUnavailable|ProcessLost): /);
				if (hasRelay) expect(failure).toStartWith("BackendUnavailable: Cannot finish what may be done in part: ");
				const outcome = await untilSuccess(() => run(shell, "cat file"));
				expect(outcome.output).toBe("saved\n");
				expect(outcome.notice).toStartWith("The sandbox modal:sb-");
			},
			limitMs,
		);
	}

	test(
		"open() waits when Modal has no room, and tells the user",
		async () => {
			using home = temporaryFolder();
			const full = { method: "sandboxCreateV2", code: resourceExhausted, message: "too many sandboxes" };
			await server.set({
				failures: [
					{ ...full, times: 1 },
					{ ...full, times: 2, retryAfterSeconds: 0.2 },
				],
			});
			const told = await inPool(home.path, async (shell, told) => {
				expect((await run(shell, "echo in")).output).toBe("in\n");
				return told;
			});
			expect(told).toContain("Modal has no room for the sandbox now; trying again in 1 s");
			expect(told.some((line) => line.startsWith("Modal: Server requested retry delay"))).toBe(true);
		},
		limitMs,
	);

	test(
		"execute() gives all of the output when its stream is cut after a megabyte",
		async () => {
			using home = temporaryFolder();
			await server.set({ cutStreamsAfter: 1_000_000 });
			const before = await callsOf("taskExecStdioRead");
			await inPool(home.path, async (shell) => {
				const command = "seq 1 400000; echo out of order >&2";
				const { output, exitCode } = await shell.execute(command, { signal, limits: { keepBytes: 10_000_000 } });
				const whole = Array.from({ length: 400_000 }, (_, index) => `${index + 1}\n`).join("");
				expect({ isWhole: output === `${whole}out of order\n`, exitCode }).toEqual({ isWhole: true, exitCode: 0 });
			});
			expect((await callsOf("taskExecStdioRead")) - before).toBeGreaterThan(2);
		},
		limitMs,
	);

	test(
		"R160: open() says so when Modal has lost the saved files, and forgets them",
		async () => {
			using home = temporaryFolder();
			await inPool(home.path, (shell) => run(shell, "echo saved >file"));
			const lost = openSnapshots(home.path, "default").saved;
			await server.loseSnapshots();
			const told = await inPool(home.path, async (shell, told) => {
				expect((await run(shell, "cat file 2>&1")).exitCode).toBe(1);
				return told;
			});
			expect(told).toContain(
				`The files saved as ${lost} cannot be restored (Modal does not have them any more); the sandbox begins with nikolaik/python-nodejs:python3.11-nodejs20`,
			);
			expect(openSnapshots(home.path, "default").saved).not.toBe(lost);
		},
		limitMs,
	);

	test(
		"R160: open() fails, and keeps the saved files, when they are only out of reach",
		async () => {
			using home = temporaryFolder();
			await inPool(home.path, (shell) => run(shell, "echo saved >file"));
			await server.set({ failures: [{ method: "imageFromId", code: unavailable, times: 9, message: "no route" }] });
			await inPool(home.path, async (shell) => {
				expect(await failureOf(run(shell, "cat file"))).toBe(
					"Cannot start a Modal sandbox: Modal cannot be reached (no route)",
				);
				await server.set({ failures: [] });
				expect((await run(shell, "cat file")).output).toBe("saved\n");
			});
		},
		limitMs,
	);

	test(
		"open() says that files cannot be kept while another process works on the same task",
		async () => {
			using home = temporaryFolder();
			await inPool(home.path, async (first) => {
				await run(first, "echo one >file");
				const told = await inPool(home.path, async (second, told) => {
					await run(second, "echo two >file");
					expect(second.ranOn).not.toBe(first.ranOn);
					return told;
				});
				expect(told).toContain(
					'Another process works in the Modal sandbox of task "default": this one begins with the files saved last, and what it changes is not kept',
				);
			});
			expect((await inPool(home.path, (shell) => run(shell, "cat file"))).output).toBe("one\n");
		},
		limitMs,
	);

	test(
		"close() says when the files could not be saved, and keeps those saved before",
		async () => {
			using home = temporaryFolder();
			await inPool(home.path, (shell) => run(shell, "echo saved >file"));
			const before = openSnapshots(home.path, "default").saved;
			const failure = { method: "taskSnapshotFilesystem", code: resourceExhausted, times: 1, message: "no disk" };
			await server.set({ failures: [failure] });
			const told = await inPool(home.path, async (shell, told) => {
				await run(shell, "echo new >file");
				return told;
			});
			expect(told.at(-1)).toEndWith("could not be saved: Modal has no room for it now (no disk)");
			expect(openSnapshots(home.path, "default").saved).toBe(before);
		},
		limitMs,
	);

	for (const clockAheadSeconds of [2 * hour, -2 * hour]) {
		test(
			`execute() runs commands when Modal's clock is ${clockAheadSeconds / hour} hours ahead of ours`,
			async () => {
				using home = temporaryFolder();
				await server.set({ clockAheadSeconds });
				await inPool(home.path, async (shell) => {
					expect((await run(shell, "echo in")).output).toBe("in\n");
					// What Modal takes for old, the library takes for fresh: only another handle brings another token.
					await server.set({ clockAheadSeconds: clockAheadSeconds + 2 * hour });
					expect((await run(shell, "echo again")).output).toBe("again\n");
				});
			},
			limitMs,
		);
	}

	test(
		"open() says which token is refused, and where to get another",
		async () => {
			using home = temporaryFolder();
			await server.set({ isRevoked: true });
			const failure = await inPool(home.path, (shell) => failureOf(run(shell, "echo in")));
			expect(failure).toBe(
				'Cannot start a Modal sandbox: Modal refuses the token of MODAL_TOKEN_ID (Token ID is malformed or was revoked); make a new one with "modal token new", or set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET',
			);
		},
		limitMs,
	);

	test(
		"execute() says so when the token is revoked while a session is open",
		async () => {
			using home = temporaryFolder();
			await inPool(home.path, async (shell) => {
				await run(shell, "true");
				await server.set({ isRevoked: true, clockAheadSeconds: 2 * hour });
				expect(await failureOf(run(shell, "echo in"))).toContain("Modal refuses the token of MODAL_TOKEN_ID");
			});
		},
		limitMs,
	);

	test(
		"execute() starts a command once when Modal's first answers are lost",
		async () => {
			using home = temporaryFolder();
			await inPool(home.path, async (shell) => {
				await run(shell, "true");
				await server.set({ failures: [{ method: "taskExecStart", code: unavailable, times: 3 }] });
				expect((await run(shell, "echo once >>file; cat file")).output).toBe("once\n");
			});
		},
		limitMs,
	);

	test(
		"R157: no limit of the library bounds a command; R158: the one of the call does, also when output streams",
		async () => {
			using home = temporaryFolder();
			await inPool(home.path, async (shell) => {
				const onOutput = () => undefined;
				const { ended, output } = await shell.execute("echo a; sleep 30", { signal, timeoutSeconds: 3, onOutput });
				expect({ ended, output }).toEqual({ ended: "timed_out", output: "a\n\n[Command timed out after 3s]" });
			});
			const { execLimits, sandboxes } = await server.look();
			expect(new Set(execLimits)).toEqual(new Set([0]));
			const { id: _id, ...last } = sandboxes.at(-1) ?? {};
			expect(last).toEqual({
				image: "im-base",
				isAlive: false,
				timeoutSeconds: hour,
				milliCpu: 1000,
				memoryMegabytes: 5120,
				command: ["sleep", "infinity"],
				tags: { "hermes-agent": "1", "hermes-task": "default" },
			});
		},
		limitMs,
	);
});

/** A command that was under way on the way out may still be answered by the sandbox; the one after it is not. */
async function untilFailure(run: () => Promise<Outcome>): Promise<Outcome> {
	for (;;) await run();
}

/** A relay that is lost is told of before the sandbox is. */
async function untilSuccess(run: () => Promise<Outcome>): Promise<Outcome> {
	for (let left = 3; left > 0; left--) {
		const outcome = await run().catch((cause: unknown) => cause);
		if (!(outcome instanceof Error)) return outcome as Outcome;
	}
	return run();
}
