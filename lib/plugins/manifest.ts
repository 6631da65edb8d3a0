/** What a user's plug-in says of itself: `plugin.json` or `plugin.yaml` in its folder. Reading it runs nothing. */

import { readFileSync, statSync } from "node:fs";
import { join, normalize } from "node:path";
import { z } from "zod";
import { parseYaml } from "../config/yaml.ts";
import { hookNames } from "../registry/hooks.ts";
import { toolsetTable } from "../registry/toolset-table.ts";

/** Longest time that one call may be allowed. */
const longestTimeoutSeconds = 600;

const tool = z.strictObject({
	name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
	description: z.string().min(1),
	parameters: z.record(z.string(), z.unknown()).default({ type: "object", properties: {} }),
	/** Changes nothing: may run beside other calls. */
	read_only: z.boolean().default(false),
	/** Returns text that strangers wrote. */
	untrusted: z.boolean().default(false),
	/** Takes the place of a tool of the same name. */
	override: z.boolean().default(false),
	result_limit: z.int().min(1_000).optional(),
});

const manifest = z.strictObject({
	name: z.string().regex(/^[a-z][a-z0-9_-]{0,40}$/, "must be lower-case letters, digits, - and _"),
	version: z.string().default(""),
	description: z.string().default(""),
	/** Module inside the folder. */
	main: z.string().default("index.ts"),
	timeout_seconds: z.number().positive().max(longestTimeoutSeconds).default(30),
	/** Variables that it needs; it sees no other secret. */
	environment: z.array(z.string().regex(/^[A-Za-z_]\w*$/)).default([]),
	tools: z.array(tool).default([]),
	hooks: z.array(z.enum(hookNames)).default([]),
});

/** A manifest as it was read, with its defaults. */
export type Manifest = z.output<typeof manifest>;

/** A folder in `HERMES_HOME/plugins`. */
export type FoundPlugin =
	| { readonly ok: true; readonly name: string; readonly folder: string; readonly manifest: Manifest }
	| { readonly ok: false; readonly name: string; readonly folder: string; readonly reason: string };

const fileNames = ["plugin.json", "plugin.yaml", "plugin.yml"];

/** Names that would give a plug-in the standing of something else. */
const reservedName = /^(?:hermes|mcp)/;
/** Variables that steer the process itself. */
const steeringVariable = /^(?:LD_|DYLD_|BUN_|NODE_)/;

/** The plug-in in `folder`, or why it is none. */
export async function readPlugin(folder: string, name: string): Promise<FoundPlugin> {
	const refuse = (reason: string): FoundPlugin => ({ ok: false, name, folder, reason });
	const file = fileNames.find((each) => statSync(join(folder, each), { throwIfNoEntry: false })?.isFile());
	if (file === undefined) return refuse(`there is no ${fileNames.join(" or ")} in it`);
	if ((statSync(folder).mode & 0o002) !== 0) return refuse("every user can write to its folder; run chmod o-w on it");
	const parsed = manifest.safeParse(await readMap(join(folder, file)));
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		return refuse(`${file}: ${issue?.path.join(".") || "it"}: ${issue?.message}`);
	}
	const problem = problemOf(parsed.data, { folder, name });
	return problem === undefined ? { ok: true, name, folder, manifest: parsed.data } : refuse(`${file}: ${problem}`);
}

async function readMap(path: string): Promise<unknown> {
	// JSON is YAML, but YAML 1.1 would read some of its texts differently.
	const source = readFileSync(path, "utf8");
	if (!path.endsWith(".json")) return (await parseYaml(path, source)).content;
	return JSON.parse(source) as unknown;
}

function problemOf(
	{ name, main, environment }: Manifest,
	at: { readonly folder: string; readonly name: string },
): string | undefined {
	if (name !== at.name) return `its name is "${name}", but its folder is called "${at.name}"`;
	if (toolsetTable.has(name) || reservedName.test(name)) return `the name "${name}" is taken`;
	const stranger = environment.find((variable) => steeringVariable.test(variable));
	if (stranger !== undefined) return `environment: ${stranger} is never passed on`;
	const inside = normalize(main);
	if (inside.startsWith("..") || inside.startsWith("/")) return `main: "${main}" is outside its folder`;
	const module = statSync(join(at.folder, inside), { throwIfNoEntry: false });
	return module?.isFile() ? undefined : `main: there is no file "${main}"`;
}
