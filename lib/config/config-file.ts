/** What config.yaml sets, key by key, and what is wrong with it. */

import { ConfigInvalid, type Position } from "./config-invalid.ts";
import { expandVariables, isMap } from "./expand.ts";
import { configPath, readText } from "./files.ts";
import { readValue } from "./schema/read-value.ts";
import type { FoundKey, Schema } from "./schema/table.ts";
import { isSecretName } from "./variable-names.ts";
import { parseYaml, place, type YamlFile } from "./yaml.ts";

/** One key that the file sets. */
export interface FileValue {
	readonly value: unknown;
	/** Of its name. */
	readonly position: Position | undefined;
	/** Why the value cannot be used; then `value` is as written. */
	readonly problem?: string;
}

/** A config.yaml that was read. */
export interface ConfigFile {
	readonly path: string;
	readonly exists: boolean;
	/** Concrete key paths to their values; the names are those of the table even where the file uses an older one. */
	readonly values: ReadonlyMap<string, FileValue>;
	/** Everything in the file, expanded, for what no table describes. */
	readonly content: Readonly<Record<string, unknown>>;
	/** Whatever stands at `path`, whether a table knows it or not; undefined when nothing does. */
	written(path: string): FileValue | undefined;
	/** Unknown keys and unknown tags, one line each. */
	readonly warnings: readonly string[];
	/** Paths of credentials that stand in the file itself instead of a reference to .env. */
	readonly plainSecrets: readonly string[];
}

/** What is needed to read the file. */
export interface ReadOptions {
	readonly home: string;
	readonly schema: Schema;
	/** For `${NAME}`. */
	readonly variables: Readonly<Record<string, string>>;
}

/**
 * Reads config.yaml of `home`. A missing or empty file sets nothing.
 * @throws {ConfigInvalid} When it is not YAML, or not a map of keys: then nothing of it is used.
 */
export async function readConfigFile(options: ReadOptions): Promise<ConfigFile> {
	const path = configPath(options.home);
	const source = readText(path);
	if (source === undefined)
		return {
			path,
			exists: false,
			values: new Map(),
			content: {},
			written: () => undefined,
			warnings: [],
			plainSecrets: [],
		};
	return await readConfigText(path, source, options);
}

/** The same for a text that is not written yet. */
export async function readConfigText(path: string, source: string, options: ReadOptions): Promise<ConfigFile> {
	const yaml = await parseYaml(path, source);
	const written = yaml.content ?? {};
	if (!isMap(written)) {
		throw new ConfigInvalid(
			`Cannot read "${path}": line 1, column 1: expected keys and values, not ${nameOf(written)}`,
			{
				position: { line: 1, column: 1 },
			},
		);
	}
	const content = expandVariables(withSearchMap(withModelMap(written)), options.variables);
	const reader = new Reader(path, options.schema, yaml);
	reader.read(isMap(content) ? content : {}, []);
	return {
		path,
		exists: true,
		values: reader.values,
		content: isMap(content) ? content : {},
		written(asked) {
			const parts = asked.split(".");
			const value = parts.reduce<unknown>(
				(above, part) => (isMap(above) && Object.hasOwn(above, part) ? above[part] : undefined),
				content,
			);
			return value === undefined ? undefined : { value, position: yaml.keyPositionOf(parts) };
		},
		warnings: [...yaml.warnings, ...reader.warnings],
		plainSecrets: plainSecretsIn(written, ""),
	};
}

/** `model: NAME` is short for `model: {default: NAME}`. */
function withModelMap(content: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
	const { model } = content;
	return model === undefined || model === null || isMap(model) ? content : { ...content, model: { default: model } };
}

/** `tool_search: true` and `false` are short for a map that says only whether. */
function withSearchMap(content: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
	const { tools } = content;
	if (!isMap(tools) || typeof tools.tool_search !== "boolean") return content;
	return { ...content, tools: { ...tools, tool_search: { enabled: tools.tool_search ? "auto" : "false" } } };
}

function plainSecretsIn(content: unknown, above: string): string[] {
	if (!isMap(content)) return [];
	return Object.entries(content).flatMap(([name, value]) => {
		const path = above === "" ? name : `${above}.${name}`;
		if (typeof value !== "string") return plainSecretsIn(value, path);
		return isSecretName(name) && value !== "" && !/\$\{\w+\}/.test(value) ? [path] : [];
	});
}

type Positions = Pick<YamlFile, "positionOf" | "keyPositionOf">;

/** Walks the map of keys once. */
class Reader {
	readonly values = new Map<string, FileValue>();
	readonly warnings: string[] = [];
	readonly #path: string;
	readonly #schema: Schema;
	readonly #yaml: Positions;

	constructor(path: string, schema: Schema, yaml: Positions) {
		this.#path = path;
		this.#schema = schema;
		this.#yaml = yaml;
	}

	read(content: Readonly<Record<string, unknown>>, above: readonly string[]): void {
		for (const [name, value] of Object.entries(content)) {
			const parts = [...above, name];
			const path = parts.join(".");
			// A dot inside a name would look like a path; only nested maps are.
			const found = name.includes(".") ? undefined : this.#schema.find(path);
			if (found && !(isMap(value) && this.#schema.isSection(path))) this.#take(found, value, parts);
			else if (this.#schema.isSection(path)) this.#enter(path, value, parts);
			else this.#warnUnknown(path, parts);
		}
	}

	#take({ path, key }: FoundKey, value: unknown, parts: readonly string[]): void {
		// An empty value (`timezone:`) is not set, as long as null means nothing to the key.
		if (value === null && !key.nullable) return;
		if (this.values.has(path) && parts.join(".") !== path) return;
		const reading = readValue(key, value);
		const position = this.#yaml.keyPositionOf(parts);
		if (reading.ok) this.values.set(path, { value: reading.value, position });
		else {
			const found = key.secret ? "" : `, not ${nameOf(value)}`;
			const where = place(this.#path, this.#yaml.positionOf(parts));
			const problem = `${where}: ${parts.join(".")} must be ${reading.expected}${found}`;
			this.values.set(path, { value, position, problem });
		}
	}

	#enter(path: string, value: unknown, parts: readonly string[]): void {
		if (value === null) return;
		if (isMap(value)) {
			this.read(value, parts);
			return;
		}
		const position = this.#yaml.positionOf(parts);
		const where = position ? `line ${position.line}, column ${position.column}: ` : "";
		throw new ConfigInvalid(
			`Cannot read "${this.#path}": ${where}${path} must be a map of keys, not ${nameOf(value)}`,
			{
				position,
			},
		);
	}

	#warnUnknown(path: string, parts: readonly string[]): void {
		const nearest = this.#schema.nearest(path);
		const advice = nearest ? `; did you mean ${nearest}?` : "";
		this.warnings.push(`${place(this.#path, this.#yaml.keyPositionOf(parts))}: unknown key ${path}${advice}`);
	}
}

function nameOf(value: unknown): string {
	if (Array.isArray(value)) return "a list";
	if (isMap(value)) return "a map";
	return JSON.stringify(value) ?? "nothing";
}
