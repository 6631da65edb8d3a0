/** Managed Modal as a user meets it: on the command line, from source and from the executable. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { builtBinary } from "../../support/built-binary.ts";
import { runHermes, startHermes } from "../../support/run-hermes.ts";
import { runProgram } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { hasManagedModal, startTestGateway, type TestGateway } from "./managed-service.ts";

setDefaultTimeout(600_000);

const isSoak = process.env.HERMES_TEST_SOAK === "1";

const onModal = ["--backend", "modal"];

describe("without what it needs, hermes says so in one sentence before anything else", () => {
	test.each([
		[
			"a token",
			{ TERMINAL_MODAL_MODE: "managed" },
			"there is no token for the modal gateway: set TOOL_GATEWAY_USER_TOKEN, or log in to Nous, which writes HOME/.hermes/auth.json",
		],
		[
			"a sandbox without credential files",
			{ TERMINAL_MODAL_MODE: "managed", TOOL_GATEWAY_USER_TOKEN: "t", TERMINAL_CREDENTIAL_FILES: '["~/.netrc"]' },
			"it takes no credential files, and terminal.credential_files names one; empty that list, or set terminal.modal_mode to direct",
		],
	])("%s", async (_what, env, sentence) => {
		using home = temporaryFolder();
		for (const args of [
			["exec", ...onModal, "true"],
			["-q", "hi", ...onModal, "--provider", "custom", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"],
		]) {
			const { exitCode, stdout, stderr } = await runHermes(args, { home: home.path, env });
			expect({ isFailure: exitCode !== 0, stdout, stderr: stderr.replaceAll(home.path, "HOME") }).toEqual({
				isFailure: true,
				stdout: "",
				stderr: `hermes: Cannot use backend "modal" (--backend): ${sentence}; nothing runs elsewhere instead, see hermes doctor\n`,
			});
		}
	});

	test("doctor names both ways, and what each lacks", async () => {
		using home = temporaryFolder();
		const { stdout } = await runHermes(["doctor", "--json"], { home: home.path });
		const report = JSON.parse(stdout);
		const findings: { section: string; name: string; status: string; detail: string }[] = report.findings ?? report;
		const modal = findings.find(({ section, name }) => section === "backends" && name === "modal");
		expect(modal?.status).toBe("off");
		expect(modal?.detail).toContain("MODAL_TOKEN_ID");
		expect(modal?.detail).toContain("TOOL_GATEWAY_USER_TOKEN");
	});
});

describe.skipIf(!(await hasManagedModal()))("through a gateway", () => {
	test("hermes exec runs a command, tells that a sandbox starts, and ends it", async () => {
		await using started = await startTestGateway();
		const { exitCode, stdout, stderr } = await runHermes(["exec", ...onModal, "echo hi; pwd; exit 3"], {
			home: started.home,
			cwd: "/",
			env: started.variables,
		});
		expect({ exitCode, stdout, stderr, running: started.gateway.running() }).toEqual({
			exitCode: 3,
			stdout: "hi\n/root\n",
			stderr: "Starting a managed Modal sandbox of nikolaik/python-nodejs:python3.11-nodejs20\n",
			running: [],
		});
	});

	test("an interrupt ends the command and lets the sandbox go, with a snapshot", async () => {
		await using started = await startTestGateway();
		const options = { home: started.home, cwd: "/", env: started.variables };
		const hermes = startHermes(["exec", ...onModal, "echo kept >~/file; echo up; sleep 60"], options);
		await hermes.shows("up");
		hermes.kill("SIGINT");
		expect((await hermes.ended).exitCode).toBe(130);
		expect(started.gateway.running()).toEqual([]);
		expect((await runHermes(["exec", ...onModal, "cat ~/file"], options)).stdout).toBe("kept\n");
	});

	const environmentOf = ({ home, variables }: TestGateway) => ({
		PATH: process.env.PATH ?? "",
		HOME: home,
		HERMES_HOME: join(home, ".hermes"),
		...variables,
	});

	test("the executable runs a command there", async () => {
		const hermes = await builtBinary();
		await using started = await startTestGateway();
		const options = { cwd: "/", env: environmentOf(started) };
		const { stdout, exitCode } = await runProgram([hermes, "exec", ...onModal, "echo hi; exit 3"], options);
		expect({ stdout, exitCode }).toEqual({ stdout: "hi\n", exitCode: 3 });
	});

	// Each of a hundred promises after the other, by HTTP: a minute and more.
	test.skipIf(!isSoak)("the executable passes its own selfcheck, and says what the service cannot do", async () => {
		const hermes = await builtBinary();
		await using started = await startTestGateway();
		const { stdout, exitCode } = await runProgram([hermes, "selfcheck", "modal", "--json"], {
			cwd: "/",
			env: environmentOf(started),
		});
		const { checks, ran_on } = JSON.parse(stdout) as {
			ran_on: string;
			checks: { name: string; status: string; detail: string }[];
		};
		expect(checks.filter(({ status }) => status === "failed")).toEqual([]);
		const why = "commands are no children of hermes, so there is nothing to count";
		expect(checks.filter(({ status }) => status === "unsupported").map(({ detail }) => detail)).toEqual([why, why]);
		expect({ exitCode, place: ran_on.split(":")[0] }).toEqual({ exitCode: 0, place: "managed-modal" });
	});
});
