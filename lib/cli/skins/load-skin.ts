/** Finds the skin that a name means: a file of the user's, or one that is built in. */

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { attempt, attemptAsync, reasonOf } from "../../base/attempt.ts";
import { nearestName } from "../../base/nearest-name.ts";
import { readText } from "../../config/files.ts";
import { builtInSkins } from "./built-in.ts";
import { colourKeys, type Skin } from "./skin.ts";
import { colourShape, glyphShape, skinShape } from "./skin-file.ts";

/** A skin, and what is odd about it; the rest of it holds. */
export interface LoadedSkin {
	readonly skin: Skin;
	readonly warnings: readonly string[];
}

const namePattern = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const mostBytes = 65_536;
const plain: Skin = { name: "default", description: "", colours: {} };

/** The skin `name`, that of the user first. One that is not there, or cannot be read, is the default one and a warning. */
export async function loadSkin(home: string, name: string): Promise<LoadedSkin> {
	const path = join(home, "skins", `${name}.yaml`);
	const isName = namePattern.test(name);
	if (isName && attempt(() => statSync(path).isFile()).ok) {
		const read = await attemptAsync(() => readSkin(path, name));
		return read.ok ? read.value : { skin: plain, warnings: [`Cannot use skin "${name}": ${read.reason}`] };
	}
	const found = Object.hasOwn(builtInSkins, name) ? builtInSkins[name] : undefined;
	if (found !== undefined) return { skin: found, warnings: [] };
	const names = skinNames(home);
	const near = nearestName(name, names);
	const advice = near === undefined ? `there is ${names.join(", ")}` : `did you mean "${near}"?`;
	return { skin: plain, warnings: [`Cannot use skin "${name}": unknown; ${advice}`] };
}

/** Every skin there is, in the order of their names. */
export function skinNames(home: string): readonly string[] {
	const files = attempt(() => readdirSync(join(home, "skins")));
	const own = (files.ok ? files.value : [])
		.filter((file) => file.endsWith(".yaml"))
		.map((file) => file.slice(0, -".yaml".length))
		.filter((name) => namePattern.test(name));
	return [...new Set([...Object.keys(builtInSkins), ...own])].sort();
}

async function readSkin(path: string, name: string): Promise<LoadedSkin> {
	if (statSync(path).size > mostBytes) throw new Error(`"${path}" is larger than ${mostBytes} bytes`);
	const { parse } = await import("yaml");
	const written = skinShape.safeParse(parse(readText(path) ?? "", { maxAliasCount: 10, logLevel: "error" }) ?? {});
	if (!written.success) throw new Error(`"${path}" is no skin: ${firstProblem(written.error)}`);
	const { colors, branding, tool_prefix: toolPrefix, description = "" } = written.data;
	const warnings: string[] = [];
	const taken = <T>(key: string, value: unknown, shape: z.ZodType<T>): T | undefined => {
		if (value === undefined || value === null) return undefined;
		const checked = shape.safeParse(value);
		if (!checked.success) warnings.push(`${key} of skin "${name}" is left out: it ${firstProblem(checked.error)}`);
		return checked.data;
	};
	const colours = Object.fromEntries(
		colourKeys.flatMap((key) => {
			const colour = taken(`colors.${key}`, colors[key], colourShape);
			return colour === undefined ? [] : [[key, colour.toLowerCase()]];
		}),
	);
	const promptSymbol = taken("branding.prompt_symbol", trimmed(branding.prompt_symbol), glyphShape);
	const prefix = taken("tool_prefix", toolPrefix, glyphShape);
	const glyphs = { ...(promptSymbol && { promptSymbol }), ...(prefix && { toolPrefix: prefix }) };
	return { skin: { name, description, colours, ...glyphs }, warnings };
}

/** Many skins end their sign with a space, which is there anyway. */
function trimmed(value: unknown): unknown {
	return typeof value === "string" ? value.trim() : value;
}

function firstProblem({ issues: [first] }: z.ZodError): string {
	if (first === undefined) return reasonOf(undefined);
	return first.path.length === 0 ? first.message : `${first.path.join(".")}: ${first.message}`;
}
