/** The settings of one run: flag, environment, config.yaml and default put together, each value with its origin. */

import { type ConfigFile, readConfigFile } from "./config-file.ts";
import { ConfigInvalid } from "./config-invalid.ts";
import { isMap, mergeMaps } from "./expand.ts";
import { loadEnvFile } from "./files.ts";
import { loadPolicy, type Policy, type PolicySource } from "./policy.ts";
import { type Limited, limitSetting } from "./policy-limits.ts";
import type { Key } from "./schema/key.ts";
import { type PluginSchema, pluginKeys } from "./schema/plug-in-keys.ts";
import { parseText } from "./schema/read-value.ts";
import {
	type ConfigKey,
	type ConfigValues,
	createSchema,
	type FoundKey,
	ownSchema,
	type Schema,
} from "./schema/table.ts";
import { isSecretName } from "./variable-names.ts";

/** What the settings are made of. */
export interface LoadOptions {
	/** HERMES_HOME. */
	readonly home: string;
	/** The environment of the process. */
	readonly variables: Readonly<Record<string, string>>;
	/** What the command line sets; it beats everything else. */
	readonly flags?: { readonly [K in ConfigKey]?: ConfigValues[K] | undefined };
	/** The settings of plug-ins. */
	readonly schemas?: readonly PluginSchema[];
	/** The policy of the machine; its own when left out. */
	readonly policy?: PolicySource | undefined;
}

/** Where a value comes from. */
export type Origin =
	| { readonly kind: "flag" | "default" }
	| { readonly kind: "environment"; readonly variable: string; readonly inEnvFile: boolean }
	| { readonly kind: "policy"; readonly path: string }
	| { readonly kind: "config"; readonly path: string; readonly line: number | undefined };

/** A value with its origin. `problem` says why it cannot be used. */
export interface Setting {
	readonly value: unknown;
	readonly origin: Origin;
	readonly problem?: string;
}

/** The settings of one run. Nothing of it changes afterwards. */
export interface LoadedConfig {
	/**
	 * The value of a known key.
	 * @throws {ConfigInvalid} When what was written for it cannot be used: it never falls back to the default.
	 */
	get<K extends ConfigKey>(key: K): ConfigValues[K];
	/** Any path of the schema, or undefined when it has no such key. */
	find(path: string): Setting | undefined;
	/**
	 * Everything set or defaulted below `section`, for the schema of a plug-in to parse. Keys that nobody set and that
	 * have no default are left out.
	 * @throws {ConfigInvalid} When one of `names` (all keys when not given) cannot be used.
	 */
	section(section: string, names?: readonly string[]): Readonly<Record<string, unknown>>;
	readonly schema: Schema;
	readonly file: ConfigFile;
	/** What the administrator of the machine has decided. */
	readonly policy: Policy | undefined;
	/** The environment with `.env` laid over it: where keys of providers and tools are looked up. */
	readonly variables: Readonly<Record<string, string>>;
	/** Every credential that is known by name, for the redactor. */
	readonly secrets: readonly string[];
	/** What is odd but stops nothing: unknown keys, wrong values of keys not used yet, an .env that others can read. */
	readonly warnings: readonly string[];
}

/**
 * Reads the policy of the machine, `.env` and config.yaml and settles every key.
 * @throws {ConfigInvalid} When a file is broken, or a key that is in use is set to something it cannot be or may not be.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
	const policy = await loadPolicy(options.policy);
	const envFile = loadEnvFile(options.home);
	const variables = { ...options.variables, ...envFile.variables };
	const schema = options.schemas?.length ? createSchema(await pluginKeys(options.schemas)) : ownSchema;
	const file = await readConfigFile({ home: options.home, schema, variables });
	const sources: Sources = {
		schema,
		file,
		variables,
		envNames: envFile.variables,
		flags: { ...options.flags },
		policy,
	};
	const find = (path: string) => settle(sources, path)?.setting;
	function get<K extends ConfigKey>(key: K): ConfigValues[K];
	function get(key: string): unknown {
		return usable(find(key));
	}
	const warnings = problemsOf(sources, find);
	return {
		schema,
		file,
		policy,
		variables,
		find,
		get,
		section: (section, names) => sectionOf({ schema, find }, section, names),
		secrets: secretsOf(variables, file.content),
		warnings: [...envFile.warnings, ...file.warnings, ...warnings, ...setInVain(sources), ...withoutEffect(sources)],
	};
}

/** `config.yaml:12`, `.env OPENAI_BASE_URL`, `environment TERMINAL_ENV`, `policy FILE`, `flag`, `default`. */
export function describeOrigin(origin: Origin): string {
	switch (origin.kind) {
		case "config":
			return origin.line === undefined ? "config.yaml" : `config.yaml:${origin.line}`;
		case "policy":
			return `policy ${origin.path}`;
		case "environment":
			return `${origin.inEnvFile ? ".env" : "environment"} ${origin.variable}`;
		default:
			return origin.kind;
	}
}

interface Sources {
	readonly schema: Schema;
	readonly file: ConfigFile;
	readonly variables: Readonly<Record<string, string>>;
	readonly envNames: Readonly<Record<string, string>>;
	readonly flags: Readonly<Record<string, unknown>>;
	readonly policy: Policy | undefined;
}

function settle(sources: Sources, asked: string): Limited | undefined {
	const found = sources.schema.find(asked);
	return found && limitSetting(sources.policy, found.path, chosenSetting(sources, found));
}

function chosenSetting(sources: Sources, { path, key }: FoundKey): Setting {
	const flag = sources.flags[path];
	if (flag !== undefined) return { value: flag, origin: { kind: "flag" } };
	const written = environmentSetting(sources, key) ?? fileSetting(sources, path, key);
	return written ?? { value: key.fallback, origin: { kind: "default" } };
}

/** What the policy does not let the user have. */
function setInVain(sources: Sources): string[] {
	if (sources.policy === undefined) return [];
	return sources.schema.paths.flatMap((path) => settle(sources, path)?.warning ?? []);
}

/** What the file asks for and no longer has an engine. One that is switched off asks for nothing. */
function withoutEffect({ schema, file }: Sources): string[] {
	return [...file.values].flatMap(([path, { value }]) => {
		const gone = schema.find(path)?.key.gone;
		const isOff = !value || (isMap(value) && (Object.keys(value).length === 0 || value.enabled === false));
		return gone === undefined || isOff ? [] : [`${path} has no effect: ${gone}`];
	});
}

function fileSetting({ file }: Sources, path: string, key: Key): Setting | undefined {
	const found = file.values.get(path);
	if (!found) return undefined;
	const origin: Origin = { kind: "config", path: file.path, line: found.position?.line };
	if (found.problem) return { value: found.value, origin, problem: found.problem };
	const merged = isMap(found.value) && isMap(key.fallback) ? mergeMaps(key.fallback, found.value) : found.value;
	return { value: merged, origin };
}

/** An empty variable is not set: that is how scripts unset them. */
function environmentSetting({ variables, envNames }: Sources, key: Key): Setting | undefined {
	const variable = key.environment?.find((name) => variables[name]?.trim());
	const written = variable && variables[variable];
	if (!variable || !written) return undefined;
	const origin: Origin = { kind: "environment", variable, inEnvFile: variable in envNames };
	const reading = parseText(key, written);
	if (reading.ok) return { value: reading.value, origin };
	const shown = key.secret ? "" : `="${written}"`;
	return { value: written, origin, problem: `Cannot use ${variable}${shown}: expected ${reading.expected}` };
}

/** @throws {ConfigInvalid} For a key that is in use and that no backend has for itself. */
function problemsOf({ schema, file }: Sources, find: (path: string) => Setting | undefined): string[] {
	const paths = new Set([...file.values.keys(), ...schema.paths.filter((path) => schema.find(path)?.key.environment)]);
	const problems: string[] = [];
	for (const path of paths) {
		const setting = find(path);
		const key = schema.find(path)?.key;
		if (!setting?.problem) continue;
		if (key?.used && !key.lazy) usable(setting);
		problems.push(setting.problem);
	}
	return problems;
}

function usable(setting: Setting | undefined): unknown {
	if (setting?.problem === undefined) return setting?.value;
	const sentence = setting.problem.startsWith("Cannot ") ? setting.problem : `Cannot use ${setting.problem}`;
	throw new ConfigInvalid(sentence);
}

function sectionOf(
	{ schema, find }: { readonly schema: Schema; find(path: string): Setting | undefined },
	section: string,
	names?: readonly string[],
): Readonly<Record<string, unknown>> {
	const prefix = `${section}.`;
	const wanted = names?.map((name) => prefix + name) ?? schema.paths.filter((path) => path.startsWith(prefix));
	const entries = wanted.flatMap((path) => {
		const value = usable(find(path));
		return value === undefined ? [] : [[path.slice(prefix.length), value] as const];
	});
	return Object.fromEntries(entries);
}

function secretsOf(variables: Readonly<Record<string, string>>, content: unknown): string[] {
	const named = Object.entries(variables).flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
	return [...new Set([...named, ...secretsIn(content)])];
}

/** By the names of keys, and in lists of arguments by the flag before them. */
function secretsIn(content: unknown): string[] {
	if (Array.isArray(content)) {
		return content.flatMap((item: unknown, index) => {
			const flag: unknown = content[index - 1];
			const isFlagged = typeof flag === "string" && /^--?\w/.test(flag) && isSecretName(flag);
			return isFlagged && typeof item === "string" ? [item] : secretsIn(item);
		});
	}
	if (!isMap(content)) return [];
	return Object.entries(content).flatMap(([name, value]) =>
		typeof value === "string" && isSecretName(name) ? [value] : secretsIn(value),
	);
}
