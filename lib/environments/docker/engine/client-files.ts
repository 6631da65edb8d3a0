/** Reads the JSON files of the docker client: its settings and its contexts. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { BackendUnavailable } from "../../backend.ts";

/** One login as the client saves it; `auth` is `user:password` in base64. */
const login = z.looseObject({
	auth: z.string().optional(),
	username: z.string().optional(),
	password: z.string().optional(),
	identitytoken: z.string().optional(),
	registrytoken: z.string().optional(),
});

const clientConfig = z.looseObject({
	auths: z.record(z.string(), login).default({}),
	credsStore: z.string().default(""),
	credHelpers: z.record(z.string(), z.string()).default({}),
	currentContext: z.string().default(""),
});

/** The part of config.json that we read. */
export type ClientConfig = z.output<typeof clientConfig>;

/** Where the docker client keeps its settings. */
export function dockerFolder(variables: Readonly<Record<string, string>>): string {
	const named = variables.DOCKER_CONFIG ?? "";
	return named === "" ? join(variables.HOME ?? "/", ".docker") : named;
}

/** The settings in `folder`; those of a client that was never used when there is no file. */
export function readClientConfig(folder: string): ClientConfig {
	return readJson(join(folder, "config.json"), clientConfig) ?? clientConfig.parse({});
}

/**
 * A JSON file of that shape; undefined when there is none.
 * @throws {BackendUnavailable} When it cannot be read or has another shape.
 */
export function readJson<T>(path: string, shape: z.ZodType<T>): T | undefined {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (cause) {
		const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		throw new BackendUnavailable(`Cannot read "${path}": ${code || String(cause)}`, { cause });
	}
	const parsed = shape.safeParse(parseJson(text));
	if (parsed.success) return parsed.data;
	throw new BackendUnavailable(`Cannot use "${path}": it is not what the docker client writes`, {
		cause: parsed.error,
	});
}

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// Its reader says what is wrong with a file that has no value.
		return undefined;
	}
}
