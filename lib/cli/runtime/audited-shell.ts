/** The user's own commands in the audit log. */

import type { LoadedConfig } from "../../config/load.ts";
import type { Execute, Outcome } from "../../environments/outcome.ts";
import { createSessionId } from "../../store/session-id.ts";
import type { Cli } from "../subcommand.ts";
import { openRunAudit } from "./audited-calls.ts";
import type { Place } from "./open-place.ts";

/** Runs commands in the session of `place` and writes each down, where the settings or the policy want that. */
export function auditedShell(
	cli: Cli,
	config: LoadedConfig,
	{ shell, backend }: Place,
): Disposable & { readonly execute: Execute } {
	const audit = openRunAudit(cli, config);
	if (audit === undefined) return { execute: (...call) => shell.execute(...call), [Symbol.dispose]() {} };
	const session = createSessionId();
	return {
		async execute(command, options) {
			const startedAt = performance.now();
			const facts = { call: crypto.randomUUID(), session, surface: "exec", backend, tool: "exec", command } as const;
			const line = { ...facts, verdict: "allowed", reason: "the user's own command" } as const;
			audit.write({ ...line, event: "started", ran_on: shell.ranOn });
			let outcome: Outcome | undefined;
			try {
				outcome = await shell.execute(command, options);
				return outcome;
			} finally {
				audit.write({
					...line,
					event: "ended",
					ran_on: shell.ranOn,
					exit_code: outcome?.exitCode,
					is_error: outcome === undefined,
					duration_ms: Math.round(performance.now() - startedAt),
				});
			}
		},
		[Symbol.dispose]: () => audit[Symbol.dispose](),
	};
}
