/** Turns a session's variables into what a new process can be given: its environment, and a file for the rest. */

import { definitionsScript } from "./script.ts";
import type { SessionValues } from "./session-state.ts";
import type { StateFolder } from "./state-folder.ts";

/** Linux refuses a variable over 128 KB, and then starts nothing at all. */
const largeValueBytes = 64 * 1024;

/** Together with arguments, the least that systems allow is 256 KB (macOS); beyond this, smaller values move to the file too. */
const wholeLimitBytes = 200 * 1024;
const mediumValueBytes = 4 * 1024;

/** What one call starts with. Call `release` when it has ended. */
export interface CallStart {
	readonly env: Readonly<Record<string, string>>;
	/** A file to source; undefined when everything fits into `env`. */
	readonly definitionsPath: string | undefined;
	release(): Promise<void>;
}

/** Prepares calls; the work is done once for each state. */
export interface StartEnvironment {
	prepare(values: SessionValues): Promise<CallStart>;
}

/** One state, prepared. */
interface Prepared {
	readonly variables: ReadonlyMap<string, string>;
	readonly definitions: string;
	readonly env: Readonly<Record<string, string>>;
	readonly path: string | undefined;
	users: number;
}

/** Prepares calls of one session; files go to `folder` and are removed when no call needs them any more. */
export function createStartEnvironment(folder: StateFolder): StartEnvironment {
	let latest: Prepared | undefined;
	const drop = async (prepared: Prepared) => {
		if (prepared.users > 0 || prepared === latest || prepared.path === undefined) return;
		await folder.remove(prepared.path);
	};
	const make = async ({ variables, definitions }: SessionValues): Promise<Prepared> => {
		const { env, rest } = splitVariables(variables);
		const text = definitionsScript(rest, definitions);
		const path = text === "" ? undefined : await folder.place(Buffer.from(text, "latin1"));
		return { variables, definitions, env, path, users: 0 };
	};
	return {
		async prepare(values) {
			let prepared = latest;
			if (prepared?.variables !== values.variables || prepared.definitions !== values.definitions) {
				prepared = await make(values);
				const before = latest;
				latest = prepared;
				if (before !== undefined) await drop(before);
			}
			const used = prepared;
			used.users++;
			return {
				env: used.env,
				definitionsPath: used.path,
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
