/** The audit log: who ran what, where, by whose consent, and what came of it. One JSON object a line, nobody else's to read. */

import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { attempt } from "../base/attempt.ts";
import { logFolder } from "./logger.ts";
import { openRotatingFile } from "./rotating-file.ts";

/** One line without its time and user. */
export interface AuditEntry {
	/** A call that was denied has this one line; every other has one before it runs and one after. */
	readonly event: "started" | "ended" | "denied";
	/** The same in both lines of a call. */
	readonly call: string;
	readonly session: string;
	/** What the call came through: `cli`, `tools`, `exec`, `demo`. */
	readonly surface: string;
	readonly backend: string;
	readonly ran_on: string;
	readonly tool: string;
	readonly command?: string | undefined;
	readonly path?: string | undefined;
	readonly verdict: "allowed" | "denied";
	/** Whose consent, or why not. */
	readonly reason: string;
	readonly exit_code?: number | undefined;
	/** The call did not do what it was asked for; its error is not in the log. */
	readonly is_error?: boolean | undefined;
	readonly duration_ms?: number | undefined;
}

/** An open audit log. */
export interface Audit extends Disposable {
	/**
	 * Writes one line at once.
	 * @throws {AuditFailed} When it cannot be written and must be.
	 */
	write(entry: AuditEntry): void;
}

/** How the log is kept. */
export interface AuditOptions {
	/** HERMES_HOME. */
	readonly home: string;
	/** Takes secrets out of commands, paths and reasons. */
	readonly redact: (text: string) => string;
	/** Nothing may run that is not written down. */
	readonly isRequired: boolean;
	/** Told once when it cannot be written and need not be. */
	onFailure(reason: string): void;
	readonly now?: () => Date;
}

/** A call stops here because it could not be written down. */
export class AuditFailed extends Error {
	override readonly name = "AuditFailed";
}

/** The audit log of `home`. */
export function auditPath(home: string): string {
	return join(logFolder(home), "audit.jsonl");
}

/** Opens the audit log; no file is touched before the first line. It is never rotated: that is the administrator's to do. */
export function openAudit({ home, redact, isRequired, onFailure, now = () => new Date() }: AuditOptions): Audit {
	const path = auditPath(home);
	const file = openRotatingFile({ path, maxBytes: Number.POSITIVE_INFINITY, backups: 0 });
	const user = userName();
	let hasFailed = false;
	return {
		write(entry) {
			const line = JSON.stringify({ time: now().toISOString(), user, ...redacted(entry, redact) });
			try {
				file.append(`${line}\n`);
			} catch (cause) {
				const reason = `Cannot write the audit log "${path}": ${cause instanceof Error ? cause.message : cause}`;
				if (isRequired)
					throw new AuditFailed(`${reason}; the policy of this machine lets nothing run without it`, { cause });
				if (!hasFailed) onFailure(reason);
				hasFailed = true;
			}
		},
		[Symbol.dispose]: () => file[Symbol.dispose](),
	};
}

function redacted(entry: AuditEntry, redact: (text: string) => string): AuditEntry {
	const { command, path, reason } = entry;
	return {
		...entry,
		...(command !== undefined && { command: redact(command) }),
		...(path !== undefined && { path: redact(path) }),
		reason: redact(reason),
	};
}

/** By the id of the process: `USER`, which Bun's `userInfo()` believes, can be set to anything. */
function userName(): string {
	const uid = process.getuid?.();
	if (uid === undefined) return userInfo().username;
	const row = attempt(() => readFileSync("/etc/passwd", "utf8"));
	const names = row.ok ? row.value.split("\n").map((line) => line.split(":")) : [];
	// Users of a directory service, and ids in a container, have no row.
	return names.find(([, , id]) => id === String(uid))?.[0] ?? `uid ${uid}`;
}
