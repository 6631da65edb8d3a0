/** What runs a script in a session's sandbox, looked for once in each. */

import { runToEnd } from "../environments/shell/run-to-end.ts";
import type { Shell } from "../environments/shell/shell.ts";
import type { ScriptMode } from "./script-environment.ts";

/** The languages of scripts. */
export type ScriptLanguage = "python" | "typescript";

/** A program that runs scripts. `self` is this executable, as the runtime that it was built with. */
export interface Interpreter {
	readonly kind: "python" | "self" | "bun" | "node";
	readonly path: string;
}

/** What is known of the sandboxes of a session, by sandbox. */
export type Remembered = WeakMap<object, Map<string, string>>;

/** How one is looked for. */
export interface SearchOptions {
	readonly language: ScriptLanguage;
	readonly mode: ScriptMode;
	/** The environment of the script. */
	readonly env: Readonly<Record<string, string>>;
	readonly remembered: Remembered;
	readonly signal: AbortSignal;
}

const probeLimitMs = 10_000;

/** Prints kind and path of the first program that is there and new enough. A broken one (a venv whose Python is gone) is passed by. */
const probeScript = `for program do
	kind=\${program##*/}
	path=$(command -v "$program") || continue
	case $kind in
	python*) kind=python; "$path" -c 'import sys; sys.exit(sys.version_info < (3, 8))' ;;
	*) version=$("$path" --version); version=\${version#v}; [ "\${version%%.*}" -ge "$(case $kind in node) echo 18;; *) echo 1;; esac)" ] ;;
	esac </dev/null >/dev/null 2>&1 && { printf '%s %s' "$kind" "$path"; exit 0; }
done
exit 1`;

/** The interpreter for `language`; undefined when the sandbox has none. */
export async function findInterpreter(shell: Shell, options: SearchOptions): Promise<Interpreter | undefined> {
	const { language, mode, env, remembered, signal } = options;
	if (language === "typescript" && shell.files === "host") return { kind: "self", path: process.execPath };
	const programs = language === "python" ? pythons(env, mode) : ["bun", "node"];
	const known = remembered.get(shell.sandbox) ?? new Map<string, string>();
	remembered.set(shell.sandbox, known);
	const key = JSON.stringify([programs, env.PATH, env.PYENV_VERSION]);
	const found = known.get(key) ?? (await probe(shell, { programs, env, signal }));
	if (found === undefined) return undefined;
	known.set(key, found);
	return interpreterOf(found);
}

/** Forgets what was found: it cannot be started any more. */
export function forgetInterpreters(shell: Shell, remembered: Remembered): void {
	remembered.delete(shell.sandbox);
}

/** An activated environment first, even when its folder is not on the path. */
function pythons(env: Readonly<Record<string, string>>, mode: ScriptMode): string[] {
	const active = mode === "project" ? [env.VIRTUAL_ENV, env.CONDA_PREFIX] : [];
	const inside = active.flatMap((folder) => (folder ? [`${folder}/bin/python`, `${folder}/bin/python3`] : []));
	return [...inside, "python3", "python"];
}

async function probe(
	{ sandbox }: Shell,
	{ programs, env, signal }: Pick<SearchOptions, "env" | "signal"> & { readonly programs: readonly string[] },
): Promise<string | undefined> {
	const argv = ["/bin/sh", "-c", probeScript, "sh", ...programs];
	const limit = AbortSignal.any([signal, AbortSignal.timeout(probeLimitMs)]);
	const { exitCode, output } = await runToEnd(sandbox, argv, { env, signal: limit });
	return exitCode === 0 ? output.toString("utf8") : undefined;
}

function interpreterOf(found: string): Interpreter {
	const at = found.indexOf(" ");
	const kind = (["python", "bun", "node"] as const).find((one) => one === found.slice(0, at)) ?? "python";
	return { kind, path: found.slice(at + 1) };
}
