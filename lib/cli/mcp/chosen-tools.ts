/** Which tools of a server an entry of config.yaml takes. */

import { editYaml } from "../../config/edit.ts";
import { isMap } from "../../config/expand.ts";
import { changeFile, configPath } from "../../config/files.ts";
import { parseYaml } from "../../config/yaml.ts";
import { CommandFailed } from "../exit-codes.ts";

/** By the server's own names; neither is all of them. */
export interface ToolChoice {
	readonly include?: readonly string[] | undefined;
	readonly exclude?: readonly string[] | undefined;
}

/** What an entry says now. */
export function choiceIn(entry: unknown): ToolChoice {
	const tools = isMap(entry) && isMap(entry.tools) ? entry.tools : {};
	return { include: namesIn(tools.include), exclude: namesIn(tools.exclude) };
}

function namesIn(written: unknown): readonly string[] | undefined {
	if (typeof written === "string") return [written];
	return Array.isArray(written) ? written.map(String) : undefined;
}

/** Whether the tool of this name is taken. */
export function isChosen(name: string, { include, exclude = [] }: ToolChoice): boolean {
	return include === undefined ? !exclude.includes(name) : include.includes(name);
}

/** The entry with all its tools, switched on. */
export function withoutChoice(entry: unknown): Readonly<Record<string, unknown>> {
	const map = isMap(entry) ? entry : {};
	return { ...map, enabled: true, tools: toolsWith(map.tools, {}) };
}

function toolsWith(tools: unknown, { include, exclude }: ToolChoice): Readonly<Record<string, unknown>> {
	const { include: _, exclude: __, ...rest } = isMap(tools) ? tools : {};
	return { ...rest, ...(include && { include: [...include] }), ...(exclude && { exclude: [...exclude] }) };
}

/** Writes it; what is left out of `change` stays. @throws {CommandFailed} When the entry has gone meanwhile. */
export async function changeChoice(
	home: string,
	name: string,
	{ choice, enabled }: { readonly choice?: ToolChoice | undefined; readonly enabled?: boolean },
): Promise<void> {
	const file = configPath(home);
	await changeFile(file, home, async (source) => {
		const { document } = await parseYaml(file, source);
		const entry: unknown = document.toJS()?.mcp_servers?.[name];
		if (!isMap(entry)) throw new CommandFailed(`Cannot configure MCP server "${name}": it is not in config.yaml`);
		const path = ["mcp_servers", name];
		const tools = choice && toolsWith(entry.tools, choice);
		const isNew = tools !== undefined && (entry.tools !== undefined || Object.keys(tools).length > 0);
		const text = isNew ? await editYaml(source, { file, path: [...path, "tools"], value: tools }) : source;
		return enabled === undefined ? text : await editYaml(text, { file, path: [...path, "enabled"], value: enabled });
	});
}
