/** The words that only this user has, as they are at this moment: a shell asks for them when the key is pressed. */

import { profileNames, profileRoot } from "../../config/profiles/folders.ts";
import { savedApprovals } from "../../security/approval/saved-approvals.ts";
import { archiveOf } from "../../store/search/archive.ts";
import { openSessionsIfAny } from "../sessions/open-sessions.ts";
import type { Cli, UsersWords } from "../subcommand.ts";

/** More than anybody reads. */
const offeredSessions = 50;

/** Words without spaces: a shell would take those apart. */
export async function wordsNow(cli: Cli, kind: UsersWords): Promise<string[]> {
	return (await listOf(cli, kind)).filter((word) => !/\s/.test(word));
}

async function listOf(cli: Cli, kind: UsersWords): Promise<readonly string[]> {
	const { hermesHome } = cli.environment;
	switch (kind) {
		case "approvals":
			return savedApprovals(hermesHome)
				.list()
				.map(({ id }) => id);
		case "mcp-servers": {
			const { openSettings } = await import("../runtime/settings.ts");
			return Object.keys((await openSettings(cli, {})).get("mcp_servers"));
		}
		case "models": {
			const { listModels } = await import("../runtime/model-choices.ts");
			return (await listModels(cli, { provider: undefined, all: false })).map(({ model }) => model);
		}
		case "plug-ins": {
			const { findPlugins } = await import("../../plugins/find-plugins.ts");
			return (await findPlugins(hermesHome)).map(({ name }) => name);
		}
		case "profiles":
			return profileNames(profileRoot(hermesHome));
		case "sessions":
			return sessionIds(cli);
	}
}

function sessionIds(cli: Cli): string[] {
	using store = openSessionsIfAny(cli);
	if (store === undefined) return [];
	const found = archiveOf((work) => store.read(work)).browse({ limit: offeredSessions });
	return found.map(({ id }) => id);
}
