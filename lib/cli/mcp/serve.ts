/** `hermes mcp serve`: hermes as a server for MCP clients. */

import { z } from "zod";
import { longestTimerSeconds } from "../../base/longest-timer.ts";
import { categories } from "../../security/commands/categories.ts";
import { commonFlags, placeFlags, splitNames } from "../common-flags.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { type Cli, defineAction } from "../subcommand.ts";

const flags = placeFlags.extend({
	tools: z.boolean().default(false).meta({ description: "Serve the tools instead of the conversations" }),
	toolset: commonFlags.shape.toolsets.meta({
		value: "TOOLSETS",
		completes: "toolsets",
		description: "Toolsets or tools to serve, split by commas (default: terminal,file,code_execution)",
	}),
	allow: z
		.string()
		.transform(splitNames)
		.optional()
		.meta({
			value: "CATEGORIES",
			completes: Object.keys(categories),
			description: "Kinds of danger that need no consent, split by commas",
		}),
	keep: z
		.boolean()
		.default(false)
		.meta({ description: "Keep sandboxes as the settings say, for all clients together" }),
	yolo: commonFlags.shape.yolo,
	http: z.boolean().default(false).meta({ description: "Serve over HTTP instead of standard input and output" }),
	host: z.string().optional().meta({ value: "H", description: "Address to listen on (default: 127.0.0.1)" }),
	port: z.coerce
		.number()
		.int()
		.min(0)
		.max(65_535)
		.optional()
		.meta({ value: "N", description: "Port to listen on; 0 takes a free one (default: 8765)" }),
	keyEnv: z.string().optional().meta({ value: "NAME", description: "Variable with the key that clients must send" }),
	keyFile: z.string().optional().meta({ value: "FILE", description: "File with the key that clients must send" }),
	tlsCert: z
		.string()
		.optional()
		.meta({ value: "FILE", description: "Certificate in PEM, with those that vouch for it; makes it https" }),
	tlsKey: z.string().optional().meta({ value: "FILE", description: "Key of the certificate in PEM" }),
	json: z
		.boolean()
		.default(false)
		.meta({ description: "Say over HTTP what happens as a JSON object a line on standard error" }),
	allowHost: z
		.string()
		.transform(splitNames)
		.optional()
		.meta({ value: "NAMES", description: "Names that clients may reach this server by, split by commas" }),
	maxSessions: z.coerce
		.number()
		.int()
		.min(1)
		.optional()
		.meta({ value: "N", description: "Clients at once over HTTP (default: 16)" }),
	idleTimeout: z.coerce
		.number()
		.positive()
		.max(longestTimerSeconds)
		.optional()
		.meta({ value: "S", description: "Seconds after which an idle client is forgotten (default: 1800)" }),
});

/** What the user typed. */
export type ServeFlags = z.output<typeof flags>;

/** Conversations or tools, over standard input and output or over HTTP. */
export const serve = defineAction({
	summary: "Serve conversations, or the tools, to MCP clients",
	details: [
		"Without --tools clients read your conversations. With it they run commands and change files: each in a place of its own, closed when it disconnects.",
		"What needs consent is asked of the client's user where the client can ask; else it is denied unless --allow names its kind.",
		"Over HTTP clients send the key as `Authorization: Bearer KEY`. Without --key-env or --key-file it is made and kept in mcp-serve.key in HERMES_HOME.",
	].join("\n"),
	flags,

	async run({ flags: typed }, cli) {
		checkFlags(typed);
		await using opened = new AsyncDisposableStack();
		const [{ openServing }, { serveKey }] = await Promise.all([import("./open-serving.ts"), import("./serve-key.ts")]);
		const key = typed.http ? serveKey(cli, typed) : undefined;
		const serving = await openServing(apart(cli, typed), { flags: typed, opened, key: key?.key });
		if (key !== undefined) {
			const { serveOverHttp } = await import("./serve-over-http.ts");
			await serveOverHttp(cli, typed, { ...serving, key });
		} else {
			const [{ serveStdio }, { openWireOutput }] = await Promise.all([
				import("../../serve/mcp/serve-stdio.ts"),
				import("./wire-output.ts"),
			]);
			const { signal, stop } = cli.interruption;
			const write = openWireOutput(1, () => stop(exitCodes.outputClosed));
			await serveStdio({ ...serving, signal, input: cli.stdin(), write });
		}
		return cli.interruption.exitCode() ?? exitCodes.ok;
	},
});

/** Standard output and input are the wire, so nothing else has them; nor does what runs for clients have the key. */
function apart(cli: Cli, { keyEnv }: ServeFlags): Cli {
	const variables = { ...cli.environment.variables };
	if (keyEnv !== undefined) delete variables[keyEnv];
	return {
		...cli,
		environment: { ...cli.environment, variables },
		stdout: cli.stderr,
		stdinIsTerminal: false,
		stdin: () => new ReadableStream({ start: (controller) => controller.close() }),
		stdinLines: async function* () {},
		readStdin: async () => "",
	};
}

/** Flags that would have no effect are mistakes, the more so where they are about safety. */
function checkFlags(typed: ServeFlags): void {
	for (const name of forHttp) if (!typed.http && isGiven(typed[name])) throw needs(name, "--http");
	for (const name of forTools) if (!typed.tools && isGiven(typed[name])) throw needs(name, "--tools");
	if (typed.tlsCert !== undefined && typed.tlsKey === undefined) throw needs("tlsCert", "--tls-key");
	if (typed.tlsKey !== undefined && typed.tlsCert === undefined) throw needs("tlsKey", "--tls-cert");
	if (typed.keyEnv !== undefined && typed.keyFile !== undefined) {
		throw new UsageError("Cannot use two keys: give --key-env or --key-file");
	}
}

const doors = ["host", "port", "keyEnv", "keyFile", "tlsCert", "tlsKey", "allowHost"] as const;
const forHttp = [...doors, "maxSessions", "idleTimeout", "json"] as const;
const forTools = ["backend", "cwd", "toolset", "allow", "yolo", "keep"] as const;

function isGiven(flag: unknown): boolean {
	return flag !== undefined && flag !== false;
}

function needs(name: string, other: string): UsageError {
	const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
	return new UsageError(`Cannot use ${flag} without ${other}`);
}
