/** The backends that a relay makes faster, with one in them. */

import type { Sandbox } from "../../../lib/environments/backend.ts";
import { withRelay } from "../../../lib/environments/relay/relay-sandbox.ts";
import { type OpenShellOptions, openShell, type Shell } from "../../../lib/environments/shell/shell.ts";
import { openDocker } from "../../support/docker-sandbox.ts";
import { requireService } from "../../support/required-service.ts";
import { openSingularity } from "../singularity/singularity-service.ts";
import { openSsh } from "../ssh/ssh-service.ts";

/** One of them. */
export interface RemotePlace {
	readonly name: "docker" | "ssh" | "singularity";
	/** Of the backend. */
	readonly files: "bind" | "sync";
	/** The backend as it is, opened. */
	openPlain(): Promise<OpenedPlace>;
}

/** An opened sandbox. */
export interface OpenedPlace extends AsyncDisposable {
	readonly sandbox: Sandbox;
}

async function openPlainDocker(): Promise<OpenedPlace> {
	const sandbox = await openDocker();
	return { sandbox, [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose]() };
}

/** All of them, whether or not this machine has the service. */
export const remotePlaces: readonly RemotePlace[] = [
	{ name: "docker", files: "bind", openPlain: openPlainDocker },
	{ name: "ssh", files: "sync", openPlain: () => openSsh() },
	{ name: "singularity", files: "bind", openPlain: () => openSingularity() },
];

/** Whether it can be tested here. */
export function hasPlace(place: RemotePlace): Promise<boolean> {
	return requireService(place.name, async () => {
		await using _opened = await place.openPlain();
	});
}

/** `place` with a relay in it; `onFallback` throws when it is left out. */
export async function openRelayed(place: RemotePlace, onFallback?: (line: string) => void): Promise<OpenedPlace> {
	const plain = await place.openPlain();
	const sandbox = await withRelayIn(plain.sandbox, onFallback);
	return {
		sandbox,
		async [Symbol.asyncDispose]() {
			await sandbox[Symbol.asyncDispose]();
			await plain[Symbol.asyncDispose]();
		},
	};
}

/** `sandbox` with a relay in it. @throws {Error} When no relay runs there. */
export function withRelayIn(sandbox: Sandbox, onFallback?: (line: string) => void): Promise<Sandbox> {
	const refuse = (line: string) => {
		throw new Error(line);
	};
	return withRelay(sandbox, { signal: new AbortController().signal, onFallback: onFallback ?? refuse });
}

/** A session in `sandbox`. */
export function openRemoteShell(
	sandbox: Sandbox,
	{ files }: Pick<RemotePlace, "files">,
	options: Partial<OpenShellOptions> = {},
): Promise<Shell> {
	const signal = new AbortController().signal;
	return openShell({ sandbox, files, cwd: "/tmp", environment: {}, signal, ...options });
}
