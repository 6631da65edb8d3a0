/** What of this machine is copied to sandboxes that have files of their own, as the settings say. */

import { resolve } from "node:path";
import type { LoadedConfig } from "../../config/load.ts";
import { credentialFile, homeSources } from "../../environments/sync/home-sources.ts";
import type { SyncSources } from "../../environments/sync/sync-sources.ts";
import type { Cli } from "../subcommand.ts";

/** Sources as the pool asks for them. Files with credentials that cannot be had are told once, when they are first asked for. */
export function syncSources(cli: Cli, config: LoadedConfig): () => SyncSources {
	const { home: userHome, hermesHome: home } = cli.environment;
	const credentials = config.get("terminal.credential_files");
	let hasTold = false;
	const tell = () => {
		hasTold = true;
		for (const path of credentials) {
			const found = credentialFile(home, path);
			if (typeof found !== "string") continue;
			cli.stderr.write(`hermes: terminal.credential_files: "${path}" is not copied: ${found}\n`);
		}
	};
	const comesBack = config.get("terminal.sync_back");
	const choice = {
		home,
		credentials,
		externalSkills: config.get("skills.external_dirs").map((path) =>
			resolve(
				home,
				path.replace(/^~(?=\/|$)/, () => userHome),
			),
		),
		cacheComesBack: comesBack,
		// Whoever wants to be asked before a skill is written has nobody to be asked when a sandbox closes.
		skillsComeBack: comesBack && config.get("terminal.sync_back_skills") && !config.get("skills.write_approval"),
	};
	return () => {
		if (!hasTold) tell();
		return homeSources(choice);
	};
}
