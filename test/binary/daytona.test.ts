/** The executable runs commands on Daytona, and its SDK takes nothing from the folder it stands in. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasDaytona } from "../environments/daytona/daytona-service.ts";
import { builtBinary } from "../support/built-binary.ts";
import { type DaytonaServer, startDaytonaServer } from "../support/daytona-server/server.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const limitMs = 120_000;

/** Modules that the SDK looks for while it runs, and would take from the current folder. */
const lookedFor = ["dotenv", "form-data", "busboy", "tar", "@opentelemetry/sdk-node", "@opentelemetry/api"];

describe.skipIf(!(await hasDaytona()))("daytona", () => {
	let hermes: string;
	let server: DaytonaServer;
	let home: ReturnType<typeof temporaryFolder>;
	beforeAll(async () => {
		hermes = await builtBinary();
		server = startDaytonaServer();
		home = temporaryFolder();
	}, limitMs);
	afterAll(async () => {
		await server[Symbol.asyncDispose]();
		home[Symbol.dispose]();
	}, limitMs);

	const run = (args: readonly string[], env: Readonly<Record<string, string>> = server.variables) =>
		runProgram([hermes, ...args], {
			cwd: home.path,
			env: {
				PATH: process.env.PATH ?? "",
				HOME: home.path,
				HERMES_HOME: join(home.path, ".hermes"),
				TERMINAL_ENV: "daytona",
				...env,
			},
		});

	test(
		"exec runs a command in a sandbox, and the next one in the same",
		async () => {
			expect(await run(["exec", "echo kept >~/file; echo hi; exit 4"])).toMatchObject({ stdout: "hi\n", exitCode: 4 });
			expect(await run(["exec", "cat ~/file"])).toMatchObject({ stdout: "kept\n", exitCode: 0 });
			expect(server.machines()).toHaveLength(1);
		},
		limitMs,
	);

	test(
		"exec without a key says in one sentence what is missing",
		async () => {
			const { stdout, stderr, exitCode } = await run(["exec", "true"], {});
			expect({ stdout, isFailure: exitCode !== 0 }).toEqual({ stdout: "", isFailure: true });
			expect(stderr).toContain("DAYTONA_API_KEY is not set");
			expect(stderr.trim().split("\n")).toHaveLength(1);
		},
		limitMs,
	);

	test(
		"exec takes no module and no setting from a hostile folder",
		async () => {
			const report = join(home.path, "ran");
			for (const name of lookedFor) {
				const folder = join(home.path, "node_modules", name);
				mkdirSync(folder, { recursive: true });
				writeFileSync(
					join(folder, "index.js"),
					`require("node:fs").writeFileSync(${JSON.stringify(report)}, "${name}");\n`,
				);
			}
			for (const file of [".env", ".env.local"]) {
				writeFileSync(join(home.path, file), "DAYTONA_API_URL=http://127.0.0.1:9\nDAYTONA_OTEL_ENABLED=true\n");
			}
			const { stdout, stderr, exitCode } = await run(["exec", "echo hi"]);
			expect({ stdout, exitCode, mentions: /dotenv|OpenTelemetry/i.test(stderr) }).toEqual({
				stdout: "hi\n",
				exitCode: 0,
				mentions: false,
			});
			expect(existsSync(report)).toBe(false);
		},
		limitMs,
	);
});
