/** What `hermes status` says: what would be used, and what there is. Nothing is started and nobody is asked. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { attempt, attemptAsync } from "../../base/attempt.ts";
import { profileOf } from "../../config/profiles/folders.ts";
import { openCheckpoint } from "../../processes/checkpoint.ts";
import { createRedactor } from "../../security/redact.ts";
import { examineBackends } from "../doctor/examine-backends.ts";
import { examineConfig } from "../doctor/examine-config.ts";
import { examineKeys } from "../doctor/examine-keys.ts";
import { openSessionsIfAny } from "../sessions/open-sessions.ts";
import type { Cli } from "../subcommand.ts";

/** As `--json` prints it. */
export interface Status {
	readonly version: string;
	readonly profile: string;
	readonly home: string;
	/** Why the settings cannot be used; then what depends on them is missing. */
	readonly problem?: string;
	readonly provider?: string;
	readonly model?: string;
	readonly base_url?: string;
	/** Names of the keys that are set, never their values. */
	readonly keys?: readonly string[];
	readonly backend?: { readonly name: string; readonly ready: boolean; readonly detail: string };
	readonly mcp_servers?: readonly string[];
	readonly approvals?: string;
	readonly sessions: number;
	readonly background_processes: number;
}

/** Looks at settings, keys, the backend in use and the records. */
export async function gatherStatus(cli: Cli): Promise<Status> {
	const { hermesHome: home } = cli.environment;
	const { config, findings } = await examineConfig(cli);
	const records = { sessions: sessionCount(cli), background_processes: processCount(home) };
	const base = { version: cli.version, profile: profileOf(home), home, ...records };
	const problem = findings.find(({ status }) => status === "failed")?.detail;
	if (config === undefined) return { ...base, problem: problem ?? "the settings cannot be used" };
	const { get } = config;
	const backends = await attemptAsync(() => examineBackends(cli, config));
	const name = get("terminal.backend");
	const used = backends.ok ? backends.value.find((finding) => finding.name === name) : undefined;
	const keys = (await examineKeys(cli, config)).filter(({ status }) => status === "ok");
	return {
		...base,
		...(problem !== undefined && { problem }),
		provider: get("model.provider"),
		model: get("model.default"),
		// An address may have a password or a key in it.
		base_url: createRedactor(config.secrets)(get("model.base_url")),
		keys: keys.map((finding) => finding.name),
		backend: { name, ready: used?.status === "ok", detail: used?.detail ?? "is unknown" },
		mcp_servers: Object.keys(get("mcp_servers")),
		approvals: get("approvals.mode"),
	};
}

function sessionCount(cli: Cli): number {
	const counted = attempt(() => {
		using store = openSessionsIfAny(cli);
		return store?.read((database) => database.query<{ n: number }, []>("SELECT count(*) AS n FROM sessions").get()?.n);
	});
	return counted.ok ? (counted.value ?? 0) : 0;
}

function processCount(home: string): number {
	const path = join(home, "processes.json");
	return existsSync(path) ? openCheckpoint(path).read().length : 0;
}
