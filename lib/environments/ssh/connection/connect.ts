/** Opens one connection to a host, through its jump hosts if it has any. */

import type { Client, ClientChannel, ClientErrorExtensions, ServerHostKeyAlgorithm } from "ssh2";
import { untilAborted } from "../../../base/abort.ts";
import { BackendUnavailable } from "../../backend.ts";
import type { Destination } from "../configuration/destination.ts";
import { checkHostKey, knownKeyTypes } from "../known-hosts/check-host-key.ts";
import { usualPort } from "../settings.ts";
import type { Asker } from "./asker.ts";
import { createAuthentication } from "./authenticate.ts";

/** What a connection needs from outside. */
export interface ConnectOptions {
	readonly asker: Asker;
	/** A file that keeps two processes from writing known_hosts at once. */
	readonly knownHostsLock: string;
	/** Ends the opening, not the connection. */
	readonly signal: AbortSignal;
	/** One line for a person to read. */
	tell(line: string): void;
}

/** An open connection. */
export interface Connection extends Disposable {
	readonly client: Client;
	/** Settles when the connection is gone, with why. */
	readonly lost: Promise<string>;
	readonly isLost: boolean;
}

/** How often a running time limit is looked at: it stands still while a person is asked. */
const limitStepMs = 250;

const rsaAlgorithms: readonly ServerHostKeyAlgorithm[] = ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"];
const hostKeyAlgorithms: readonly ServerHostKeyAlgorithm[] = [
	"ssh-ed25519",
	"ecdsa-sha2-nistp256",
	"ecdsa-sha2-nistp384",
	"ecdsa-sha2-nistp521",
	...rsaAlgorithms,
];

/**
 * Connects and logs in.
 * @throws {BackendUnavailable} With the reason, when the host cannot be reached, is not the known one or lets nobody in.
 */
export async function connect(destination: Destination, options: ConnectOptions): Promise<Connection> {
	using opening = new DisposableStack();
	let through: Connection | undefined;
	for (const hop of [...destination.jumps, destination]) {
		through = opening.use(await connectHop(hop, through?.client, options));
	}
	if (through === undefined) throw new Error("Cannot connect: there is no destination");
	const { client, lost } = through;
	const opened = opening.move();
	const isLost = () => through?.isLost ?? true;
	return {
		client,
		lost,
		get isLost() {
			return isLost();
		},
		[Symbol.dispose]: () => opened.dispose(),
	};
}

/** What the events of a client come to. */
interface Watched {
	readonly ready: Promise<void>;
	readonly lost: Promise<string>;
	readonly isLost: boolean;
	/** Ends the opening with this reason, unless there is one already. */
	fail(reason: string, cause?: unknown): void;
}

async function connectHop(hop: Destination, via: Client | undefined, options: ConnectOptions): Promise<Connection> {
	const sock = via === undefined ? undefined : await forward(via, hop);
	const { Client } = await import("ssh2");
	const client = new Client();
	const watched = watch(client, hop);
	const { handler, explain } = createAuthentication(hop, options.asker, () =>
		watched.fail(`the login was refused: ${explain()}`),
	);
	try {
		client.connect({
			...(sock === undefined ? { host: hop.host, port: hop.port } : { sock }),
			username: hop.user,
			authHandler: handler,
			hostVerifier: verifierOf(hop, options, watched),
			algorithms: { serverHostKey: preferredAlgorithms(hop) },
			keepaliveInterval: hop.keepAlive.intervalMs,
			keepaliveCountMax: hop.keepAlive.count,
			// Ours stands still while a person is asked.
			readyTimeout: 0,
		});
		await withinLimit(watched, hop, options);
	} catch (cause) {
		client.destroy();
		throw cause;
	}
	client.setNoDelay(true);
	return {
		client,
		lost: watched.lost,
		get isLost() {
			return watched.isLost;
		},
		[Symbol.dispose]: () => void client.end(),
	};
}

function watch(client: Client, hop: Destination): Watched {
	const { promise: lost, resolve: lose } = Promise.withResolvers<string>();
	const { promise: ready, resolve: succeed, reject } = Promise.withResolvers<void>();
	// Whoever opens waits for it; after a failure there is nobody.
	ready.catch(() => undefined);
	let isLost = false;
	let why: string | undefined;
	const fail = (reason: string, cause?: unknown) => {
		why ??= reason;
		reject(new BackendUnavailable(`Cannot connect to "${nameOf(hop)}" over ssh: ${why}`, { cause }));
	};
	client.on("ready", succeed);
	client.on("error", (error: Error & ClientErrorExtensions) => {
		// An agent that answers with nonsense is one way in less, not the end.
		if (error.level !== "agent") fail(explainError(error, hop), error);
	});
	client.on("close", () => {
		isLost = true;
		fail("the server closed the connection");
		lose(why ?? "");
	});
	return {
		ready,
		lost,
		fail,
		get isLost() {
			return isLost;
		},
	};
}

function verifierOf(hop: Destination, options: ConnectOptions, watched: Watched) {
	return (key: Buffer, answer: (isValid: boolean) => void) => {
		checkHostKey(hop, key, options).then(
			(verdict) => {
				if (!verdict.isTrusted) watched.fail(verdict.reason);
				answer(verdict.isTrusted);
			},
			(cause) => {
				watched.fail(`its key cannot be checked: ${cause instanceof Error ? cause.message : cause}`, cause);
				answer(false);
			},
		);
	};
}

/** Waits until the login is done, no longer than the host's limit besides the time that a person takes to answer. */
async function withinLimit(watched: Watched, hop: Destination, { signal, asker }: ConnectOptions): Promise<void> {
	const startedAt = performance.now();
	const waitedBefore = asker.waitedMs;
	const timer = setInterval(() => {
		const tookMs = performance.now() - startedAt - (asker.waitedMs - waitedBefore);
		if (asker.isWaiting || tookMs < hop.connectTimeoutMs) return;
		watched.fail(`no answer within ${hop.connectTimeoutMs / 1000} s (terminal.ssh_connect_timeout)`);
	}, limitStepMs);
	try {
		await untilAborted(watched.ready, signal);
	} finally {
		clearInterval(timer);
	}
}

/** A connection from the jump host to the next one. */
function forward(via: Client, hop: Destination): Promise<ClientChannel> {
	return new Promise((resolve, reject) => {
		via.forwardOut("127.0.0.1", 0, hop.host, hop.port, (error, channel) => {
			if (error === undefined) return resolve(channel);
			const message = `Cannot connect to "${nameOf(hop)}" over ssh: the jump host cannot reach it: ${error.message}`;
			reject(new BackendUnavailable(message, { cause: error }));
		});
	});
}

/** Known types first, in which the server can show the key that we know; then the others. */
function preferredAlgorithms(hop: Destination): ServerHostKeyAlgorithm[] {
	const known = knownKeyTypes(hop);
	const isKnown = (name: string) => known.includes(rsaAlgorithms.some((rsa) => rsa === name) ? "ssh-rsa" : name);
	return [...hostKeyAlgorithms.filter(isKnown), ...hostKeyAlgorithms.filter((name) => !isKnown(name))];
}

function explainError(error: Error & ClientErrorExtensions & { readonly code?: unknown }, hop: Destination): string {
	if (error.level === "client-socket")
		return `${hop.host} port ${hop.port} cannot be reached: ${error.code ?? error.message}`;
	if (error.message !== "Keepalive timeout") return error.message;
	const { intervalMs, count } = hop.keepAlive;
	return `the server did not answer ${count} times within ${(intervalMs * (count + 1)) / 1000} s`;
}

/** `user@host`, with the port when it is not the usual one. */
export function nameOf({ user, host, port }: Destination): string {
	return port === usualPort ? `${user}@${host}` : `${user}@${host}:${port}`;
}
