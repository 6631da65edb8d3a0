/** What a user of a session on Daytona sees when its sandbox goes away. */

import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Backend } from "../../../lib/environments/backend.ts";
import daytona from "../../../lib/environments/daytona/index.ts";
import { settings } from "../../../lib/environments/daytona/settings.ts";
import { createPool, type Pool } from "../../../lib/environments/pool/pool.ts";
import { relayedBackend } from "../../../lib/environments/relay/relayed-backend.ts";
import { type DaytonaServer, startDaytonaServer } from "../../support/daytona-server/server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { hasDaytona } from "./daytona-service.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const signal = new AbortController().signal;
const limitMs = 60_000;

describe.skipIf(!(await hasDaytona())).each(["without", "with"] as const)("daytona, %s a relay", (relay) => {
	let server: DaytonaServer;
	let home: ReturnType<typeof temporaryFolder>;
	let pool: Pool;
	let told: string[];
	beforeEach(() => {
		server = startDaytonaServer();
		home = temporaryFolder();
		told = [];
		const plain = daytona as Backend;
		const tell = (line: string) => void told.push(line);
		const target = {
			backend: relay === "with" ? relayedBackend(plain, tell) : plain,
			config: settings.parse({}),
			cwd: "~",
			environment: {},
		};
		pool = createPool({
			target,
			targetFor: async () => target,
			isPinned: false,
			lifetimeSeconds: 300,
			context: { home: home.path, hostEnvironment: server.variables, onProgress: tell },
			onWarning: tell,
		});
	});
	afterEach(async () => {
		await pool[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
		home[Symbol.dispose]();
	}, limitMs);

	const run = (command: string) => pool.shell("").execute(command, { signal, timeoutSeconds: 30 });
	const onlyMachine = () => {
		const [machine] = server.machines();
		if (machine === undefined) throw new Error("there is no sandbox");
		return machine;
	};
	/** What the user is told where the command did not end by itself. */
	const attempt = async (command: string) => {
		try {
			const outcome = await run(command);
			return outcome.ended === "exited" ? outcome : outcome.ended;
		} catch (cause) {
			return cause instanceof Error ? cause.name : "thrown";
		}
	};

	test(
		"a sandbox that is stopped between two commands: the session goes on in it with its files and variables",
		async () => {
			await run("export KEPT=yes; echo here >file");
			await onlyMachine().stop();
			// Where a relay ran, its end may be found out before the next command or by it.
			if (relay === "with") await attempt("true");
			expect(await run('echo "$KEPT"; cat file')).toMatchObject({ output: "yes\nhere\n", exitCode: 0 });
			expect(told).toContain(`Starting the Daytona sandbox ${onlyMachine().name}, which was stopped`);
			expect(server.machines()).toHaveLength(1);
		},
		limitMs,
	);

	test(
		"a sandbox that is stopped during a command: the command is not taken for one that ended, and the session goes on",
		async () => {
			await run("export KEPT=yes; echo here >file");
			const ended = attempt("touch began; sleep 20; echo late");
			for (let tries = 0; tries < 200 && !(await Bun.file(`${onlyMachine().folder}/root/began`).exists()); tries++) {
				await Bun.sleep(50);
			}
			await onlyMachine().stop();
			expect(["BackendUnavailable", "interrupted"]).toContain(String(await ended));
			expect(await run('echo "$KEPT"; cat file')).toMatchObject({ output: "yes\nhere\n", exitCode: 0 });
		},
		limitMs,
	);

	test(
		"a sandbox that expired: the user is told that its files are gone, and the session goes on in a new one",
		async () => {
			const before = await run("export KEPT=yes; echo here >file");
			await onlyMachine().destroy();
			let next = await attempt('echo "$KEPT"; cat file 2>/dev/null || echo none');
			while (typeof next === "string") next = await attempt('echo "$KEPT"; cat file 2>/dev/null || echo none');
			expect(next.output).toBe("yes\nnone\n");
			expect(next.notice).toStartWith(`The sandbox ${before.ranOn} is gone; this ran in a new one, ${next.ranOn}`);
			expect(next.ranOn).not.toBe(before.ranOn);
			expect(told).toContain(`Created the Daytona sandbox ${onlyMachine().name}`);
		},
		limitMs,
	);
});
