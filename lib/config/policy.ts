/** The policy of a machine: what its administrator has decided and no user of it can loosen. */

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import type { ZodError } from "zod";
import { ConfigInvalid } from "./config-invalid.ts";
import { parseYaml, place } from "./yaml.ts";

/** Where the policy is, and who must own it. Tests give their own; nothing a user can set does. */
export interface PolicySource {
	readonly path: string;
	/** User id. */
	readonly owner: number;
}

/** The policy of this machine. */
export const systemPolicy: PolicySource = { path: "/etc/hermes/policy.yaml", owner: 0 };

/** From the strictest to the loosest. */
export const approvalsModes = ["manual", "smart", "off"] as const;

/** What the administrator has decided; what is left out is the user's to choose. */
export interface Policy {
	readonly path: string;
	/** Backends that commands may run on. Users who choose none get the first. */
	readonly allowedBackends?: readonly string[] | undefined;
	/** Every session is pinned to its backend. */
	readonly pin?: boolean | undefined;
	/** Users may be stricter. */
	readonly approvalsMode?: (typeof approvalsModes)[number] | undefined;
	/** The audit log is written, and nothing runs that cannot be written to it. */
	readonly audit?: boolean | undefined;
}

/**
 * The policy at `source`, or undefined when there is none. It counts only when nobody but its owner can change it.
 * @throws {ConfigInvalid} When there is one that is broken, unreadable or not safe: it must not be ignored.
 */
export async function loadPolicy({ path, owner }: PolicySource = systemPolicy): Promise<Policy | undefined> {
	// Windows has neither this folder nor owners of that kind.
	if (process.platform === "win32" || !isThere(path)) return undefined;
	checkOwner(path, lstatSync(dirname(path)), { owner, what: "its folder" });
	const source = readOwned(path, owner);
	const { content, keyPositionOf, positionOf } = await parsed(path, source);
	const parsedPolicy = (await policySchema()).safeParse(content ?? {});
	if (parsedPolicy.success) return { path, ...parsedPolicy.data };
	const { keys, message, isUnknown } = firstProblem(parsedPolicy.error);
	throw refused(place(path, (isUnknown ? keyPositionOf : positionOf)(keys)), message);
}

/** A policy on one line, in the words of its file. */
export function describePolicy({ path, allowedBackends, pin, approvalsMode, audit }: Policy): string {
	const said = [
		...(allowedBackends === undefined ? [] : [`allowed_backends: ${allowedBackends.join(", ")}`]),
		...(pin === undefined ? [] : [`pin: ${pin}`]),
		...(approvalsMode === undefined ? [] : [`approvals_mode: ${approvalsMode}`]),
		...(audit === undefined ? [] : [`audit: ${audit}`]),
	];
	return `${path}: ${said.length === 0 ? "decides nothing" : said.join("; ")}`;
}

/** Reading costs a system call when there is no policy, and zod only when there is one. */
async function policySchema() {
	const { z } = await import("zod");
	const keys = z.strictObject({
		allowed_backends: z.array(z.string().min(1)).min(1).optional(),
		pin: z.boolean().optional(),
		approvals_mode: z.preprocess((value) => (value === false ? "off" : value), z.enum(approvalsModes)).optional(),
		audit: z.boolean().optional(),
	});
	return keys.transform(({ allowed_backends, pin, approvals_mode, audit }) => ({
		allowedBackends: allowed_backends,
		pin,
		approvalsMode: approvals_mode,
		audit,
	}));
}

function isThere(path: string): boolean {
	try {
		return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
	} catch (cause) {
		throw refused(path, `it cannot be looked at (${codeOf(cause)})`, cause);
	}
}

/** The file that was checked is the one that is read. */
function readOwned(path: string, owner: number): string {
	let descriptor: number;
	try {
		descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
	} catch (cause) {
		const reason = codeOf(cause) === "ELOOP" ? "it is a symbolic link" : `it cannot be read (${codeOf(cause)})`;
		throw refused(path, reason, cause);
	}
	try {
		const found = fstatSync(descriptor);
		if (!found.isFile()) throw refused(path, "it is not a file");
		checkOwner(path, found, { owner, what: "it" });
		return readFileSync(descriptor, "utf8");
	} finally {
		closeSync(descriptor);
	}
}

function checkOwner(path: string, found: Stats, { owner, what }: { readonly owner: number; readonly what: string }) {
	if (found.isSymbolicLink()) throw refused(path, `${what} is a symbolic link`);
	if (found.uid !== owner) throw refused(path, `${what} belongs to user ${found.uid} and not to ${nameOf(owner)}`);
	if ((found.mode & 0o022) !== 0) throw refused(path, `others than its owner can write to ${what}`);
}

function nameOf(owner: number): string {
	return owner === 0 ? "root" : `user ${owner}`;
}

async function parsed(path: string, source: string) {
	try {
		return await parseYaml(path, source);
	} catch (cause) {
		if (cause instanceof ConfigInvalid) throw refused(path, cause.message.replace(/^Cannot read "[^"]*": /, ""), cause);
		throw cause;
	}
}

function firstProblem({ issues: [issue] }: ZodError): { keys: string[]; message: string; isUnknown: boolean } {
	const keys = issue?.path.map(String) ?? [];
	if (issue?.code === "unrecognized_keys") {
		return { keys: issue.keys.slice(0, 1), message: `unknown key ${issue.keys.join(", ")}`, isUnknown: true };
	}
	const where = keys.length === 0 ? "" : `${keys.join(".")}: `;
	return { keys, message: `${where}${issue?.message ?? "it is not a policy"}`, isUnknown: false };
}

function refused(where: string, state: string, cause?: unknown): ConfigInvalid {
	return new ConfigInvalid(
		`Cannot use the policy "${where}": ${state}; nothing runs until the administrator of this machine has mended it`,
		{ cause },
	);
}

function codeOf(cause: unknown): string {
	return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
}
