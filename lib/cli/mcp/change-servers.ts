/** Writes one entry of `mcp_servers`: comments stay, and two processes at it lose nothing. */

import { editYaml } from "../../config/edit.ts";
import { changeFile, configPath, readText } from "../../config/files.ts";
import { parseYaml } from "../../config/yaml.ts";
import { CommandFailed } from "../exit-codes.ts";

/** What becomes of the entry. */
export interface ServerChange {
	readonly name: string;
	/** What the file has from then on; missing: it is taken away. */
	readonly entry?: Readonly<Record<string, unknown>>;
}

/** Every entry as config.yaml has it: names of variables stand where their values go. @throws {ConfigInvalid} When it is broken. */
export async function writtenServers(home: string): Promise<Readonly<Record<string, unknown>>> {
	const file = configPath(home);
	const { document } = await parseYaml(file, readText(file) ?? "");
	const written: unknown = document.toJS()?.mcp_servers;
	return typeof written === "object" && written !== null ? { ...written } : {};
}

/**
 * Adds a server that is not there, or removes one that is; resolves to the entry that was there.
 * @throws {CommandFailed} When it is the other way round.
 * @throws {ConfigInvalid} When config.yaml is broken.
 */
export async function changeServers(home: string, { name, entry }: ServerChange): Promise<unknown> {
	const file = configPath(home);
	const path = ["mcp_servers", name];
	let before: unknown;
	await changeFile(file, home, async (source) => {
		const { document } = await parseYaml(file, source);
		const isThere = document.hasIn(path);
		if (entry !== undefined && isThere) {
			throw new CommandFailed(`Cannot add MCP server "${name}": there is one of that name; remove it first`);
		}
		if (entry === undefined && !isThere) {
			throw new CommandFailed(
				`Cannot remove MCP server "${name}": it is not in config.yaml; hermes mcp list shows them`,
			);
		}
		if (entry !== undefined) return await editYaml(source, { file, path, value: entry });
		before = document.toJS()?.mcp_servers?.[name];
		document.deleteIn(path);
		return document.toString({ lineWidth: 0 });
	});
	return before;
}
