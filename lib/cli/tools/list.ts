/** `hermes tools list`: what a model can call. */

import type { Tool } from "../../registry/tool.ts";
import { commonFlags, jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";

export const list = defineAction({
	summary: "List the tools",
	flags: jsonFlag.extend({ toolsets: commonFlags.shape.toolsets }),

	async run({ flags: { toolsets, json } }, cli) {
		const [{ openRegistry }, { toolsOf }] = await Promise.all([
			import("../runtime/open-tools.ts"),
			import("../runtime/select-tools.ts"),
		]);
		const registry = await openRegistry(cli);
		const tools = toolsOf(registry, toolsets);
		const rows = await Promise.all(tools.map(async (tool) => rowOf(tool, await registry.availability.check(tool))));
		cli.stdout.write(json ? `${JSON.stringify(rows, null, 2)}\n` : table(rows));
		return exitCodes.ok;
	},
});

/** One tool, as `--json` prints it. */
interface Row {
	readonly name: string;
	readonly toolset: string;
	readonly description: string;
	readonly available: boolean;
	/** Why it cannot be used now. */
	readonly reason?: string;
}

function rowOf({ name, toolset, description }: Tool, verdict: true | string): Row {
	return { name, toolset, description, available: verdict === true, ...(verdict !== true && { reason: verdict }) };
}

function table(rows: readonly Row[]): string {
	const width = (column: "name" | "toolset") => Math.max(...rows.map((row) => row[column].length)) + 2;
	const [nameWidth, toolsetWidth] = [width("name"), width("toolset")];
	return rows
		.map((row) => {
			const about = row.reason === undefined ? firstSentence(row.description) : `not available: ${row.reason}`;
			return `${row.name.padEnd(nameWidth)}${row.toolset.padEnd(toolsetWidth)}${about}\n`;
		})
		.join("");
}

function firstSentence(text: string): string {
	return text.split(/(?<=\.)\s|\n/, 1)[0] ?? text;
}
