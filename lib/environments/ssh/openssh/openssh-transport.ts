/** Runs lines through the ssh program of this machine, whose clients share one connection. */

import { rmSync, statSync } from "node:fs";
import { BackendUnavailable, type OpenContext } from "../../backend.ts";
import type { LocalHost } from "../../local/local-host.ts";
import { startLocal } from "../../local/start-local.ts";
import { type SshSettings, usualPort } from "../settings.ts";
import type { LineRequest, RemoteLine, Transport } from "../transport.ts";
import { type ClientCall, clientCall } from "./client-arguments.ts";
import { controlFolder } from "./control-folder.ts";

/** After the end: how long the streams may be silent, and how long this may go on. What a program's own child says last (`tee`). */
const silentMs = 200;
const lingerMs = 1_000;

/** What a transport needs of this machine. */
export interface ClientHost {
	readonly host: LocalHost & Disposable;
	/** The ssh client, absolute. */
	readonly program: string;
}

/** A transport through the client. It closes `host`, and leaves the connection to those who share it. */
export function createOpensshTransport(settings: SshSettings, context: OpenContext, client: ClientHost): Transport {
	const { hostEnvironment } = context;
	const place = { folder: controlFolder(hostEnvironment), home: hostEnvironment.HOME ?? "" };
	const call = clientCall(client.program, settings, place);
	const destination = shownDestination(settings);
	// What a terminal there is taken for; ours may be none.
	const env = { ...hostEnvironment, TERM: "xterm-256color" };
	const start = (words: readonly string[], { hasInput, signal }: Pick<LineRequest, "hasInput" | "signal">) =>
		startLocal(client.host, words, { env, cwd: "/", stdin: hasInput ? "pipe" : "none", control: true, signal });
	const ensureMaster = createMaster(call, destination, (signal) => start(call.master, { hasInput: false, signal }));
	return {
		destination,
		needsEndReport: true,
		async run({ line, hasInput, pty, signal }) {
			await ensureMaster(signal);
			const words = [...call.session, pty === undefined ? "-T" : "-tt", "--", settings.ssh_host, line];
			return remoteLine(start(words, { hasInput, signal }));
		},
		async [Symbol.asyncDispose]() {
			client.host[Symbol.dispose]();
		},
	};
}

type Client = ReturnType<typeof startLocal>;

/**
 * Opens the shared connection when there is none. No other client may do that: it would leave the connection's process behind
 * as part of a call, and it would end with that call.
 */
function createMaster(call: ClientCall, destination: string, start: (signal: AbortSignal) => Client) {
	let opening: Promise<void> | undefined;
	const open = async (signal: AbortSignal) => {
		const client = start(signal);
		const [code, said] = await Promise.all([client.exited, new Response(client.control).text()]);
		if (code !== 0)
			throw new BackendUnavailable(
				`Cannot connect to "${destination}" over ssh: ${said.trim() || `ssh ended with code ${code}`}`,
			);
	};
	return async (signal: AbortSignal) => {
		if (await isListening(call.socket)) return;
		opening ??= open(signal).finally(() => {
			opening = undefined;
		});
		await opening;
	};
}

/** A client that was killed leaves a socket behind that leads nowhere. */
async function isListening(socket: string): Promise<boolean> {
	if (statSync(socket, { throwIfNoEntry: false }) === undefined) return false;
	try {
		const connection = await Bun.connect({ unix: socket, socket: { data() {} } });
		connection.end();
		return true;
	} catch {
		rmSync(socket, { force: true });
		return false;
	}
}

function remoteLine(client: Client): RemoteLine {
	return {
		stdin: client.stdin,
		output: client.output,
		errors: client.control ?? new Blob([]).stream(),
		exited: client.exited,
		settled: (received) => settled(received, client.exited),
		abandon: () => void client.kill("SIGTERM"),
	};
}

/** The client ends with the last writer on the other side; where one goes on, silence has to do. */
async function settled(received: () => number, exited: Promise<number>): Promise<void> {
	const giveUpAt = performance.now() + lingerMs;
	for (let before = -1; before !== received() && performance.now() < giveUpAt; ) {
		before = received();
		const next = await Promise.race([exited, Bun.sleep(silentMs).then(() => "silent")]);
		// Both streams end by themselves then, when what is left of them has been read.
		if (next !== "silent") return Promise.withResolvers<void>().promise;
	}
}

function shownDestination({ ssh_user, ssh_host, ssh_port }: SshSettings): string {
	const host = ssh_port === usualPort ? ssh_host : `${ssh_host}:${ssh_port}`;
	return ssh_user === "" ? host : `${ssh_user}@${host}`;
}
