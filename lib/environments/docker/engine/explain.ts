/** Says why an engine could not be reached, and what to do about it. */

import { accessSync, constants } from "node:fs";
import type { Address, Endpoint } from "./endpoint.ts";
import { engineError } from "./engine-error.ts";

/** What the usual system errors mean for a socket, in words. */
const meanings: Readonly<Record<string, string>> = {
	ENOENT: "there is no such socket",
	EACCES: "permission denied",
	EPERM: "permission denied",
	ECONNREFUSED: "nobody answers there",
	ENOTSOCK: "it is no socket",
	ENOTFOUND: "there is no such host",
	ETIMEDOUT: "no answer in time",
};

/** One endpoint that did not answer. */
export interface Failure {
	readonly endpoint: Endpoint;
	readonly cause: unknown;
}

/** The message for endpoints that all failed. */
export function explainFailures(failures: readonly Failure[]): string {
	// A socket that is there, but closed to us, is more likely meant than those that are not there.
	const present = failures.filter(({ cause }) => engineError(cause).code !== "ENOENT");
	const shown = present.length > 0 ? present : failures;
	const lines = shown.map(({ endpoint, cause }) => `${addressText(endpoint.address)} ${why(cause)}`);
	const source = shown[0]?.endpoint.source ?? "";
	return `Cannot reach a container engine (${source}): ${lines.join("; ")}; ${adviceFor(shown)}`;
}

/** The address as the user would write it. */
function addressText(address: Address): string {
	if (address.kind === "socket") return address.path;
	if (address.kind === "ssh") return `ssh://${address.destination}${address.port ? `:${address.port}` : ""}`;
	return `${address.tls ? "https" : "tcp"}://${address.host}:${address.port}`;
}

function why(cause: unknown): string {
	const { code, status, reason } = engineError(cause);
	if (cause instanceof Error && cause.name === "TimeoutError") return "did not answer in time";
	if (status !== undefined) return `answered ${status}: ${reason}`;
	if (code === undefined) return `failed: ${reason}`;
	const meaning = meanings[code];
	return meaning === undefined ? `failed: ${code}, ${reason}` : `failed: ${code}, ${meaning}`;
}

function adviceFor(failures: readonly Failure[]): string {
	const codes = new Set(failures.map(({ cause }) => engineError(cause).code));
	if (codes.has("EACCES") || codes.has("EPERM")) {
		return "join the group that owns the socket (usermod -aG docker $USER, then log in again), or use rootless Docker or Podman";
	}
	const isRemote = failures.some(({ endpoint }) => endpoint.address.kind !== "socket");
	if (isRemote) return "check the address, and that the engine runs there";
	return "start Docker or Podman, or name its socket in DOCKER_HOST";
}

/** Why none of `endpoints` can answer; undefined when one may. Looks at sockets only, and connects to nothing. */
export function explainAbsence(endpoints: readonly Endpoint[]): string | undefined {
	const failures: Failure[] = [];
	for (const endpoint of endpoints) {
		const { address } = endpoint;
		if (address.kind !== "socket") return undefined;
		try {
			accessSync(address.path, constants.R_OK | constants.W_OK);
			return undefined;
		} catch (cause) {
			failures.push({ endpoint, cause });
		}
	}
	return explainFailures(failures);
}
