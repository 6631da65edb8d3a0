/** Reads private key files, asking for the passphrase of an encrypted one. */

import { readFileSync } from "node:fs";
import type { ParsedKey } from "ssh2";
import type { Asker } from "./asker.ts";

/** A key to log in with, or why this file gives none. */
export type KeyFile = { readonly key: ParsedKey } | { readonly problem: string };

/** Tries before a passphrase counts as unknown, as in OpenSSH. */
const passphraseTries = 3;

/** The key in the file at `path`; undefined when there is no such file. */
export async function readKeyFile(path: string, asker: Asker): Promise<KeyFile | undefined> {
	const text = readIfThere(path);
	if (text === undefined || "problem" in text) return text;
	const { utils } = await import("ssh2");
	const parsed = firstKey(utils.parseKey(text.bytes));
	if (!(parsed instanceof Error)) return { key: parsed };
	if (!/passphrase/i.test(parsed.message)) return { problem: `the key file ${path} cannot be read: ${parsed.message}` };
	if (!asker.canAsk) {
		return { problem: `the key file ${path} is encrypted and nobody is here to ask for its passphrase (ssh-add it)` };
	}
	for (let attempt = 1; attempt <= passphraseTries; attempt++) {
		const passphrase = await asker.ask({ text: `Passphrase of ${path}: `, isSecret: true }, { isFresh: attempt > 1 });
		if (passphrase === undefined) return { problem: `the passphrase of ${path} was not given` };
		const opened = firstKey(utils.parseKey(text.bytes, passphrase));
		if (!(opened instanceof Error)) return { key: opened };
	}
	return { problem: `the passphrase of ${path} was wrong` };
}

function readIfThere(path: string): { readonly bytes: Buffer } | { readonly problem: string } | undefined {
	try {
		return { bytes: readFileSync(path) };
	} catch (cause) {
		const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
		return code === "ENOENT" ? undefined : { problem: `the key file ${path} cannot be read: ${code}` };
	}
}

/** A file may hold several keys; the new format of OpenSSH has one. */
function firstKey(parsed: ParsedKey | ParsedKey[] | Error): ParsedKey | Error {
	if (!Array.isArray(parsed)) return parsed;
	return parsed[0] ?? new Error("it holds no key");
}
