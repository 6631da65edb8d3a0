/** Where scripts are tried: every backend, with each way for their calls that it has. */

import { openShell, type Shell } from "../../lib/environments/shell/shell.ts";
import type { TransportName } from "../../lib/rpc/transports/transport.ts";
import {
	hasPlace,
	openRelayed,
	openRemoteShell,
	type RemotePlace,
	remotePlaces,
} from "../environments/relay/remote-places.ts";
import { openLocal, openLocalShell } from "../support/local-sandbox.ts";

/** One of them. */
export interface ScriptPlace {
	readonly name: string;
	/** The way that is asked for; another one than the usual only on this machine. */
	readonly transport: TransportName;
	available(): Promise<boolean>;
	/** Disposing it closes the sandbox, too. */
	open(): Promise<{ readonly shell: Shell } & AsyncDisposable>;
}

const onThisMachine = (["unix", "tcp", "files"] as const).map(
	(transport): ScriptPlace => ({
		name: `local, ${transport}`,
		transport,
		available: async () => true,
		async open() {
			const sandbox = await openLocal();
			const shell = await openLocalShell(sandbox);
			return together(shell, sandbox);
		},
	}),
);

const remote = remotePlaces.flatMap((place): ScriptPlace[] => [
	{
		name: `${place.name}, relay`,
		transport: "relay",
		available: () => hasPlace(place),
		async open() {
			const opened = await openRelayed(place);
			return together(await openRemoteShell(opened.sandbox, place), opened);
		},
	},
	{
		name: `${place.name}, without relay`,
		transport: "files",
		available: () => hasPlace(place),
		open: () => openPlain(place),
	},
]);

async function openPlain(place: RemotePlace) {
	const opened = await place.openPlain();
	return together(await openRemoteShell(opened.sandbox, place), opened);
}

function together(shell: Shell, sandbox: AsyncDisposable): { readonly shell: Shell } & AsyncDisposable {
	return {
		shell,
		async [Symbol.asyncDispose]() {
			await shell[Symbol.asyncDispose]();
			await sandbox[Symbol.asyncDispose]();
		},
	};
}

/** All of them, whether or not this machine has the service. */
export const scriptPlaces: readonly ScriptPlace[] = [...onThisMachine, ...remote];

/** A session on this machine in `cwd`. */
export async function openHere(cwd = "/tmp", environment: Readonly<Record<string, string>> = {}) {
	const sandbox = await openLocal();
	const plain = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/nonexistent", LANG: "C.UTF-8" };
	const { signal } = new AbortController();
	const shell = await openShell({ sandbox, files: "host", cwd, environment: { ...plain, ...environment }, signal });
	return together(shell, sandbox);
}
