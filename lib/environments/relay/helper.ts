/** What the relay offers besides starting processes: shells with their state, files, sockets. */

import { BackendUnavailable, ProcessLost } from "../backend.ts";
import type { SandboxHelper, ShellStart, ShellStartOptions } from "../sandbox-helper.ts";
import type { RelayClient } from "./client.ts";
import type { Connections } from "./connections.ts";
import type { Refusal } from "./exchange.ts";
import { failure } from "./frames.ts";
import type { JobRequest, StartedJob } from "./job.ts";
import { createRelayFiles } from "./relay-files.ts";

/** What a helper is made of. */
export interface HelperParts {
	start(request: Omit<JobRequest, "marks" | "completes">): Promise<StartedJob | Refusal>;
	readonly connections: Connections;
}

/** The helper of a connected relay. */
export function createHelper(client: RelayClient, { start, connections }: HelperParts): SandboxHelper {
	return {
		files: createRelayFiles(client, start),
		startShell: async (argv, options) => shellStart(await start(shellRequest(argv, options))),
		listen: (path, onConnection) => connections.listen(client, path, onConnection),
	};
}

function shellRequest(argv: readonly string[], options: ShellStartOptions): Omit<JobRequest, "marks" | "completes"> {
	const { find, needs, statePath, ...startOptions } = options;
	return {
		argv,
		options: startOptions,
		takesNearest: find === "nearest",
		statePath,
		...(needs !== undefined && { needs }),
	};
}

function shellStart(outcome: StartedJob | Refusal): ShellStart {
	if ("running" in outcome) {
		const { running, folder, isAskedFolder } = outcome;
		return { is: "started", running, folder, isAskedFolder };
	}
	if (outcome.why === failure.noFolder) return { is: "missing" };
	if (outcome.why === failure.lost) return { is: "lost" };
	if (outcome.why === failure.cancelled) throw new ProcessLost("Cannot start a shell: it was cancelled");
	throw new BackendUnavailable(`Cannot start a shell: ${outcome.text}`);
}
