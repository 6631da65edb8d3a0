/** `hermes mcp configure`: which tools of a server the model gets, and whether the server is used at all. */

import { z } from "zod";
import type { ServerStatus } from "../../mcp/open-server.ts";
import { splitNames } from "../common-flags.ts";
import { CommandFailed, exitCodes, UsageError } from "../exit-codes.ts";
import { type Cli, defineAction } from "../subcommand.ts";
import type { ToolChoice } from "./chosen-tools.ts";

/** Changes the entry of one server in config.yaml. */
export const configure = defineAction({
	summary: "Choose the tools of an MCP server",
	details:
		"Without flags the tools are picked from a list at the terminal. A list of tools to take wins over one to leave out; with --all new tools of the server come by themselves.",
	completes: "mcp-servers",
	operands: "<NAME>",
	flagsAnywhere: true,
	flags: z.object({
		include: z
			.string()
			.transform(splitNames)
			.optional()
			.meta({ value: "TOOLS", description: "Take these tools alone, split by commas, by the server's own names" }),
		exclude: z
			.string()
			.transform(splitNames)
			.optional()
			.meta({ value: "TOOLS", description: "Take all tools but these" }),
		all: z.boolean().default(false).meta({ description: "Take all tools" }),
		enable: z.boolean().default(false).meta({ description: "Use the server" }),
		disable: z.boolean().default(false).meta({ description: "Keep the entry, and do not use the server" }),
	}),

	async run({ flags, operands: [name = ""] }, cli) {
		checkFlags(flags, cli);
		const [{ openSettings }, { changeChoice, choiceIn }] = await Promise.all([
			import("../runtime/settings.ts"),
			import("./chosen-tools.ts"),
		]);
		const servers = (await openSettings(cli, {})).get("mcp_servers");
		if (!Object.hasOwn(servers, name)) {
			const known = Object.keys(servers).join(", ") || "none";
			throw new CommandFailed(`Cannot configure MCP server "${name}": it is not in config.yaml; there is ${known}`);
		}
		const switched = flags.enable || flags.disable ? { enabled: flags.enable } : {};
		const chosen = await chooseTools(cli, name, { flags, now: choiceIn(servers[name]) });
		if (chosen === "left") return exitCodes.ok;
		const choice = chosen === "as it is" ? undefined : chosen;
		await changeChoice(cli.environment.hermesHome, name, { choice, ...switched });
		cli.stdout.write(`${name}: ${shownChoice(choice, switched)}\n`);
		return exitCodes.ok;
	},
});

interface Flags {
	readonly include?: readonly string[] | undefined;
	readonly exclude?: readonly string[] | undefined;
	readonly all: boolean;
	readonly enable: boolean;
	readonly disable: boolean;
}

/** Whether the flags say which tools. */
function saysTools({ include, exclude, all }: Flags): boolean {
	return include !== undefined || exclude !== undefined || all;
}

function checkFlags(flags: Flags, cli: Cli): void {
	const { include, exclude, all, enable, disable } = flags;
	if ([include !== undefined, exclude !== undefined, all].filter(Boolean).length > 1) {
		throw new UsageError("Cannot use --include, --exclude and --all together");
	}
	if (enable && disable) throw new UsageError("Cannot use --enable and --disable together");
	const picks = !saysTools(flags) && !enable && !disable;
	if (picks && !(cli.stdinIsTerminal && cli.stderr.isTerminal)) {
		throw new UsageError("Cannot show a list to pick from: there is no terminal; use --include, --exclude or --all");
	}
}

/** By the flags, or by a list; `left`: the user has changed nothing. */
async function chooseTools(
	cli: Cli,
	name: string,
	{ flags, now }: { readonly flags: Flags; readonly now: ToolChoice },
): Promise<ToolChoice | "as it is" | "left"> {
	const { include, exclude, enable, disable } = flags;
	if (!saysTools(flags) && (enable || disable)) return "as it is";
	if (flags.all) return {};
	const status = await wholeServer(cli, name);
	if (!saysTools(flags)) return (await pick(status, now)) ?? "left";
	warnOfUnknown(cli, status, [...(include ?? []), ...(exclude ?? [])]);
	return { include, exclude };
}

/** The server with all that it has, whatever the settings leave out. */
async function wholeServer(cli: Cli, name: string): Promise<ServerStatus | undefined> {
	const [{ openSettings }, { probeServers }, { withoutChoice }] = await Promise.all([
		import("../runtime/settings.ts"),
		import("./probe-servers.ts"),
		import("./chosen-tools.ts"),
	]);
	const config = await openSettings(cli, {});
	const entry = withoutChoice(config.get("mcp_servers")[name]);
	const [status] = await probeServers(cli, config, { servers: { [name]: entry }, waitMs: probeMs });
	return status;
}

/** A server that is later than this is configured by its names alone. */
const probeMs = 30_000;

async function pick(status: ServerStatus | undefined, now: ToolChoice): Promise<ToolChoice | undefined> {
	if (status?.state !== "connected") {
		throw new CommandFailed(`Cannot show the tools of "${status?.name}": ${status?.problem ?? "it is not there"}`);
	}
	const names = status.tools.map(({ ownName }) => ownName);
	if (names.length === 0) throw new CommandFailed(`Cannot choose tools of "${status.name}": it has none`);
	const { isCancel, multiselect } = await import("@clack/prompts");
	const { isChosen } = await import("./chosen-tools.ts");
	const picked = await multiselect({
		message: `Tools of ${status.name} (space picks, enter ends)`,
		options: status.tools.map(({ ownName, description }) => ({
			value: ownName,
			label: ownName,
			hint: description.split("\n", 1)[0]?.slice(0, 80) ?? "",
		})),
		initialValues: names.filter((name) => isChosen(name, now)),
		required: false,
	});
	if (isCancel(picked)) return undefined;
	return picked.length === names.length ? {} : { include: picked };
}

/** A name that is no tool's would be a list that does not do what it says. */
function warnOfUnknown(cli: Cli, status: ServerStatus | undefined, names: readonly string[]): void {
	if (names.length === 0) return;
	if (status?.state !== "connected") {
		cli.stderr.write(`hermes: the names were not checked: ${status?.problem ?? "the server is not there"}\n`);
		return;
	}
	const known = new Set([...status.tools.map(({ ownName }) => ownName), ...status.leftOut.map(({ name }) => name)]);
	for (const name of names) if (!known.has(name)) cli.stderr.write(`hermes: ${status.name} has no tool "${name}"\n`);
}

function shownChoice(choice: ToolChoice | undefined, { enabled }: { readonly enabled?: boolean }): string {
	const parts: string[] = [];
	if (choice?.include !== undefined) parts.push(`the tools ${choice.include.join(", ") || "(none)"}`);
	else if (choice?.exclude !== undefined) parts.push(`all tools but ${choice.exclude.join(", ")}`);
	else if (choice !== undefined) parts.push("all tools");
	if (enabled !== undefined) parts.push(enabled ? "enabled" : "disabled");
	return parts.join(", ");
}
