/** The ssh backend: commands run on another machine, as the user who logs in there. */

import { join } from "node:path";
import type { OpenContext } from "../backend.ts";
import { type Backend, BackendUnavailable, defineBackend, type Running, type Sandbox } from "../backend.ts";
import { createSharedLocalHost } from "../local/local-host.ts";
import { resolveDestination } from "./configuration/destination.ts";
import { createAsker } from "./connection/asker.ts";
import { createBuiltinTransport } from "./connection/builtin-transport.ts";
import { connect, nameOf } from "./connection/connect.ts";
import { createConnections } from "./connection/connections.ts";
import { createOpensshTransport } from "./openssh/openssh-transport.ts";
import { closeRemoteHost, openRemoteHost, type RemoteHost } from "./remote/remote-host.ts";
import { startRemote } from "./remote/start-remote.ts";
import { type SshSettings, settings } from "./settings.ts";
import type { Transport } from "./transport.ts";

/** One for the process, like the clients it watches over; it holds nothing until a sandbox with the ssh program opens. */
const shared = createSharedLocalHost();

/** How long closing may take: a host that is gone must not hold up the end. */
const closeLimitMs = 5_000;

const ssh: Backend<SshSettings> = defineBackend({
	name: "ssh",
	description: "Another machine over ssh, with the rights of the user who logs in there",
	config: settings,
	files: "sync",
	pty: true,

	async available({ ssh_host, ssh_transport }, { PATH = "" }) {
		if (ssh_host === "") return "terminal.ssh_host is not set";
		return ssh_transport === "openssh" && clientProgram(PATH) === null ? noClient : true;
	},

	async open(config, context) {
		if (config.ssh_host === "") throw new BackendUnavailable("Cannot use ssh: terminal.ssh_host is not set");
		const open = config.ssh_transport === "openssh" ? openClient : openBuiltin;
		const transport = await open(config, context);
		try {
			return sandboxOn(await openRemoteHost(transport, context.signal));
		} catch (cause) {
			await transport[Symbol.asyncDispose]();
			throw cause;
		}
	},
});

const noClient =
	"terminal.ssh_transport is openssh, but there is no ssh on PATH; install an ssh client or set it to builtin, which needs none";

function clientProgram(path: string): string | null {
	return Bun.which("ssh", { PATH: path });
}

async function openClient(config: SshSettings, context: OpenContext): Promise<Transport> {
	const path = context.hostEnvironment.PATH ?? "";
	const program = clientProgram(path);
	if (program === null) throw new BackendUnavailable(`Cannot use ssh: ${noClient}`);
	return createOpensshTransport(config, context, { program, host: await shared.use(path) });
}

async function openBuiltin(config: SshSettings, context: OpenContext): Promise<Transport> {
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
			const tidyUp = async () => {
				await Promise.allSettled([...alive].map((running) => running.kill()));
				await closeRemoteHost(host, AbortSignal.timeout(closeLimitMs)).catch(() => undefined);
			};
			// What cannot be tidied up any more is no reason to fail, or to wait: the session is over.
			await Promise.race([tidyUp(), Bun.sleep(closeLimitMs)]);
			await host.transport[Symbol.asyncDispose]();
		},
	};
}

export default ssh;
