/** Brings config.yaml to the layout of now: settings move to their new places, and the file as it was stays beside it. */

import { writeFileSync } from "node:fs";
import type { Document } from "yaml";
import { attempt } from "../../base/attempt.ts";
import { ConfigInvalid } from "../config-invalid.ts";
import { isMap } from "../expand.ts";
import { changeFile, configPath } from "../files.ts";
import { parseYaml } from "../yaml.ts";
import { layoutVersion, listed, type MigrationPlan, planMigration, valueAt } from "./older-names.ts";

/** What was done. */
export interface Migrated extends MigrationPlan {
	/** The file as it was; undefined when nothing had to be changed, or nothing was to be written. */
	readonly backup: string | undefined;
}

/** Whether there is something to do. */
export function isNeeded({ moves, version }: MigrationPlan): boolean {
	return moves.length > 0 || (version !== undefined && version < layoutVersion);
}

/**
 * Migrates config.yaml of `home`; with `writes: false` it only says what it would do. The new text is read again before it takes
 * the place of the old one: it must say what the old one said, at the new places.
 * @throws {ConfigInvalid} When the file is broken, is of a later layout, or cannot be written anew without losing something.
 */
export async function migrateConfig(
	home: string,
	{ now, writes }: { readonly now: Date; readonly writes: boolean },
): Promise<Migrated> {
	const file = configPath(home);
	let done: Migrated = { moves: [], left: [], version: undefined, backup: undefined };
	await changeFile(file, home, async (source) => {
		const before = await parseYaml(file, source);
		const content = before.content ?? {};
		if (!isMap(content)) throw new ConfigInvalid(`Cannot migrate "${file}": it holds no keys`);
		const plan = planMigration(content);
		if (plan.version !== undefined && plan.version > layoutVersion) {
			throw new ConfigInvalid(
				`Cannot migrate "${file}": its layout ${plan.version} is later than ${layoutVersion}, the latest this hermes knows; update hermes`,
			);
		}
		done = { ...plan, backup: undefined };
		if (!isNeeded(plan) || !writes) return source;
		const wanted = migrated(content, plan);
		const made = attempt(() => withMoves(before.document, plan));
		const text = made.ok ? made.value : source;
		if (!Bun.deepEquals((await parseYaml(file, text)).content, wanted)) {
			throw new ConfigInvalid(
				`Cannot migrate "${file}": it would say something else afterwards; move by hand: ${listed(plan.moves)}`,
			);
		}
		done = { ...plan, backup: backUp(file, source, now) };
		return text;
	});
	return done;
}

type Content = Record<string, unknown>;

/** What the file has to say afterwards. */
function migrated(content: Readonly<Content>, { moves }: MigrationPlan): Content {
	const wanted: Content = structuredClone({ ...content });
	for (const { from, to, value } of moves) {
		remove(wanted, from);
		put(wanted, to, value);
	}
	wanted._config_version = layoutVersion;
	return wanted;
}

function put(content: Content, [name = "", ...rest]: readonly string[], value: unknown): void {
	if (rest.length === 0) {
		content[name] = value;
		return;
	}
	const below = mapOf(name, content[name]);
	content[name] = below;
	put(below, rest, value);
}

/** Sections that are left empty go too. */
function remove(content: Content, [name = "", ...rest]: readonly string[]): void {
	const below = content[name];
	if (rest.length > 0 && isMap(below)) remove(below, rest);
	if (rest.length === 0 || (isMap(below) && Object.keys(below).length === 0)) delete content[name];
}

/** A model that is a lone text is the name of the usual one. */
function mapOf(name: string, value: unknown): Content {
	if (isMap(value)) return value;
	return name === "model" && typeof value === "string" && value !== "" ? { default: value } : {};
}

/** The text with the moves made in it; comments and order of the rest stay. */
function withMoves(document: Document, { moves }: MigrationPlan): string {
	for (const { from, to, value } of moves) {
		document.deleteIn(from);
		for (let depth = from.length - 1; depth > 0 && isEmptyAt(document, from.slice(0, depth)); depth--)
			document.deleteIn(from.slice(0, depth));
		makeRoom(document, to);
		document.setIn(to, value);
	}
	document.setIn(["_config_version"], layoutVersion);
	return document.toString({ lineWidth: 0 });
}

function isEmptyAt(document: Document, path: readonly string[]): boolean {
	const content: unknown = document.toJS();
	const value = isMap(content) ? valueAt(content, path) : undefined;
	return isMap(value) && Object.keys(value).length === 0;
}

/** Makes maps of what is no map, or not there, above the last part of `path`. */
function makeRoom(document: Document, path: readonly string[]): void {
	for (let depth = 1; depth < path.length; depth++) {
		const above = path.slice(0, depth);
		const value: unknown = document.getIn(above);
		if (!isCollection(value)) document.setIn(above, document.createNode(mapOf(above.join("."), value)));
	}
}

function isCollection(value: unknown): boolean {
	return typeof value === "object" && value !== null && "items" in value;
}

/** Nobody's earlier copy is written over. */
function backUp(file: string, source: string, now: Date): string {
	const stamp = now.toISOString().replaceAll(/[-:]/g, "").slice(0, 15);
	const path = `${file}.before-migration-${stamp}-${crypto.randomUUID().slice(0, 4)}`;
	writeFileSync(path, source, { mode: 0o600, flag: "wx" });
	return path;
}
