/** `hermes auth list`: which keys there are and whether they may be used now. Not one character of a key is shown. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

/** Every provider with its keys. */
export const list = defineAction({
	summary: "List providers and their keys",
	details: "A key is shown by a digest of it. Keys rest after they were refused, and are then used again.",
	flags: jsonFlag,

	async run({ flags: { json } }, cli) {
		const [{ allProviders }, { keysOf }, { openHealthTable }, { openSettings }] = await Promise.all([
			import("../runtime/find-provider.ts"),
			import("../../providers/auth/provider-keys.ts"),
			import("../../providers/auth/key-health.ts"),
			import("../runtime/settings.ts"),
		]);
		const home = cli.environment.hermesHome;
		const { variables } = await openSettings(cli, {});
		// Only looking makes no file.
		using health = existsSync(join(home, "keys.db")) ? openHealthTable(home) : undefined;
		const rows = (await allProviders(cli))
			.filter(({ keyNames }) => keyNames.length > 0)
			.map((provider) => ({
				provider: provider.id,
				variables: provider.keyNames,
				login: provider.login !== undefined,
				keys: keysOf(provider, { variables, home }).map(({ fingerprint, source, id }) => ({
					source,
					fingerprint,
					stored: id !== undefined,
					...stateOf(health?.of(fingerprint), Date.now()),
				})),
			}));
		cli.stdout.write(json ? `${JSON.stringify(rows, null, 2)}\n` : table(rows));
		return exitCodes.ok;
	},
});

type KeyHealth = import("../../providers/auth/key-health.ts").KeyHealth;

interface KeyState {
	readonly state: "usable" | "rests" | "dead";
	readonly uses: number;
	readonly reason?: string;
	readonly rests_seconds?: number;
}

function stateOf(health: KeyHealth | undefined, now: number): KeyState {
	if (health === undefined) return { state: "usable", uses: 0 };
	const { uses, dead, restsUntil, reason } = health;
	if (dead) return { state: "dead", uses, reason };
	if (restsUntil <= now) return { state: "usable", uses };
	return { state: "rests", uses, reason, rests_seconds: Math.ceil((restsUntil - now) / 1000) };
}

interface Row {
	readonly provider: string;
	readonly variables: readonly string[];
	readonly keys: readonly ({ readonly source: string; readonly fingerprint: string } & KeyState)[];
}

function table(rows: readonly Row[]): string {
	const width = Math.max(...rows.map(({ provider }) => provider.length)) + 2;
	return rows
		.flatMap(({ provider, variables, keys }) =>
			keys.length === 0
				? [`${provider.padEnd(width)}–  ${variables.join(" or ")}\n`]
				: keys.map((key) => `${provider.padEnd(width)}✓  ${key.source} (${key.fingerprint})${aboutOf(key)}\n`),
		)
		.join("");
}

function aboutOf({ state, reason, rests_seconds: seconds }: KeyState): string {
	if (state === "dead") return `  not accepted any more (${reason})`;
	return state === "rests" ? `  rests for ${seconds} s (${reason})` : "";
}
