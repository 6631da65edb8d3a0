/** Writes every call of a run to the audit log: before anything happens, and when it is over. */

import type { LoadedConfig } from "../../config/load.ts";
import type { PooledShell } from "../../environments/pool/task-shell.ts";
import { type Audit, type AuditEntry, AuditFailed, openAudit } from "../../log/audit.ts";
import type { Dispatched, DispatchOptions } from "../../registry/dispatch.ts";
import { toolError } from "../../registry/tool.ts";
import { type ApprovalRequest, filesOf } from "../../security/approval/request.ts";
import type { Approve } from "../../security/approval.ts";
import { createRedactor } from "../../security/redact.ts";
import type { Cli } from "../subcommand.ts";

/** What every line of a run says. */
export interface AuditedRun {
	readonly audit: Audit;
	readonly surface: string;
	readonly backend: string;
	/** Whose consent a call has that was approved. */
	readonly consent: string;
}

/** The audit log of a run, when the settings or the policy want one. */
export function openRunAudit(cli: Cli, config: LoadedConfig): Audit | undefined {
	if (!config.get("audit.enabled")) return undefined;
	return openAudit({
		home: cli.environment.hermesHome,
		redact: createRedactor(config.secrets),
		isRequired: config.policy?.audit === true,
		onFailure: (reason) => cli.stderr.write(`hermes: ${reason}\n`),
	});
}

/** Whose consent stands behind what an approver lets pass. */
export function consentOf(mode: "yolo" | "ask" | "deny" | "allow"): string {
	const consents = {
		yolo: "the user allowed everything",
		ask: "the user agreed",
		deny: "nobody",
		allow: "disposable place",
	};
	return consents[mode];
}

/** What a call goes through, each part of which notes what it sees. */
export interface WatchedParts {
	readonly shell: PooledShell;
	readonly approve: Approve;
}

/** A call, and who makes it. */
export interface WatchedCall {
	readonly sessionId: string;
	readonly tool: string;
	/** As far as the arguments say; what is asked consent for says it better. */
	readonly about: Pick<AuditEntry, "command" | "path">;
}

/**
 * Runs a call with its parts watched. One that cannot be written down before it runs does not run; where the log is
 * required and cannot take what came of it, the answer is withheld.
 */
export async function runAudited(
	run: AuditedRun,
	{ call, parts }: { readonly call: WatchedCall; readonly parts: WatchedParts },
	dispatchCall: (watched: WatchedParts & Pick<DispatchOptions, "beforeRun">) => Promise<Dispatched>,
): Promise<Dispatched> {
	const record = createRecord(run, call, parts.shell);
	const dispatched = await dispatchCall({
		approve: async (request) => {
			const verdict = await parts.approve(request);
			if (verdict.approved) record.start(verdict.by ?? run.consent, request);
			else record.deny(verdict.reason, request);
			return verdict;
		},
		shell: watchedShell(parts.shell, () => record.start("needs no consent")),
		// A plug-in or server does what it does without our shell.
		beforeRun(tool) {
			if (tool.source !== undefined) record.start("needs no consent");
		},
	});
	try {
		record.end(dispatched);
		return dispatched;
	} catch (cause) {
		if (!(cause instanceof AuditFailed)) throw cause;
		return { ...dispatched, answer: toolError(`The call ran, but: ${cause.message}`), isError: true };
	}
}

/** A shell whose first command is announced. */
function watchedShell(shell: PooledShell, beforeCommand: () => void): PooledShell {
	return {
		get cwd() {
			return shell.cwd;
		},
		get ranOn() {
			return shell.ranOn;
		},
		async execute(command, options) {
			beforeCommand();
			return await shell.execute(command, options);
		},
		async readDirectly(path, signal) {
			beforeCommand();
			return await shell.readDirectly(path, signal);
		},
		async use(signal, use) {
			beforeCommand();
			return await shell.use(signal, use);
		},
		open: (signal) => shell.open(signal),
	};
}

function createRecord({ audit, surface, backend }: AuditedRun, call: WatchedCall, shell: PooledShell) {
	const id = crypto.randomUUID();
	let started: Pick<AuditEntry, "command" | "path" | "reason"> | undefined;
	const write = (entry: Pick<AuditEntry, "event" | "verdict" | "reason"> & Partial<AuditEntry>) => {
		const place = { surface, backend, ran_on: shell.ranOn, tool: call.tool };
		audit.write({ call: id, session: call.sessionId, ...place, ...entry });
	};
	return {
		start(reason: string, request?: ApprovalRequest) {
			if (started !== undefined) return;
			const what = { ...(request === undefined ? call.about : aboutOf(request)), reason };
			write({ event: "started", verdict: "allowed", ...what });
			started = what;
		},
		deny(reason: string, request: ApprovalRequest) {
			write({ event: "denied", verdict: "denied", ...aboutOf(request), reason });
		},
		end({ answer, isError, durationMs }: Dispatched) {
			if (started === undefined) return;
			const result = { exit_code: exitCodeOf(answer), is_error: isError, duration_ms: Math.round(durationMs) };
			write({ event: "ended", verdict: "allowed", ...started, ...result });
		},
	};
}

function aboutOf(request: ApprovalRequest): Pick<AuditEntry, "command" | "path"> {
	if (request.kind === "note") return { path: `memories/${request.target}` };
	if (request.kind === "script") return { command: request.code };
	return request.kind === "command" ? { command: request.command } : { path: filesOf(request).join(", ") };
}

/** A key of the answer itself: inside a text of it the quotes have backslashes. */
function exitCodeOf(answer: string): number | undefined {
	const [, code] = /(?<!\\)"exit_code":(-?\d+)/.exec(answer) ?? [];
	return code === undefined ? undefined : Number(code);
}
