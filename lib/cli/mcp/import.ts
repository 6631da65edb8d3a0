/** `hermes mcp import`: servers that other programs have, taken over once. */

import { z } from "zod";
import { jsonFlag, splitNames } from "../common-flags.ts";
import { CommandFailed, exitCodes } from "../exit-codes.ts";
import { type Cli, defineAction } from "../subcommand.ts";
import { sources } from "./importing/places.ts";
import type { ImportPlan, PlannedServer } from "./importing/plan.ts";

/** Adds what is not there yet, and says what it did with each. */
export const importServers = defineAction({
	summary: "Take over the MCP servers of Claude, Cursor and VS Code",
	details: `Reads the files of ${sources.join(", ")}; with a name only those of one. What config.yaml has stays as it is. Keys and tokens go to .env.`,
	operands: "[SOURCE]",
	completes: sources,
	flagsAnywhere: true,
	flags: jsonFlag.extend({
		file: z.string().optional().meta({ value: "PATH", description: "Read this file instead" }),
		project: z
			.boolean()
			.default(false)
			.meta({ description: "Read the files of the current folder too; who wrote the project wrote them" }),
		only: z.string().transform(splitNames).optional().meta({ value: "NAMES", description: "Take these servers alone" }),
		dryRun: z.boolean().default(false).meta({ description: "Show what would be done, and do nothing" }),
	}),

	async run({ flags: { file, project, only = [], dryRun, json }, operands: [source] }, cli) {
		const { readPlan, carryOut } = await import("./importing/carry-out.ts");
		if (source !== undefined && !sources.some((known) => known === source)) {
			throw new CommandFailed(`Cannot import from "${source}": there is ${sources.join(", ")}`);
		}
		const { plan: planned, files } = await readPlan(cli, { source, file, project, only });
		const mayAsk = !json && cli.stdinIsTerminal && cli.stderr.isTerminal;
		const plan = dryRun ? planned : await carryOut(cli, planned, { mayAsk });
		if (json) cli.stdout.write(`${JSON.stringify(shownPlan(plan, { files, dryRun }), null, 2)}\n`);
		else write(cli, plan, { files, dryRun });
		return exitCodes.ok;
	},
});

interface Done {
	readonly files: readonly string[];
	readonly dryRun: boolean;
}

/** Without the secrets themselves. */
function shownPlan({ servers, skipped }: ImportPlan, { files, dryRun }: Done) {
	return { dryRun, files, added: servers, skipped };
}

function write(cli: Cli, { servers, skipped }: ImportPlan, { files, dryRun }: Done): void {
	const lines = [
		...(files.length === 0 ? ["No file of another program has MCP servers"] : []),
		...servers.flatMap((server) => linesOf(server, dryRun)),
		...skipped.map(({ name, path, reason }) => `Left out ${name} of ${path}: ${reason}`),
	];
	cli.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

function linesOf({ name, path, entry, secrets, needs, warnings }: PlannedServer, dryRun: boolean): readonly string[] {
	const what = entry.url ?? [entry.command, ...(entry.args ?? [])].join(" ");
	return [
		`${dryRun ? "Would add" : "Added"} ${name} of ${path}: ${what}`,
		...secrets.map((variable) => `  its secret ${dryRun ? "would go" : "went"} to .env as ${variable}`),
		...needs.map(({ variable, why }) => `  set ${variable} in .env before you use it: ${why}`),
		...warnings.map((warning) => `  ${warning}`),
	];
}
