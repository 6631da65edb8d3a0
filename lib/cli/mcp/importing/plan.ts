/** What an import would do: which servers are new, what they are called here, and which secrets they bring. */

import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { attempt } from "../../../base/attempt.ts";
import { parseEnvFile } from "../../../config/env-file.ts";
import { readText } from "../../../config/files.ts";
import { isRefusedVariable } from "../../../config/variable-names.ts";
import { readServerSettings } from "../../../mcp/server-settings.ts";
import { problemOfSecrets } from "../kept-secrets.ts";
import type { ForeignFile, ForeignServer } from "./foreign-file.ts";
import type { Source } from "./places.ts";
import { type Entry, withoutSecrets } from "./secrets.ts";
import { type Need, type Notes, type TranslateOptions, translate, variablePart } from "./translate.ts";

/** A server that is not in config.yaml yet. */
export interface PlannedServer {
	readonly name: string;
	readonly source: Source;
	readonly path: string;
	readonly entry: Entry;
	/** Names of the variables that its secrets go to. */
	readonly secrets: readonly string[];
	readonly needs: readonly Need[];
	readonly warnings: readonly string[];
}

/** A server that stays where it is. */
export interface SkippedServer {
	readonly name: string;
	readonly source: Source;
	readonly path: string;
	readonly reason: string;
}

/** All of it. */
export interface ImportPlan {
	readonly servers: readonly PlannedServer[];
	readonly skipped: readonly SkippedServer[];
	/** For .env, by name. Never shown. */
	readonly secrets: Readonly<Record<string, string>>;
}

/** What is there already. */
export interface PlanOptions {
	/** `mcp_servers` as config.yaml has it, with its references as they are written. */
	readonly known: Readonly<Record<string, unknown>>;
	/** Of .env and the environment. */
	readonly variables: Readonly<Record<string, string>>;
	readonly home: string;
	/** Names to take; all when empty. */
	readonly only: readonly string[];
}

/** Nothing is written, and nothing that is there is ever replaced. */
export function planImport(files: readonly ForeignFile[], options: PlanOptions): ImportPlan {
	const plan = {
		servers: [] as PlannedServer[],
		skipped: [] as SkippedServer[],
		secrets: {} as Record<string, string>,
	};
	for (const file of files) {
		const { source, path } = file.place;
		for (const [name, reason] of Object.entries(file.broken)) plan.skipped.push({ name, source, path, reason });
		for (const [written, server] of Object.entries(file.servers)) {
			const name = plainName(written);
			if (options.only.length > 0 && !options.only.includes(name) && !options.only.includes(written)) continue;
			const planned = planOne({ name, server, file }, { options, plan });
			if ("reason" in planned) plan.skipped.push(planned);
			else {
				Object.assign(plan.secrets, planned.kept);
				plan.servers.push(planned.server);
			}
		}
	}
	return plan;
}

interface Found {
	readonly name: string;
	readonly server: ForeignServer;
	readonly file: ForeignFile;
}

interface Planned {
	readonly server: PlannedServer;
	readonly kept: Readonly<Record<string, string>>;
}

function planOne(
	{ name, server, file }: Found,
	{ options, plan }: { readonly options: PlanOptions; readonly plan: ImportPlan },
): Planned | SkippedServer {
	const { source, path, folder } = file.place;
	const { home, variables } = options;
	const notes: Notes = { needs: [], warnings: [] };
	const kept: Record<string, string> = {};
	const keep = (secret: string, label: string) => {
		const taken = { ...variables, ...plan.secrets, ...kept };
		const variable = freeVariable(`MCP_${variablePart(name)}_${variablePart(label)}`, secret, taken);
		kept[variable] = secret;
		return `\${${variable}}`;
	};
	const reading = { folder, inputs: file.inputs, home, variables };
	const made = attempt(() => withoutSecrets(entryOf(server, reading, notes), keep));
	if (!made.ok) return { name, source, path, reason: made.reason };
	const secrets = Object.entries(kept).map(([variable, value]) => ({ name: variable, value }));
	const reason = problemOf(name, made.value, { options, servers: plan.servers }) ?? problemOfSecrets(secrets);
	if (reason !== undefined) return { name, source, path, reason };
	return { server: { name, source, path, entry: made.value, secrets: Object.keys(kept), ...notes }, kept };
}

function plainName(written: string): string {
	return written.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "") || "server";
}

function freeVariable(wanted: string, secret: string, taken: Readonly<Record<string, string>>): string {
	for (let count = 1; ; count++) {
		const name = count === 1 ? wanted : `${wanted}_${count}`;
		if (taken[name] === undefined || taken[name] === secret) return name;
	}
}

function problemOf(
	name: string,
	entry: Entry,
	{ options, servers }: { readonly options: PlanOptions; readonly servers: readonly PlannedServer[] },
): string | undefined {
	if (Object.hasOwn(options.known, name)) {
		return isDeepStrictEqual(options.known[name], entry)
			? "it is in config.yaml already"
			: "config.yaml has another server of that name";
	}
	if (servers.some((other) => other.name === name)) return "a server of that name comes from another file";
	const read = readServerSettings(entry);
	return read.ok ? undefined : read.reason;
}

function entryOf(server: ForeignServer, options: TranslateOptions, notes: Notes): Entry {
	const text = (written: string) => translate(written, options, notes);
	const all = (record: Readonly<Record<string, string>>) =>
		Object.fromEntries(Object.entries(record).map(([name, value]) => [name, text(value)]));
	const off = server.disabled === true ? { enabled: false } : {};
	const url = server.url ?? server.serverUrl;
	if (url !== undefined) {
		const clientId = server.oauth?.clientId;
		return {
			url: text(url),
			...((server.type ?? server.transport) === "sse" && { transport: "sse" }),
			...(server.headers && Object.keys(server.headers).length > 0 && { headers: all(server.headers) }),
			...(clientId !== undefined && { auth: "oauth", oauth: { client_id: clientId } }),
			...off,
		};
	}
	if (server.command === undefined) throw new Error("it has neither a command nor a url");
	const env = { ...fileVariables(server, text, options), ...all(server.env ?? {}) };
	return {
		command: text(server.command),
		args: (server.args ?? []).map(text),
		...(Object.keys(env).length > 0 && { env }),
		...(server.cwd !== undefined && { cwd: resolve(options.folder, text(server.cwd)) }),
		...off,
	};
}

/** @throws {Error} When the file of variables is not there. */
function fileVariables(
	{ envFile }: ForeignServer,
	text: (written: string) => string,
	{ folder }: TranslateOptions,
): Readonly<Record<string, string>> {
	if (envFile === undefined) return {};
	const path = resolve(folder, text(envFile));
	const source = readText(path);
	if (source === undefined) throw new Error(`its envFile ${path} is not there`);
	return Object.fromEntries(
		Object.entries(parseEnvFile(source).variables).filter(([name]) => !isRefusedVariable(name)),
	);
}
