/** `hermes mcp add`: a server that is started as a process, or reached by its address. */

import { z } from "zod";
import { CommandFailed, exitCodes, UsageError } from "../exit-codes.ts";
import { defineAction } from "../subcommand.ts";
import { type FlagsBehind, flagsBehindName } from "./flags-behind-name.ts";
import type { NamedSecret } from "./kept-secrets.ts";

const pairs = z.array(z.string()).default([]);

const flags = z.object({
	url: z
		.string()
		.optional()
		.meta({ value: "URL", description: "Address of a server that is reached over the network" }),
	transport: z
		.enum(["http", "sse"])
		.optional()
		.meta({ value: "T", completes: ["http", "sse"], description: "How the address is spoken to: http or sse" }),
	header: pairs.meta({ value: "NAME=VALUE", repeats: true, description: "Header of every request; may be repeated" }),
	env: pairs.meta({ value: "NAME=VALUE", repeats: true, description: "Variable of the process; may be repeated" }),
	cwd: z.string().optional().meta({ value: "D", description: "Folder that the process starts in" }),
	backend: z
		.string()
		.optional()
		.meta({ value: "B", completes: "backends", description: "Where the process runs (default: this machine)" }),
	parallel: z.boolean().default(false).meta({ description: "Its calls may run side by side" }),
});

type AddFlags = z.output<typeof flags>;

/** A new entry of config.yaml; nothing is started yet. */
export const add = defineAction({
	summary: "Add an MCP server",
	details: [
		"The command runs with your rights in every session from now on. `hermes mcp test NAME` tries it. Flags behind COMMAND are its own.",
		`A value may name a variable: --header 'Authorization=Bearer \${TOKEN}'. A secret that is written out goes to .env, and the entry names it.`,
	].join("\n"),
	operands: "<NAME> [COMMAND] [ARGS...]",
	flags,

	async run({ flags: typed, operands: [name = "", ...words] }, cli) {
		const behind = flagsBehindName(words, ["parallel"]);
		const [command, ...args] = behind.rest;
		const [{ changeServers, writtenServers }, { readServerSettings }, { keepSecrets, problemOfSecrets, saveSecrets }] =
			await Promise.all([
				import("./change-servers.ts"),
				import("../../mcp/server-settings.ts"),
				import("./kept-secrets.ts"),
			]);
		if (!/^[A-Za-z0-9_-]+$/.test(name)) {
			throw new CommandFailed(`Cannot add MCP server "${name}": a name has letters, digits, - and _ only`);
		}
		const { [name]: _, ...others } = await writtenServers(cli.environment.hermesHome);
		const asTyped = entryOf(withFlagsBehind(typed, behind.flags), command, args);
		const { entry, secrets } = keepSecrets({ server: name, others }, asTyped);
		const read = readServerSettings(entry);
		if (!read.ok) throw new CommandFailed(`Cannot add MCP server "${name}": ${read.reason}`);
		const problem = problemOfSecrets(secrets);
		if (problem !== undefined) throw new CommandFailed(`Cannot add MCP server "${name}": ${problem}`);
		await changeServers(cli.environment.hermesHome, { name, entry });
		await saveSecrets(cli.environment.hermesHome, secrets);
		cli.stdout.write(`Added ${name}${whereOf(secrets)}\n`);
		return exitCodes.ok;
	},
});

function withFlagsBehind(before: AddFlags, behind: FlagsBehind["flags"]): AddFlags {
	const lists: Record<string, string[]> = { env: [...before.env], header: [...before.header] };
	const others: Record<string, unknown> = {};
	for (const [name, value] of behind) {
		if (!Object.hasOwn(flags.shape, name)) {
			throw new UsageError(`Cannot add a server with --${name}: hermes mcp add has no such flag`);
		}
		const list = lists[name];
		if (list === undefined) others[name] = value;
		else list.push(String(value));
	}
	const parsed = flags.safeParse({ ...before, ...others, ...lists });
	if (parsed.success) return parsed.data;
	throw new UsageError(`Cannot use --${parsed.error.issues[0]?.path.join(".")}: ${parsed.error.issues[0]?.message}`);
}

function entryOf(typed: AddFlags, command: string | undefined, args: readonly string[]): Record<string, unknown> {
	const { url, transport, header, env, cwd, backend, parallel } = typed;
	const common = parallel ? { supports_parallel_tool_calls: true } : {};
	if (url !== undefined) {
		if (command !== undefined) throw new UsageError("Cannot add a server with a url and a command: name one of them");
		if (env.length > 0 || cwd !== undefined || backend !== undefined) {
			throw new UsageError("Cannot use --env, --cwd or --backend with --url: they are for a process");
		}
		return {
			url,
			...(transport && { transport }),
			...(header.length > 0 && { headers: recordOf("header", header, /^([^=:\s]+)\s*[=:]\s*(.*)$/s) }),
			...common,
		};
	}
	if (command === undefined) throw new UsageError("Cannot add a server without a command: name one, or --url");
	if (header.length > 0 || transport !== undefined) {
		throw new UsageError("Cannot use --header or --transport without --url");
	}
	return {
		command,
		args,
		...(env.length > 0 && { env: recordOf("env", env, /^([^=\s]+)=(.*)$/s) }),
		...(cwd !== undefined && { cwd }),
		...(backend !== undefined && { backend }),
		...common,
	};
}

function recordOf(flag: string, written: readonly string[], form: RegExp): Record<string, string> {
	return Object.fromEntries(
		written.map((pair) => {
			const [, name, value] = form.exec(pair) ?? [];
			if (name === undefined || value === undefined) {
				// Never the text itself: it may be a secret.
				throw new UsageError(`Cannot read a value of --${flag}: it must be NAME=VALUE`);
			}
			return [name, value];
		}),
	);
}

function whereOf(secrets: readonly NamedSecret[]): string {
	return secrets.length === 0 ? "" : `; ${secrets.map(({ name }) => name).join(", ")} went to .env`;
}
