/** Reads known_hosts files: which keys a host may have. */

import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { matchesPatterns } from "../configuration/pattern-list.ts";

/** One line that is about the host. */
export interface KnownKey {
	/** `@revoked`: this key is known to be bad; `@cert-authority`: it signs the keys of hosts. */
	readonly marker: "revoked" | "cert-authority" | undefined;
	/** `ssh-ed25519` and the like. */
	readonly type: string;
	/** The key itself, base64. */
	readonly key: string;
	/** Where it stands, for messages: `file:line`. */
	readonly place: string;
}

/** What the files know of the host with this name (`host`, or `[host]:port`). Files that are not there know nothing. */
export function knownKeysOf(name: string, files: readonly string[]): KnownKey[] {
	return files.flatMap((file) => {
		const lines = readIfThere(file).split("\n");
		return lines.flatMap((line, index) => keyOf(line, name, `${file}:${index + 1}`));
	});
}

function readIfThere(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch (cause) {
		// One that may not be read could hold the key of this host: that is for the caller to know.
		if (cause instanceof Error && "code" in cause && /^(?:ENOENT|ENOTDIR)$/.test(String(cause.code))) return "";
		throw cause;
	}
}

function keyOf(line: string, name: string, place: string): KnownKey[] {
	const words = line.trim().split(/\s+/);
	const marker = words[0]?.startsWith("@") ? words.shift()?.slice(1) : undefined;
	const [names, type, key] = words;
	if (names === undefined || names.startsWith("#") || type === undefined || key === undefined) return [];
	if (marker !== undefined && marker !== "revoked" && marker !== "cert-authority") return [];
	return isNamed(names, name) ? [{ marker, type, key, place }] : [];
}

function isNamed(names: string, name: string): boolean {
	const hashed = /^\|1\|([^|]+)\|([^|]+)$/.exec(names);
	if (hashed === null) return matchesPatterns(name, names.split(","));
	const [, salt = "", hash] = hashed;
	return hashedName(name, Buffer.from(salt, "base64")) === hash;
}

/** HMAC-SHA1 of the name in lower case, base64: what stands behind the salt in `|1|salt|hash`. */
export function hashedName(name: string, salt: Uint8Array): string {
	return createHmac("sha1", salt).update(name.toLowerCase()).digest("base64");
}
