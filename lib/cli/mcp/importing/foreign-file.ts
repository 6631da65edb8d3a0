/** The servers in a file of another program, as that program writes them. */

import { z } from "zod";
import { attempt } from "../../../base/attempt.ts";
import { readText } from "../../../config/files.ts";
import type { Place } from "./places.ts";

const texts = z
	.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
	.transform((record) =>
		Object.fromEntries(
			Object.entries(record).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
		),
	);

const serverShape = z.looseObject({
	type: z.string().optional(),
	transport: z.string().optional(),
	command: z.string().optional(),
	args: z.array(z.union([z.string(), z.number(), z.boolean()]).transform(String)).optional(),
	env: texts.optional(),
	envFile: z.string().optional(),
	cwd: z.string().optional(),
	url: z.string().optional(),
	/** Of some forks. */
	serverUrl: z.string().optional(),
	headers: texts.optional(),
	disabled: z.boolean().optional(),
	oauth: z.looseObject({ clientId: z.string().optional() }).optional(),
});
const inputShape = z.looseObject({
	id: z.string(),
	description: z.string().optional(),
	default: z.string().optional(),
	password: z.boolean().optional(),
});

/** A server as it is written. */
export type ForeignServer = z.output<typeof serverShape>;

/** A value that VS Code asks its user for. */
export type ForeignInput = z.output<typeof inputShape>;

/** What a file says. */
export interface ForeignFile {
	readonly place: Place;
	readonly servers: Readonly<Record<string, ForeignServer>>;
	readonly inputs: readonly ForeignInput[];
	/** Entries that cannot be read, with the reason. */
	readonly broken: Readonly<Record<string, string>>;
}

/** Undefined when there is no such file, or no servers in it; comments and commas at the end are allowed. @throws {Error} When it is broken. */
export function readForeignFile(place: Place): ForeignFile | undefined {
	const text = readText(place.path);
	if (text === undefined) return undefined;
	const parsed = attempt((): unknown => Bun.JSONC.parse(text.replace(/^\uFEFF/, "") || "{}"));
	if (!parsed.ok) throw new Error(`Cannot read "${place.path}": ${parsed.reason}`);
	const found = place.keys
		.map((keys) => ({ keys, map: at(parsed.value, keys) }))
		.filter(({ map }) => map !== undefined);
	if (found.length === 0) return undefined;
	const servers: Record<string, ForeignServer> = {};
	const broken: Record<string, string> = {};
	for (const [name, written] of found.flatMap(({ map }) => Object.entries(map ?? {}))) {
		const read = serverShape.safeParse(written);
		if (read.success) servers[name] ??= read.data;
		else broken[name] = `${read.error.issues[0]?.path.join(".") || "the entry"}: ${read.error.issues[0]?.message}`;
	}
	// Beside the servers, wherever these are.
	const inputs = found.flatMap(({ keys }) => inputsIn(at(parsed.value, keys.slice(0, -1))?.inputs));
	return { place, servers, inputs, broken };
}

function inputsIn(written: unknown): readonly ForeignInput[] {
	const list = Array.isArray(written) ? written : [];
	return list.flatMap((each) => {
		const read = inputShape.safeParse(each);
		return read.success ? [read.data] : [];
	});
}

function at(value: unknown, keys: readonly string[]): Readonly<Record<string, unknown>> | undefined {
	const [key, ...rest] = keys;
	if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
	const map: Readonly<Record<string, unknown>> = { ...value };
	return key === undefined ? map : at(map[key], rest);
}
