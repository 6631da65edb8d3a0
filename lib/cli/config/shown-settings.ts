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

/**
 * Every key of the schema, and those that the file sets below keys with free names, in table order. `withUnknown` also shows
 * what the file says at a path that no row has.
 */
export function shownSettings(
	config: LoadedConfig,
	paths: Iterable<string> = allPaths(config),
	{ withUnknown = false }: { readonly withUnknown?: boolean } = {},
): ShownSetting[] {
	const redact = createRedactor(config.secrets);
	return [...paths].flatMap((path) => {
		const setting = config.find(path) ?? (withUnknown ? writtenSetting(config, path) : undefined);
		return setting ? [shown(path, setting, { config, redact })] : [];
	});
}

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
	{ config, redact }: { readonly config: LoadedConfig; readonly redact: Redactor },
): ShownSetting {
	const isSecret = config.schema.find(path)?.key.secret === true || isSecretName(path);
	return {
		key: path,
		value: masked(setting.value, isSecret, redact),
		origin: describeOrigin(setting.origin),
		...(setting.problem !== undefined && { problem: redact(setting.problem) }),
	};
}

/** Below a secret name everything is secret; elsewhere names decide again at every level. */
function masked(value: unknown, isSecret: boolean, redact: Redactor): unknown {
	if (typeof value === "string") return isSecret && value !== "" ? maskSecret(value) : redact(value);
	if (isSecret && typeof value === "number") return maskSecret(String(value));
	if (Array.isArray(value)) return value.map((item) => masked(item, isSecret, redact));
	if (!isMap(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, item]) => [name, masked(item, isSecret || isSecretName(name), redact)]),
	);
}

/** A value on one line: texts bare, anything else as JSON. */
export function valueText(value: unknown): string {
	return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
