/** Settings as they may be shown: credentials masked, by the names of their keys and by the redactor. */

import { isMap } from "../../config/expand.ts";
import { describeOrigin, type LoadedConfig, type Setting } from "../../config/load.ts";
import { isSecretName } from "../../config/variable-names.ts";
import { createRedactor, maskSecret, type Redactor } from "../../security/redact.ts";

/** One key with a value that may be seen. */
export interface ShownSetting {
	readonly key: string;
	readonly value: unknown;
	readonly origin: string;
	/** Why the value cannot be used. */
	readonly problem?: string;
}

/** How settings are shown. */
export interface ShownOptions {
	/** Also what the file says at a path that no row has. */
	readonly withUnknown?: boolean;
	/** Somebody else will read it: of variables that programs are given only the names are shown. */
	readonly forOthers?: boolean;
}

/**
 * Every key of the schema, and those that the file sets below keys with free names, in table order.
 */
export function shownSettings(
	config: LoadedConfig,
	paths: Iterable<string> = allPaths(config),
	{ withUnknown = false, forOthers = false }: ShownOptions = {},
): ShownSetting[] {
	const hides: Hides = {
		redact: createRedactor(config.secrets),
		isPrivateMap: forOthers ? privateForOthers : privateMap,
	};
	return [...paths].flatMap((path) => {
		const setting = config.find(path) ?? (withUnknown ? writtenSetting(config, path) : undefined);
		return setting ? [shown(path, setting, { config, hides })] : [];
	});
}

/** What is masked. */
interface Hides {
	readonly redact: Redactor;
	/** Names of maps of which every value may be a credential, whatever it is called. */
	readonly isPrivateMap: RegExp;
}

const privateMap = /(?:^|\.)headers$/;
const privateForOthers = /(?:^|\.)(?:headers|env|\w+_env)$/;

function writtenSetting({ file }: LoadedConfig, path: string): Setting | undefined {
	const found = file.written(path);
	return found && { value: found.value, origin: { kind: "config", path: file.path, line: found.position?.line } };
}

/** All paths that have a value. */
export function allPaths(config: LoadedConfig): Set<string> {
	return new Set([...config.schema.paths, ...config.file.values.keys()]);
}

function shown(
	path: string,
	setting: Setting,
	{ config, hides }: { readonly config: LoadedConfig; readonly hides: Hides },
): ShownSetting {
	const isSecret = config.schema.find(path)?.key.secret === true || isSecretName(path);
	return {
		key: path,
		value: masked(setting.value, isSecret || isPrivate(path, setting.value, hides), hides),
		origin: describeOrigin(setting.origin),
		...(setting.problem !== undefined && { problem: hides.redact(setting.problem) }),
	};
}

/** A list below such a name has names in it, no values. */
function isPrivate(name: string, value: unknown, { isPrivateMap }: Hides): boolean {
	return isMap(value) && isPrivateMap.test(name);
}

/** Below a secret name everything is secret; elsewhere names decide again at every level. */
function masked(value: unknown, isSecret: boolean, hides: Hides): unknown {
	if (typeof value === "string") return isSecret && value !== "" ? maskSecret(value) : hides.redact(value);
	if (isSecret && typeof value === "number") return maskSecret(String(value));
	if (Array.isArray(value)) return value.map((item) => masked(item, isSecret, hides));
	if (!isMap(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, item]) => {
			const isHidden = isSecret || isSecretName(name) || isPrivate(name, item, hides);
			return [name, masked(item, isHidden, hides)];
		}),
	);
}

/** A value on one line: texts bare, anything else as JSON. */
export function valueText(value: unknown): string {
	return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
