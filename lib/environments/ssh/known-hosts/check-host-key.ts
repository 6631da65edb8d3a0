/** Decides whether a server is the one that it was before, and remembers one that is new. */

import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { writeFileAtomically } from "../../../base/atomic-write.ts";
import { takeFileLock } from "../../../base/file-lock.ts";
import type { Destination } from "../configuration/destination.ts";
import { hashedName, type KnownKey, knownKeysOf } from "./known-hosts.ts";

/** The key may be trusted, or why not. */
export type KeyVerdict = { readonly isTrusted: true } | { readonly isTrusted: false; readonly reason: string };

/** How long another process may keep known_hosts locked. */
const lockLimitMs = 5_000;

/** The part of a destination that the check is about. */
export type KeyOwner = Pick<Destination, "keyName" | "knownHosts">;

/** What the check needs besides. */
export interface KeyCheck {
	/** A file that keeps two processes from writing known_hosts at once. */
	readonly knownHostsLock: string;
	/** One line for a person to read. */
	tell(line: string): void;
}

/**
 * Compares the key (in the form of the wire) with the known ones. A new host's key is written to the user's first
 * known_hosts file (`accept-new`); a key other than the known one is refused, and so is a host that only a certificate
 * authority vouches for.
 */
export async function checkHostKey(owner: KeyOwner, key: Buffer, check: KeyCheck): Promise<KeyVerdict> {
	const known = knownKeysOf(owner.keyName, [...owner.knownHosts.user, ...owner.knownHosts.system]);
	const verdict = compare(owner, key, known);
	if (verdict !== "new") return verdict;
	try {
		const isWritten = await remember(owner, key, check.knownHostsLock);
		if (isWritten) check.tell(`New host ${owner.keyName}: its key ${fingerprint(key)} is now known`);
	} catch (cause) {
		// A home that cannot be written to is no reason to stay out; ssh goes on too.
		check.tell(`Cannot remember the key of ${owner.keyName}: ${cause instanceof Error ? cause.message : cause}`);
	}
	return { isTrusted: true };
}

/** Types of the keys that are known of a host: asking the server for one of these lets it show the same key again. */
export function knownKeyTypes({ keyName, knownHosts }: KeyOwner): string[] {
	const known = knownKeysOf(keyName, [...knownHosts.user, ...knownHosts.system]);
	return [...new Set(known.filter(({ marker }) => marker === undefined).map(({ type }) => type))];
}

/** As OpenSSH shows it: `SHA256:` and the hash of the key in base64 without padding. */
export function fingerprint(key: Uint8Array): string {
	return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}

function compare({ keyName, knownHosts }: KeyOwner, key: Buffer, known: readonly KnownKey[]): KeyVerdict | "new" {
	const offered = key.toString("base64");
	const shown = `${typeOf(key)} ${fingerprint(key)}`;
	const refuse = (reason: string): KeyVerdict => ({ isTrusted: false, reason });
	const revoked = known.find((line) => line.marker === "revoked" && line.key === offered);
	if (revoked !== undefined) return refuse(`its key ${shown} is revoked in ${revoked.place}`);
	const plain = known.filter(({ marker }) => marker === undefined);
	if (plain.some((line) => line.key === offered)) return { isTrusted: true };
	const before = plain.find(({ type }) => type === typeOf(key)) ?? plain[0];
	if (before !== undefined) {
		const expected = `${before.type} ${fingerprint(Buffer.from(before.key, "base64"))}`;
		const remedy = `if that is right, remove the old one with: ssh-keygen -R '${keyName}'`;
		return refuse(`its key has changed: it shows ${shown}, but ${before.place} has ${expected}; ${remedy}`);
	}
	const authority = known.find(({ marker }) => marker === "cert-authority");
	if (authority !== undefined) {
		const remedy = "which only the ssh program can check; set terminal.ssh_transport to openssh";
		return refuse(`it is known through a certificate authority (${authority.place}), ${remedy}`);
	}
	if (!knownHosts.isStrict) return "new";
	return refuse(`it is not in known_hosts (it shows ${shown}), and ~/.ssh/config says StrictHostKeyChecking yes`);
}

/** A key begins with the length and the text of its type. */
function typeOf(key: Buffer): string {
	return key.subarray(4, 4 + key.readUInt32BE(0)).toString("latin1");
}

async function remember({ keyName, knownHosts }: KeyOwner, key: Buffer, lockPath: string): Promise<boolean> {
	const [file] = knownHosts.user;
	// Who names /dev/null wants nothing remembered; it must not be replaced by a file.
	if (file === undefined || statSync(file, { throwIfNoEntry: false })?.isFile() === false) return false;
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	// Two sessions may learn of two hosts at once; ssh itself appends without a lock, so the file is read again.
	using _lock = await takeFileLock(lockPath, AbortSignal.timeout(lockLimitMs));
	const text = statSync(file, { throwIfNoEntry: false }) === undefined ? "" : readFileSync(file, "utf8");
	const line = `${writtenName(keyName, knownHosts.hashesNames)} ${typeOf(key)} ${key.toString("base64")}\n`;
	const start = text === "" || text.endsWith("\n") ? text : `${text}\n`;
	writeFileAtomically(file, start + line, { newMode: 0o600 });
	return true;
}

function writtenName(name: string, isHashed: boolean): string {
	if (!isHashed) return name;
	const salt = randomBytes(20);
	return `|1|${salt.toString("base64")}|${hashedName(name, salt)}`;
}
