/** What every approver of a run is given: the place, the saved consents, and the settings about consent. */

import type { LoadedConfig } from "../../config/load.ts";
import type { Isolation } from "../../security/approval/isolation.ts";
import { savedApprovals } from "../../security/approval/saved-approvals.ts";
import { approvalSettings } from "../../security/approval/settings.ts";
import type { ApproverOptions } from "../../security/approval.ts";
import { createRedactor } from "../../security/redact.ts";
import type { Cli } from "../subcommand.ts";
import { configuredBackend } from "./find-backend.ts";
import { isolationOf } from "./isolation.ts";
import type { Place } from "./open-place.ts";

/** Everything of an approver but who decides. */
export type ApproverParts = Omit<ApproverOptions, "mode" | "ask" | "judge"> & {
	/** The settings want a model to decide what it may. */
	readonly isSmart: boolean;
};

/** Reads the settings once: what a model changes in them during the run does not count for the run. */
export async function approverParts(
	cli: Cli,
	config: LoadedConfig,
	place: Pick<Place, "backend" | "sharesHostFiles" | "shell">,
): Promise<ApproverParts> {
	const { home, hermesHome } = cli.environment;
	const { mode, timeoutSeconds, trusted } = approvalSettings(config, hermesHome);
	return {
		isSmart: mode === "smart",
		name: placeName(place),
		...(place.sharesHostFiles && { home, hermesHome }),
		isolation: await placeIsolation(cli, config, place.backend),
		timeoutSeconds,
		trusted,
		saved: savedApprovals(hermesHome, createRedactor(config.secrets)),
		onWarning: (text) => cli.stderr.write(`hermes: ${text}\n`),
	};
}

/** How far the backend `name`, as it is configured, keeps commands from this machine. */
export async function placeIsolation(cli: Cli, config: LoadedConfig, name: string): Promise<Isolation> {
	// Their settings change nothing about it.
	if (name === "local" || name === "ssh") return { kind: "none" };
	const { settings } = await configuredBackend(cli, config, { backend: name });
	return isolationOf(name, settings);
}

/** Another host is another place; of containers there is a new one each time. */
function placeName({ backend, shell }: Pick<Place, "backend" | "shell">): string {
	return backend === "ssh" ? shell.ranOn : backend;
}
