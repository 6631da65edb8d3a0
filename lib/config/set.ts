/** `config set`: puts one setting where it belongs: a secret into .env, anything else into config.yaml. */

import { ConfigInvalid } from "./config-invalid.ts";
import { editYaml } from "./edit.ts";
import { isMap } from "./expand.ts";
import { changeFile, configPath, envPath, saveEnvVariable } from "./files.ts";
import { guessText, parseText } from "./schema/read-value.ts";
import { ownSchema, type Schema } from "./schema/table.ts";
import { isSecretName, isVariableName } from "./variable-names.ts";
import { parseYaml } from "./yaml.ts";

/** What the user typed. */
export interface SetRequest {
	/** HERMES_HOME. */
	readonly home: string;
	/** Path of a key, or the name of a variable for .env. */
	readonly path: string;
	readonly written: string;
	readonly schema?: Schema;
	/** Sets an unknown key all the same. */
	readonly force?: boolean;
}

/** Where it went. */
export interface SetOutcome {
	/** The key or variables as they are named in the files. */
	readonly changed: readonly { readonly file: string; readonly name: string }[];
	readonly warnings: readonly string[];
}

/**
 * Writes one setting. Both files are replaced whole or not at all, and two processes at it lose nothing.
 * @throws {ConfigInvalid} For a value of the wrong type, a section, an unknown key, or a config.yaml that is broken already.
 * @throws {EnvVariableRefused} For a variable that must not stand in .env.
 */
export async function setSetting(request: SetRequest): Promise<SetOutcome> {
	const { home, path, written, schema = ownSchema, force = false } = request;
	if (isVariableName(path) && path !== path.toLowerCase()) {
		await saveEnvVariable(home, { name: path, value: written });
		return { changed: [{ file: envPath(home), name: path }], warnings: [] };
	}
	const asked = path === "model" ? "model.default" : path;
	const target = checked(asked, written, { schema, force });
	const { value, secrets } = withoutSecrets(target.path, target.value, target.variable);
	for (const [name, secret] of secrets) await saveEnvVariable(home, { name, value: secret });
	const file = configPath(home);
	await changeFile(file, home, (source) => changeConfig(source, { file, path: target.path.split("."), value }));
	return {
		changed: [...secrets.map(([name]) => ({ file: envPath(home), name })), { file, name: target.path }],
		warnings: target.warnings,
	};
}

interface Target {
	readonly path: string;
	readonly value: unknown;
	/** The variable a secret goes to, when the key names one. */
	readonly variable: string | undefined;
	readonly warnings: readonly string[];
}

type CheckOptions = Required<Pick<SetRequest, "schema" | "force">>;

function checked(asked: string, written: string, { schema, force }: CheckOptions): Target {
	if (asked.split(".").some((part) => part.trim() === "")) {
		throw new ConfigInvalid(`Cannot set "${asked}": a part of the name is empty`);
	}
	const found = schema.find(asked);
	if (!found && schema.isSection(asked))
		throw new ConfigInvalid(`Cannot set "${asked}": it is a section; name a key in it`);
	if (!found) {
		const warnings = schema.isFree(asked) ? [] : [unknownKey(asked, { schema, force })];
		return { path: asked, value: guessText(written), variable: undefined, warnings };
	}
	const { path, key } = found;
	if (key.gone !== undefined) throw new ConfigInvalid(`Cannot set ${path}: it has no effect; ${key.gone}`);
	const reading = parseText(key, written);
	if (!reading.ok) {
		const shown = key.secret ? "" : ` to "${written}"`;
		throw new ConfigInvalid(`Cannot set ${path}${shown}: expected ${reading.expected}`);
	}
	const variable = key.secret ? (key.environment?.[0] ?? variableFor(path)) : undefined;
	const warnings = key.used ? [] : [`${path} is not used yet`];
	return { path, value: reading.value, variable, warnings };
}

/** What to say of an unknown key. @throws {ConfigInvalid} When it is not forced. */
function unknownKey(asked: string, { schema, force }: CheckOptions): string {
	const nearest = schema.nearest(asked);
	const advice = nearest ? `; did you mean ${nearest}?` : "";
	if (!force) throw new ConfigInvalid(`Cannot set "${asked}": unknown key${advice} (--force sets it all the same)`);
	return `unknown key ${asked}${advice}`;
}

/** Takes the secrets out of `value`, wherever their names show them, and leaves references to .env in their places. */
function withoutSecrets(
	path: string,
	value: unknown,
	variable?: string,
): { readonly value: unknown; readonly secrets: readonly (readonly [string, string])[] } {
	if (typeof value === "string") {
		const last = path.slice(path.lastIndexOf(".") + 1);
		const isReference = /^(?:\w+\s)?\$\{[A-Za-z_]\w*\}$/.test(value) || value === "";
		if (isReference || (variable === undefined && !isSecretName(last))) return { value, secrets: [] };
		const name = variable ?? variableFor(path);
		return { value: `\${${name}}`, secrets: [[name, value]] };
	}
	if (Array.isArray(value)) {
		const items = value.map((item, index) => withoutSecrets(`${path}.${index}`, item));
		return { value: items.map((item) => item.value), secrets: items.flatMap((item) => item.secrets) };
	}
	if (!isMap(value)) return { value, secrets: [] };
	const entries = Object.entries(value).map(([name, item]) => [name, withoutSecrets(`${path}.${name}`, item)] as const);
	return {
		value: Object.fromEntries(entries.map(([name, item]) => [name, item.value])),
		secrets: entries.flatMap(([, item]) => item.secrets),
	};
}

/** `auxiliary.vision.api_key` becomes AUXILIARY_VISION_API_KEY. */
function variableFor(path: string): string {
	return path
		.toUpperCase()
		.replace(/[^A-Z0-9]+/g, "_")
		.replace(/^(?=\d)/, "_");
}

async function changeConfig(
	source: string,
	{ file, path, value }: { readonly file: string; readonly path: readonly string[]; readonly value: unknown },
): Promise<string> {
	const [section = "", name = ""] = path;
	if (section !== "model" || path.length !== 2) return await editYaml(source, { file, path, value });
	// `model: NAME` is short for `model: {default: NAME}`: it stays short as long as that is all it says.
	const { content } = await parseYaml(file, source);
	const model = isMap(content) ? content.model : undefined;
	if (model === undefined || model === null || isMap(model)) return await editYaml(source, { file, path, value });
	const replaced = name === "default" ? value : { default: model, [name]: value };
	return await editYaml(source, { file, path: [section], value: replaced });
}
