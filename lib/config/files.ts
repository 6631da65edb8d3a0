/** The two files of a configuration in HERMES_HOME, and how they are read and replaced safely. */

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../base/atomic-write.ts";
import { takeFileLock } from "../base/file-lock.ts";
import { systemReason } from "../base/system-reason.ts";
import { ConfigInvalid } from "./config-invalid.ts";
import { type EnvFile, parseEnvFile, setEnvVariable } from "./env-file.ts";
import { ensureHermesHome } from "./home.ts";

/** `config.yaml` of `home`. */
export function configPath(home: string): string {
	return join(home, "config.yaml");
}

/** `.env` of `home`. */
export function envPath(home: string): string {
	return join(home, ".env");
}

/**
 * The text of `path`, or undefined when there is no such file.
 * @throws {ConfigInvalid} When it is there and cannot be read as UTF-8 text.
 */
export function readText(path: string): string | undefined {
	try {
		// A pipe would be waited for without end, and no signal would reach us meanwhile.
		const found = statSync(path, { throwIfNoEntry: false });
		if (found === undefined) return undefined;
		if (!found.isFile() && !found.isDirectory()) throw new ConfigInvalid(`Cannot read "${path}": it is no plain file`);
		return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
	} catch (cause) {
		if (cause instanceof ConfigInvalid) throw cause;
		const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		const state = cause instanceof TypeError ? "it is not UTF-8" : systemReason(cause);
		throw new ConfigInvalid(`Cannot read "${path}": ${state}`, { cause });
	}
}

/** `.env` of `home`; empty when there is none. A file that others can read is a warning. */
export function loadEnvFile(home: string): EnvFile {
	const path = envPath(home);
	const source = readText(path);
	if (source === undefined) return { variables: {}, warnings: [] };
	const { variables, warnings } = parseEnvFile(source);
	const open = process.platform !== "win32" && (statSync(path).mode & 0o007) !== 0;
	return {
		variables,
		warnings: [
			...warnings.map((warning) => `${path}: ${warning}`),
			...(open ? [`${path}: other users can read it; run chmod 600 ${path}`] : []),
		],
	};
}

/**
 * Sets one variable in `.env` of `home`. A new file is 0600; an existing one keeps its mode, but not for all users.
 * @throws {EnvVariableRefused}
 */
export async function saveEnvVariable(home: string, variable: { name: string; value: string }): Promise<void> {
	await changeFile(envPath(home), home, (source) => setEnvVariable(source, variable.name, variable.value));
}

/** Replaces `path` by what `change` makes of its text. Two processes doing it at once wait for each other. */
export async function changeFile(
	path: string,
	home: string,
	change: (source: string) => string | Promise<string>,
): Promise<void> {
	ensureHermesHome(home);
	using _lock = await takeFileLock(join(home, ".config.lock"), AbortSignal.timeout(lockLimitMs));
	const source = readText(path) ?? "";
	const changed = await change(source);
	if (changed !== source) writeFileAtomically(path, changed, { newMode: 0o600, keptBits: 0o770 });
}

/** A change takes milliseconds; somebody who holds the lock this long is stuck. */
const lockLimitMs = 30_000;
