/** `hermes tools list`: what a model can call. */

import type { PluginFailure } from "../../base/plugins.ts";
import { commonFlags, jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import type { ToolChoice } from "../runtime/tool-choice.ts";
import { type Cli, defineAction } from "../subcommand.ts";
import { platformFlag } from "./platform-flag.ts";

/** Every tool, whether it can be used here, and whether a session gets it. */
export const list = defineAction({
	summary: "List the tools",
	details: "-t lists those of some toolsets only. What is disabled is shown as such.",
	flags: jsonFlag.extend({ toolsets: commonFlags.shape.toolsets, platform: platformFlag }),

	async run({ flags: { toolsets, json, platform = "cli" } }, cli) {
		return printTools(cli, { choice: { platform, toolsets }, isJson: json, onlyEnabled: toolsets !== undefined });
	},
});

/** What to print. */
export interface PrintedTools {
	readonly choice: ToolChoice;
	readonly isJson: boolean;
	/** Leave out what the session would not get. */
	readonly onlyEnabled: boolean;
}

/** Prints the tools and returns the exit code. @throws {UsageError} For an unknown toolset. */
export async function printTools(cli: Cli, { choice, isJson, onlyEnabled }: PrintedTools): Promise<number> {
	const [{ openToolbox }, { openSettings }, { checkPlatform, chooseToolsets }, { resolveSelection, toolsetOf }] =
		await Promise.all([
			import("../runtime/open-tools.ts"),
			import("../runtime/settings.ts"),
			import("../runtime/tool-choice.ts"),
			import("../../registry/toolsets.ts"),
		]);
	const config = await openSettings(cli, {});
	await using toolbox = await openToolbox(cli, config);
	const { registry, assembler } = toolbox;
	checkPlatform(registry, choice.platform);
	const chosen = chooseToolsets(registry, config, choice);
	for (const warning of chosen.warnings) cli.stderr.write(`hermes: ${warning}\n`);
	const { names } = resolveSelection(registry, chosen);
	const { unavailable } = await assembler.assemble();
	const reasons = new Map(unavailable.map(({ name, reason }) => [name, reason]));
	const rows: Row[] = registry
		.list()
		.filter((tool) => !onlyEnabled || names.has(tool.name))
		.map(({ name, toolset, description }) => ({
			name,
			toolset,
			description,
			available: !reasons.has(name),
			enabled: names.has(name),
			...(reasons.has(name) && { reason: reasons.get(name) ?? "" }),
		}));
	const missing = onlyEnabled ? [] : registry.failures.map((failure) => missingRow(failure, toolsetOf));
	const all = [...rows, ...missing].sort((a, b) => (a.name < b.name ? -1 : 1));
	cli.stdout.write(isJson ? `${JSON.stringify(all, null, 2)}\n` : table(all));
	return exitCodes.ok;
}

/** One tool, as `--json` prints it. */
interface Row {
	readonly name: string;
	readonly toolset: string;
	readonly description: string;
	readonly available: boolean;
	/** Whether a session gets it. */
	readonly enabled: boolean;
	/** Why it cannot be used now. */
	readonly reason?: string;
}

/** A tool whose module could not be loaded, as far as its file name tells. */
function missingRow({ name: file, reason }: PluginFailure, toolsetOf: (tool: string) => string | undefined): Row {
	const name = file.replaceAll("-", "_");
	return { name, toolset: toolsetOf(name) ?? "", description: "", available: false, enabled: false, reason };
}

function table(rows: readonly Row[]): string {
	const width = (column: "name" | "toolset") => Math.max(0, ...rows.map((row) => row[column].length)) + 2;
	const [nameWidth, toolsetWidth] = [width("name"), width("toolset")];
	return rows
		.map((row) => `${row.name.padEnd(nameWidth)}${row.toolset.padEnd(toolsetWidth)}${aboutOf(row)}\n`)
		.join("");
}

function aboutOf({ enabled, reason, description }: Row): string {
	if (reason !== undefined) return `not available: ${reason}`;
	return enabled ? firstSentence(description) : "disabled";
}

function firstSentence(text: string): string {
	return text.split(/(?<=\.)\s|\n/, 1)[0] ?? text;
}
