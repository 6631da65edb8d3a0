/** The environment of a script: what it needs of the session's, and nothing that could be a secret. */

import { isSecretName } from "../config/variable-names.ts";
import type { Shell } from "../environments/shell/shell.ts";
import { isOwnSecret } from "../security/child-environment.ts";
import { hasSecretWord, isNeeded } from "../security/environment-names.ts";

/** Scripts start in the user's project with what is active there, or apart from it. */
export type ScriptMode = "project" | "strict";

/** How a session's variables are sifted. */
export interface SieveOptions {
	readonly mode: ScriptMode;
	/** Names that the user lets through although they look like secrets; keys of providers never pass. */
	readonly passthrough: readonly string[];
	readonly platform?: NodeJS.Platform;
}

/** Those of `variables` that a script may see: first everything that may hold a secret goes, then all that is not needed. */
export function sifted(
	variables: Readonly<Record<string, string>>,
	{ mode, passthrough, platform = process.platform }: SieveOptions,
): Record<string, string> {
	const wanted = new Set(passthrough.filter((name) => !isOwnSecret(name)));
	const needed = { withProject: mode === "project", platform };
	const kept = Object.entries(variables).filter(
		([name]) => wanted.has(name) || (!mayBeSecret(name) && isNeeded(name, needed)),
	);
	return Object.fromEntries(kept);
}

function mayBeSecret(name: string): boolean {
	return isSecretName(name) || hasSecretWord(name);
}

/** Exported variables of a session as text; those that are none are left out. */
export function sessionVariables({ state }: Pick<Shell, "state">): Record<string, string> {
	const texts = [...state.values.variables].flatMap(([name, value]) => {
		const bytes = Buffer.from(value, "latin1");
		const text = bytes.toString("utf8");
		return Buffer.from(text).equals(bytes) ? [[name, text] as const] : [];
	});
	return Object.fromEntries(texts);
}

/** Where programs usually are, for a session that has broken its PATH. */
const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** For short programs of our own in the sandbox. */
export function shellEnvironment({ state }: Pick<Shell, "state">): Record<string, string> {
	const path = state.values.variables.get("PATH");
	return { PATH: path === undefined ? usualPath : `${path}:${usualPath}` };
}
