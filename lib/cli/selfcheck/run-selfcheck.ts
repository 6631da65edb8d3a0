/** Opens the backend under check, runs every check in it and reports. */

import type { Sandbox } from "../../environments/backend.ts";
import { BackendUnavailable } from "../../environments/backend.ts";
import { conformanceCases } from "../../environments/conformance/cases.ts";
import type { Capability, ConformanceCase, SessionOptions } from "../../environments/conformance/conformance-case.ts";
import { runConformance } from "../../environments/conformance/run-conformance.ts";
import { sharedTask } from "../../environments/pool/task-id.ts";
import { execute } from "../../environments/shell/execute.ts";
import { openShell, type Shell } from "../../environments/shell/shell.ts";
import { childEnvironment } from "../../security/child-environment.ts";
import { exitCodes } from "../exit-codes.ts";
import { type ConfiguredBackend, checkAvailable, configuredBackend } from "../runtime/find-backend.ts";
import { openContext } from "../runtime/open-context.ts";
import { openSettings } from "../runtime/settings.ts";
import { openTerminalLines, type TerminalLines } from "../runtime/terminal-lines.ts";
import type { Cli } from "../subcommand.ts";
import { checkScripts } from "./check-scripts.ts";
import { measureLatency } from "./latency.ts";
import { createReport, type Report } from "./report.ts";
import { type Check, checkOf, type Selfcheck } from "./result.ts";

/** What the user typed. */
export interface SelfcheckFlags {
	readonly backend: string | undefined;
	readonly json: boolean;
}

/** After the user stopped the run, sessions are still opened to tidy up; each has this long. */
const tidyLimitMs = 10_000;

const notMeasured = { execute_true: 0, output_1mb: 0, open_session: 0 } as const;

/** Runs all checks (or `cases`) and returns the exit code. */
export async function runSelfcheck(
	cli: Cli,
	{ backend, json }: SelfcheckFlags,
	cases: readonly ConformanceCase[] = conformanceCases,
): Promise<number> {
	const config = await openSettings(cli, { backend });
	const configured = await configuredBackend(cli, config);
	const report = createReport(cli, { backend: configured.backend.name, json, total: cases.length + 1 });
	let result: Selfcheck;
	try {
		await checkAvailable(cli, config, configured);
		using keyboard = openTerminalLines();
		await using sandbox = await openSandbox(cli, configured, keyboard);
		result = await checkSandbox(cli, { configured, sandbox, report, cases });
	} catch (cause) {
		if (!(cause instanceof BackendUnavailable)) throw cause;
		result = lost(configured, cause, report);
	}
	const stopped = cli.interruption.exitCode();
	report.finish(result, stopped !== undefined);
	const hasFailed = result.checks.some(({ status }) => status === "failed");
	return stopped ?? (hasFailed ? exitCodes.failure : exitCodes.ok);
}

/** The user's own sandbox: what is checked is what the tools get. */
function openSandbox(cli: Cli, { backend, settings }: ConfiguredBackend, keyboard: TerminalLines): Promise<Sandbox> {
	const { signal } = cli.interruption;
	return backend.open(settings, { ...openContext(cli, backend, keyboard), signal, taskId: sharedTask });
}

interface Bench {
	readonly configured: ConfiguredBackend;
	readonly sandbox: Sandbox;
	readonly report: Report;
	readonly cases: readonly ConformanceCase[];
}

async function checkSandbox(cli: Cli, { configured, sandbox, report, cases }: Bench): Promise<Selfcheck> {
	const { backend } = configured;
	const { signal } = cli.interruption;
	const isHost = backend.files === "host";
	const environment = isHost ? childEnvironment(cli.environment.variables) : {};
	const open = (options: SessionOptions = {}) =>
		openShell({
			sandbox,
			files: backend.files,
			cwd: isHost ? "/" : "~",
			environment,
			signal: signal.aborted ? AbortSignal.timeout(tidyLimitMs) : signal,
			...options,
		});
	const checks: Check[] = [];
	const add = (check: Check) => {
		checks.push(check);
		report.add(check);
	};
	const capabilities = await capabilitiesOf(open, { isHost, signal });
	add({ name: "a session can be opened", status: "passed", detail: "" });
	for await (const item of runConformance(cases, { capabilities, signal, openShell: open })) {
		// A check that was under way was stopped, not failed.
		if (signal.aborted) break;
		const check = checkOf(item);
		add(check.status === "unsupported" ? { ...check, detail: whyNot(item.reason ?? "") } : check);
	}
	const scripts = signal.aborted ? undefined : await checkScripts(open, signal);
	if (scripts !== undefined && !signal.aborted) add(scripts.check);
	const latency = signal.aborted ? notMeasured : await measureLatency(open, signal);
	return {
		backend: backend.name,
		ran_on: sandbox.ranOn,
		checks,
		script_transport: scripts?.transport ?? "",
		latency_ms: latency,
	};
}

/** Asked of the sandbox itself, in the session that shows that it can be opened. */
async function capabilitiesOf(
	open: () => Promise<Shell>,
	{ isHost, signal }: { readonly isHost: boolean; readonly signal: AbortSignal },
): Promise<ReadonlySet<Capability>> {
	await using shell = await open();
	const { exitCode } = await execute(shell, "[ -r /proc/self/environ ]", { signal });
	const found: Capability[] = exitCode === 0 ? ["own-memory", "escapees"] : ["own-memory"];
	// A client of another machine opens connections of its own.
	if (exitCode === 0 && isHost) found.push("own-process");
	return new Set(found);
}

/** What the names of capabilities mean to a person. */
function whyNot(reason: string): string {
	const reasons: Readonly<Record<Capability, string>> = {
		escapees: "there is no /proc: processes that left their session cannot be found again",
		"own-memory": "other work fills the memory of this process",
		"own-process": "commands are no children of hermes, so there is nothing to count",
	};
	const known = Object.entries(reasons).find(([need]) => reason.includes(need));
	return known?.[1] ?? reason;
}

/** The backend could not be opened, or broke on the way. */
function lost({ backend }: ConfiguredBackend, { message }: BackendUnavailable, report: Report): Selfcheck {
	const check: Check = { name: "a session can be opened", status: "failed", detail: message };
	report.add(check);
	return { backend: backend.name, ran_on: "", checks: [check], script_transport: "", latency_ms: notMeasured };
}
