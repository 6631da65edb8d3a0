/** Reads what other programs have, and writes what of it is new. */

import { resolve } from "node:path";
import { attempt } from "../../../base/attempt.ts";
import { editYaml } from "../../../config/edit.ts";
import { changeFile, configPath, loadEnvFile, saveEnvVariable } from "../../../config/files.ts";
import { parseYaml } from "../../../config/yaml.ts";
import { CommandFailed } from "../../exit-codes.ts";
import { askSecret } from "../../runtime/ask-secret.ts";
import type { Cli } from "../../subcommand.ts";
import { writtenServers } from "../change-servers.ts";
import { readForeignFile } from "./foreign-file.ts";
import { namedPlace, placesOf } from "./places.ts";
import { type ImportPlan, planImport } from "./plan.ts";

/** What the user chose. */
export interface ImportChoice {
	readonly source: string | undefined;
	readonly file: string | undefined;
	readonly project: boolean;
	readonly only: readonly string[];
}

/** The plan, and the files that it was made of. @throws {CommandFailed} When a file that was named cannot be read. */
export async function readPlan(
	cli: Cli,
	{ source, file, project, only }: ImportChoice,
): Promise<{ readonly plan: ImportPlan; readonly files: readonly string[] }> {
	const { home, hermesHome, variables } = cli.environment;
	const cwd = process.cwd();
	const machine = { home, cwd, variables, platform: process.platform };
	const places = file === undefined ? placesOf(machine, project) : [namedPlace(resolve(cwd, file), cwd)];
	const wanted = places.filter((place) => source === undefined || file !== undefined || place.source === source);
	const found = wanted.flatMap((place) => {
		const read = attempt(() => readForeignFile(place));
		if (read.ok) return read.value === undefined ? [] : [read.value];
		if (file !== undefined) throw new CommandFailed(read.reason);
		cli.stderr.write(`hermes: ${read.reason}\n`);
		return [];
	});
	if (file !== undefined && found.length === 0) {
		throw new CommandFailed(`Cannot import from "${file}": there are no MCP servers in it`);
	}
	const known = await writtenServers(hermesHome);
	const all = { ...variables, ...loadEnvFile(hermesHome).variables };
	return {
		plan: planImport(found, { known, variables: all, home, only }),
		files: found.map(({ place }) => place.path),
	};
}

/** What was done. Secrets first: an entry whose secret is missing would be tried without it. */
export async function carryOut(
	cli: Cli,
	plan: ImportPlan,
	{ mayAsk }: { readonly mayAsk: boolean },
): Promise<ImportPlan> {
	const { servers, secrets } = plan;
	if (servers.length === 0) return plan;
	const { hermesHome } = cli.environment;
	for (const [name, value] of Object.entries(secrets)) await saveEnvVariable(hermesHome, { name, value });
	const given = mayAsk ? await askForNeeds(cli, servers) : new Set<string>();
	const file = configPath(hermesHome);
	await changeFile(file, hermesHome, async (source) => {
		let text = source;
		for (const { name, entry } of servers) {
			const { document } = await parseYaml(file, text);
			// Somebody may have added it while we asked.
			if (document.hasIn(["mcp_servers", name])) continue;
			text = await editYaml(text, { file, path: ["mcp_servers", name], value: entry });
		}
		return text;
	});
	const stillNeeded = servers.map((server) => {
		return { ...server, needs: server.needs.filter(({ variable }) => !given.has(variable)) };
	});
	return { ...plan, servers: stillNeeded };
}

/** What is left empty can be set later. */
async function askForNeeds(cli: Cli, servers: ImportPlan["servers"]): Promise<ReadonlySet<string>> {
	const given = new Set<string>();
	const needs = new Map(servers.flatMap(({ needs }) => needs).map((need) => [need.variable, need]));
	for (const { variable, why } of needs.values()) {
		const value = await askSecret(`${variable} (${why}; empty leaves it out): `, cli.interruption.signal);
		cli.interruption.signal.throwIfAborted();
		if (!value) continue;
		await saveEnvVariable(cli.environment.hermesHome, { name: variable, value });
		given.add(variable);
	}
	return given;
}
