/** Turns a session's variables into what a new process can be given: its environment, and a file for the rest. */

import type { Route } from "./route.ts";
import type { SessionValues } from "./session-state.ts";
import type { Definitions, ShellLanguage } from "./shell-language.ts";

/** Linux refuses a variable over 128 KB, and then starts nothing at all. */
const largeValueBytes = 64 * 1024;

/** Together with arguments, the least that systems allow is 256 KB (macOS); beyond this, smaller values move to the file too. */
const wholeLimitBytes = 200 * 1024;
const mediumValueBytes = 4 * 1024;

/** What one call starts with. Call `release` when it has ended. */
export interface CallStart {
	readonly env: Readonly<Record<string, string>>;
	/** What to read first; undefined when everything fits into `env`. */
	readonly definitions: Definitions | undefined;
	release(): Promise<void>;
}

/** Prepares calls; the work is done once for each state. */
export interface StartEnvironment {
	prepare(values: SessionValues): Promise<CallStart>;
}

/** One state, prepared. */
interface Prepared {
	readonly values: SessionValues;
	readonly env: Readonly<Record<string, string>>;
	readonly definitions: Definitions | undefined;
	users: number;
}

/** Prepares calls of one session; placed files are removed when no call needs them any more. */
export function createStartEnvironment(route: Route, language: ShellLanguage): StartEnvironment {
	let latest: Prepared | undefined;
	const drop = async (prepared: Prepared) => {
		if (prepared.users > 0 || prepared === latest || prepared.definitions?.from !== "file") return;
		await route.files.remove(prepared.definitions.path);
	};
	const make = async (values: SessionValues): Promise<Prepared> => {
		const { env, rest } = splitVariables(values.variables);
		const text = language.definitions(rest, values.definitions);
		return { values, env, definitions: text === "" ? undefined : await bring(text), users: 0 };
	};
	const bring = async (text: string): Promise<Definitions> => {
		const inline = text.length > route.inlineBytes ? undefined : asText(text);
		if (inline !== undefined) return { from: "argument", text: inline };
		return { from: "file", path: await route.files.place(Buffer.from(text, "latin1")) };
	};
	return {
		async prepare(values) {
			let prepared = latest;
			if (prepared?.values.variables !== values.variables || prepared.values.definitions !== values.definitions) {
				prepared = await make(values);
				const before = latest;
				latest = prepared;
				if (before !== undefined) await drop(before);
			}
			const used = prepared;
			used.users++;
			return {
				env: used.env,
				definitions: used.definitions,
				release: () => {
					used.users--;
					return drop(used);
				},
			};
		},
	};
}

/** Values that fit into an environment as text, and the others. */
function splitVariables(variables: ReadonlyMap<string, string>) {
	const env: Record<string, string> = {};
	const rest = new Map<string, string>();
	const wholeBytes = [...variables].reduce((sum, [name, value]) => sum + name.length + value.length + 2, 0);
	const limit = wholeBytes > wholeLimitBytes ? mediumValueBytes : largeValueBytes;
	for (const [name, value] of variables) {
		const text = value.length > limit ? undefined : asText(value);
		if (text === undefined) rest.set(name, value);
		else env[name] = text;
	}
	return { env, rest };
}

function asText(value: string): string | undefined {
	const bytes = Buffer.from(value, "latin1");
	const text = bytes.toString("utf8");
	return Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
}
