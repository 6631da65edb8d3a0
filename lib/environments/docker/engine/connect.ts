/** Connects to the container engine. */

import type Docker from "dockerode";
import { untilAborted } from "../../../base/abort.ts";
import { childEnvironment } from "../../../security/child-environment.ts";
import { BackendUnavailable } from "../../backend.ts";
import { type Address, type Endpoint, findEndpoints } from "./endpoint.ts";
import { engineError } from "./engine-error.ts";
import { explainFailures, type Failure } from "./explain.ts";
import { openSshBridge, type SshBridge } from "./ssh-bridge.ts";

/** A connection to an engine that has answered. */
export interface Engine extends AsyncDisposable {
	readonly docker: Docker;
	/** Whether its files are those of this machine, so that our folders can be mounted. */
	readonly isLocal: boolean;
}

/** An engine that sleeps (a desktop's virtual machine) takes seconds for its first answer. */
const answerMs = 10_000;

type Variables = Readonly<Record<string, string>>;

/**
 * The first engine that answers.
 * @throws {BackendUnavailable} When none does; the message names each address, the reason, and what to do.
 */
export async function connectEngine(variables: Variables, signal: AbortSignal): Promise<Engine> {
	const failures: Failure[] = [];
	for (const endpoint of findEndpoints(variables)) {
		const engine = await tryEndpoint(endpoint, variables, signal);
		if ("docker" in engine) return engine;
		failures.push(engine);
	}
	throw new BackendUnavailable(explainFailures(failures), { cause: failures[0]?.cause });
}

async function tryEndpoint(endpoint: Endpoint, variables: Variables, signal: AbortSignal): Promise<Engine | Failure> {
	await using opening = new AsyncDisposableStack();
	const { address } = endpoint;
	let bridge: SshBridge | undefined;
	if (address.kind === "ssh") bridge = opening.use(await openSshBridge(address, childEnvironment(variables)));
	const docker = await client(address.kind === "ssh" ? { kind: "socket", path: bridge?.path ?? "" } : address);
	const cause = await answers(docker, signal);
	if (cause !== undefined) return { endpoint, cause: withComplaint(cause, bridge) };
	const opened = opening.move();
	return {
		docker,
		isLocal: address.kind === "socket",
		[Symbol.asyncDispose]: () => opened.disposeAsync(),
	};
}

/** Why it does not answer; undefined when it does. One that only was too slow is asked once more. */
async function answers(docker: Docker, signal: AbortSignal): Promise<unknown> {
	let last: unknown;
	for (let attempt = 0; attempt < 2; attempt++) {
		const limit = AbortSignal.timeout(answerMs);
		try {
			await untilAborted(docker.version(), AbortSignal.any([signal, limit]));
			return undefined;
		} catch (cause) {
			signal.throwIfAborted();
			last = limit.aborted ? limit.reason : cause;
			if (!limit.aborted) return last;
		}
	}
	return last;
}

function withComplaint(cause: unknown, bridge: SshBridge | undefined): unknown {
	const complaint = bridge?.complaint() ?? "";
	return complaint === "" ? cause : new Error(`${complaint} (${engineError(cause).reason})`, { cause });
}

async function client(address: Exclude<Address, { kind: "ssh" }>): Promise<Docker> {
	const { default: Dockerode } = await import("dockerode");
	const docker = new Dockerode({ socketPath: "/" });
	// It fills what is not given from DOCKER_HOST of its own accord; every field is set, so that only we choose.
	const nowhere = { host: undefined, port: undefined, socketPath: undefined, pathPrefix: "/", protocol: "http" };
	const noCertificates = { ca: undefined, cert: undefined, key: undefined, agent: undefined, timeout: undefined };
	Object.assign(docker.modem, nowhere, noCertificates, await modemFields(address));
	return docker;
}

async function modemFields(address: Exclude<Address, { kind: "ssh" }>): Promise<Record<string, unknown>> {
	if (address.kind === "socket") return { socketPath: address.path };
	const { host, port, tls } = address;
	if (tls === undefined) return { host, port };
	const { verify, ...certificates } = tls;
	if (verify) return { host, port, protocol: "https", ...certificates };
	const { Agent } = await import("node:https");
	return { host, port, protocol: "https", ...certificates, agent: new Agent({ rejectUnauthorized: false }) };
}
