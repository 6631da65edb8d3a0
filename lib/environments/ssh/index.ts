/** The ssh backend: commands run on another machine, as the user who logs in there. */

import { join } from "node:path";
import type { OpenContext } from "../backend.ts";
import { type Backend, BackendUnavailable, defineBackend, type Running, type Sandbox } from "../backend.ts";
import { resolveDestination } from "./configuration/destination.ts";
import { createAsker } from "./connection/asker.ts";
import { createBuiltinTransport } from "./connection/builtin-transport.ts";
import { connect, nameOf } from "./connection/connect.ts";
import { createConnections } from "./connection/connections.ts";
import { closeRemoteHost, openRemoteHost, type RemoteHost } from "./remote/remote-host.ts";
import { startRemote } from "./remote/start-remote.ts";
import { type SshSettings, settings } from "./settings.ts";
import type { Transport } from "./transport.ts";

/** How long closing may take: a host that is gone must not hold up the end. */
const closeLimitMs = 5_000;

const ssh: Backend<SshSettings> = defineBackend({
	name: "ssh",
	description: "Another machine over ssh, with the rights of the user who logs in there",
	config: settings,
	files: "sync",
	pty: true,

	async available({ ssh_host }) {
		return ssh_host === "" ? "terminal.ssh_host is not set" : true;
	},

	async open(config, context) {
		if (config.ssh_host === "") throw new BackendUnavailable("Cannot use ssh: terminal.ssh_host is not set");
		const transport = openTransport(config, context);
		try {
			return sandboxOn(await openRemoteHost(transport, context.signal));
		} catch (cause) {
			await transport[Symbol.asyncDispose]();
			throw cause;
		}
	},
});

function openTransport(config: SshSettings, context: OpenContext): Transport {
	const destination = resolveDestination(config, context.hostEnvironment);
	const asker = createAsker(context);
	const options = {
		asker,
		knownHostsLock: join(context.home, "known-hosts.lock"),
		tell: (line: string) => context.onProgress?.(line),
	};
	const connections = createConnections(
		(signal) => connect(destination, { ...options, signal }),
		() => !asker.hasAsked,
	);
	return createBuiltinTransport(connections, nameOf(destination));
}

function sandboxOn(host: RemoteHost): Sandbox {
	const alive = new Set<Running>();
	return {
		ranOn: `ssh:${host.transport.destination}`,
		async start(argv, options) {
			const running = await startRemote(host, argv, options);
			alive.add(running);
			const forget = () => void alive.delete(running);
			running.exited.then(forget, forget);
			return running;
		},
		async [Symbol.asyncDispose]() {
			const limit = AbortSignal.timeout(closeLimitMs);
			// What cannot be tidied up any more is no reason to fail: the session is over.
			await Promise.allSettled([...alive].map((running) => running.kill()));
			await closeRemoteHost(host, limit).catch(() => undefined);
			await host.transport[Symbol.asyncDispose]();
		},
	};
}

export default ssh;
