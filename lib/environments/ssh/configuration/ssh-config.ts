/** What ~/.ssh/config and the system's ssh_config say about one host, read as OpenSSH reads them. */

import { globSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type ConfigLine, configLines } from "./config-lines.ts";
import { matchesPatterns } from "./pattern-list.ts";

/** The host that is asked about, and who asks. */
export interface ConfigQuery {
	/** The name as the user wrote it. */
	readonly host: string;
	/** When it is set elsewhere already, which `Match user` sees. */
	readonly user: string | undefined;
	readonly localUser: string;
	/** The user's home; empty when unknown, then there is no file of the user's. */
	readonly home: string;
	/** Read alone, instead of the user's file and the system's. */
	readonly file?: string | undefined;
}

/** Settings of one host: keyword in lower case to its words. The first value counts, of `identityfile` every one. */
export type HostConfig = ReadonlyMap<string, readonly string[]>;

/** Settings that add up instead. */
const lists: ReadonlySet<string> = new Set(["identityfile", "certificatefile"]);

/** Settings that are the rest of their line. */
const commandLines: ReadonlySet<string> = new Set(["proxycommand", "remotecommand", "localcommand"]);

/** OpenSSH's own limit. */
const deepestInclude = 16;

const systemFolder = "/etc/ssh";

/** @throws {Error} When a file cannot be read or includes itself. */
export function readHostConfig(query: ConfigQuery): HostConfig {
	const values = new Map<string, string[]>();
	const userFolder = join(query.home, ".ssh");
	const read = (folder: string, file: string) => readFile(file, { query, values, folder, depth: 0 }, true);
	if (query.file !== undefined) {
		read(userFolder, query.file);
		return values;
	}
	if (query.home !== "") read(userFolder, join(userFolder, "config"));
	read(systemFolder, join(systemFolder, "ssh_config"));
	return values;
}

interface Reading {
	readonly query: ConfigQuery;
	readonly values: Map<string, string[]>;
	/** Where relative names of included files start. */
	readonly folder: string;
	readonly depth: number;
}

/** Takes in one file. `applies` is false inside a block of another host: then nothing in it counts. */
function readFile(path: string, reading: Reading, applies: boolean): void {
	if (reading.depth > deepestInclude) throw new Error(`Cannot read "${path}": too many files include each other`);
	if (!(statSync(path, { throwIfNoEntry: false })?.isFile() ?? false)) return;
	let isInBlock = true;
	for (const line of configLines(readFileSync(path, "utf8"))) {
		if (line.keyword === "host") isInBlock = matchesPatterns(reading.query.host, line.words);
		else if (line.keyword === "match") isInBlock = matchesCriteria(line.words, reading);
		else if (line.keyword === "include") include(line.words, reading, applies && isInBlock);
		else if (applies && isInBlock) take(line, reading.values);
	}
}

function include(names: readonly string[], reading: Reading, applies: boolean): void {
	for (const name of names) {
		const expanded = name.replace(/^~(?=\/)/, () => reading.query.home);
		const pattern = isAbsolute(expanded) ? expanded : join(reading.folder, expanded);
		const deeper = { ...reading, depth: reading.depth + 1 };
		for (const path of globSync(pattern).toSorted()) readFile(path, deeper, applies);
	}
}

function take({ keyword, words, rest }: ConfigLine, values: Map<string, string[]>): void {
	const value = commandLines.has(keyword) ? [rest] : [...words];
	const known = values.get(keyword);
	if (known === undefined) values.set(keyword, value);
	else if (lists.has(keyword)) known.push(...value);
}

/** `Match` lines. Criteria that would run a program, or ask for a second reading, never fit. */
function matchesCriteria(words: readonly string[], { query, values }: Reading): boolean {
	const subjects: Readonly<Record<string, string | undefined>> = {
		host: values.get("hostname")?.[0]?.replaceAll("%h", query.host) ?? query.host,
		originalhost: query.host,
		user: query.user ?? values.get("user")?.[0] ?? query.localUser,
		localuser: query.localUser,
	};
	if (words.length === 0) return false;
	for (let at = 0; at < words.length; ) {
		const word = words[at++] ?? "";
		const isNegated = word.startsWith("!");
		const criterion = word.slice(isNegated ? 1 : 0).toLowerCase();
		if (criterion === "all") continue;
		const subject = subjects[criterion];
		const fits = subject !== undefined && matchesPatterns(subject, (words[at++] ?? "").split(","));
		if (fits === isNegated) return false;
	}
	return true;
}
