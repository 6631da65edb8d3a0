/** Where scripts are tried: every backend, with each way for their calls that it has. */

import { openShell, type Shell } from "../../lib/environments/shell/shell.ts";
import type { TransportName } from "../../lib/rpc/transports/transport.ts";
import { hasDaytona, openDaytona } from "../environments/daytona/daytona-service.ts";
import { hasModalServer, openModal } from "../environments/modal/modal-place.ts";
import {
	hasPlace,
	type OpenedPlace,
	openRemoteShell,
	type RemotePlace,
	remotePlaces,
	withRelayIn,
} from "../environments/relay/remote-places.ts";
import { startDaytonaServer } from "../support/daytona-server/server.ts";
import { openLocal, openLocalShell } from "../support/local-sandbox.ts";
import { startModalServer } from "../support/modal-server/start-server.ts";

/** One of them. */
export interface ScriptPlace {
	readonly name: string;
	/** The way that is asked for; another one than the usual only on this machine. */
	readonly transport: TransportName;
	/** Fewer than the usual 50 where each takes its time. */
	readonly maxCalls: number;
	available(): Promise<boolean>;
	/** Disposing it closes the sandbox, too. */
	open(): Promise<{ readonly shell: Shell } & AsyncDisposable>;
}

const onThisMachine = (["unix", "tcp", "files"] as const).map(
	(transport): ScriptPlace => ({
		name: `local, ${transport}`,
		transport,
		maxCalls: 50,
		available: async () => true,
		async open() {
			const sandbox = await openLocal();
			const shell = await openLocalShell(sandbox);
			return together(shell, sandbox);
		},
	}),
);

/** A backend whose sandboxes are not on this machine, as it is. */
type RemoteBackend = Pick<RemotePlace, "files" | "openPlain"> & {
	readonly name: string;
	available(): Promise<boolean>;
};

const allBackends: readonly RemoteBackend[] = [
	...remotePlaces.map((place) => ({ ...place, available: () => hasPlace(place) })),
	{ name: "modal", files: "sync", available: hasModalServer, openPlain: openOnModal },
	{ name: "daytona", files: "sync", available: hasDaytona, openPlain: openOnDaytona },
];

/** Each is tried once, however many ways for calls it has. */
const backends = allBackends.map((backend): RemoteBackend => {
	let tried: Promise<boolean> | undefined;
	return {
		...backend,
		available() {
			tried ??= backend.available();
			return tried;
		},
	};
});

const remote = backends.flatMap((backend): ScriptPlace[] => [
	{
		name: `${backend.name}, relay`,
		transport: "relay",
		maxCalls: 50,
		available: backend.available,
		async open() {
			const plain = await backend.openPlain();
			const sandbox = await withRelayIn(plain.sandbox);
			return together(await openRemoteShell(sandbox, backend), {
				async [Symbol.asyncDispose]() {
					await sandbox[Symbol.asyncDispose]();
					await plain[Symbol.asyncDispose]();
				},
			});
		},
	},
	{
		name: `${backend.name}, without relay`,
		transport: "files",
		maxCalls: 10,
		available: backend.available,
		async open() {
			const plain = await backend.openPlain();
			return together(await openRemoteShell(plain.sandbox, backend), plain);
		},
	},
]);

async function openOnModal(): Promise<OpenedPlace> {
	const server = await startModalServer();
	const sandbox = await openModal(server);
	return {
		sandbox,
		async [Symbol.asyncDispose]() {
			await sandbox[Symbol.asyncDispose]();
			await server[Symbol.asyncDispose]();
		},
	};
}

async function openOnDaytona(): Promise<OpenedPlace> {
	const server = startDaytonaServer();
	const place = await openDaytona(server);
	return {
		sandbox: place.sandbox,
		async [Symbol.asyncDispose]() {
			await place[Symbol.asyncDispose]();
			await server[Symbol.asyncDispose]();
		},
	};
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
