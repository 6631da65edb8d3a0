/** The key that clients must send: made once and kept where only its owner reads it, compared so that time tells nothing. */

import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../../../base/attempt.ts";

/** Bytes of a key that we make. */
const keyBytes = 32;
/** Characters below which a key is guessed rather than known. */
const shortestKey = 16;
/** What a header can carry as one word. */
const keyShape = /^[\x21-\x7e]+$/;

/** The key cannot be had, or is none. The message is one line and shows nothing of the key. */
export class KeyUnusable extends Error {
	override readonly name = "KeyUnusable";
}

/** `key` without white space around it. `origin` says where it is from. @throws {KeyUnusable} When it is too weak or cannot be sent. */
export function checkedKey(key: string, origin: string): string {
	const trimmed = key.trim();
	if (trimmed.length < shortestKey) {
		throw new KeyUnusable(
			`Cannot use the key of ${origin}: it has ${trimmed.length} characters, ${shortestKey} are the least`,
		);
	}
	if (!keyShape.test(trimmed)) {
		throw new KeyUnusable(`Cannot use the key of ${origin}: it has characters that no header can carry`);
	}
	return trimmed;
}

/** The key in the file at `path`. @throws {KeyUnusable} When there is none, or other users can read it. */
export function readKeyFile(path: string): string {
	const read = attempt(() => ({ text: readFileSync(path, "utf8"), mode: statSync(path).mode }));
	if (!read.ok) throw new KeyUnusable(`Cannot read the key file "${path}": ${read.reason}`);
	if (process.platform !== "win32" && (read.value.mode & 0o077) !== 0) {
		throw new KeyUnusable(`Cannot use the key file "${path}": other users can read or write it; run chmod 600 on it`);
	}
	return checkedKey(read.value.text, `"${path}"`);
}

/** The key in the file at `path`; makes both when there is no such file. @throws {KeyUnusable} */
export function keepKey(path: string): string {
	const made = attempt(() => {
		mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
		// Exclusive: of two servers that start at once, one makes the key and the other reads it.
		writeFileSync(path, `${randomBytes(keyBytes).toString("base64url")}\n`, { flag: "wx", mode: 0o600 });
	});
	const isThere = attempt(() => statSync(path));
	if (!made.ok && !isThere.ok) throw new KeyUnusable(`Cannot write the key file "${path}": ${made.reason}`);
	return readKeyFile(path);
}

/** Whether `header`, the value of Authorization, carries `key`. */
export function carriesKey(header: string | undefined | null, key: string): boolean {
	const [, sent = ""] = /^Bearer +(\S+) *$/i.exec(header ?? "") ?? [];
	// Hashes have one length whatever was sent.
	return timingSafeEqual(hash(sent), hash(key)) && sent !== "";
}

function hash(text: string): Buffer {
	return new Bun.CryptoHasher("sha256").update(text).digest();
}
