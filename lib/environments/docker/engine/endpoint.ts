/** Where the container engine's API is, from what the user's environment and files say. */

import { join } from "node:path";
import { BackendUnavailable } from "../../backend.ts";
import { type Certificates, readCertificates } from "./certificates.ts";
import { dockerFolder } from "./client-files.ts";
import { contextEndpoint, currentContext } from "./contexts.ts";

/** One address of an engine. */
export type Address =
	| { readonly kind: "socket"; readonly path: string }
	| { readonly kind: "tcp"; readonly host: string; readonly port: number; readonly tls?: Certificates }
	| {
			readonly kind: "ssh";
			/** `user@host`, as the ssh client reads it. */
			readonly destination: string;
			readonly port?: string;
			/** Socket of the engine on that machine, when it is not the usual one. */
			readonly socket?: string;
	  };

/** An address, and who named it, for messages. */
export interface Endpoint {
	readonly address: Address;
	readonly source: string;
}

type Variables = Readonly<Record<string, string>>;

/**
 * The engines to try, in order: the one of DOCKER_HOST, else the one of the chosen docker context, else the usual sockets of
 * Docker, rootless Docker and Podman.
 * @throws {BackendUnavailable} When DOCKER_HOST or the context cannot be understood.
 */
export function findEndpoints(variables: Variables): readonly Endpoint[] {
	const host = variables.DOCKER_HOST?.trim() ?? "";
	if (host !== "") return [{ address: parseHost(host, "DOCKER_HOST", tlsOf(variables)), source: "DOCKER_HOST" }];
	const context = currentContext(variables);
	if (context === undefined) return usualSockets(variables);
	const source = `the docker context "${context.name}"`;
	const { host: contextHost, tls } = contextEndpoint(context);
	return [{ address: parseHost(contextHost, source, tls), source }];
}

/**
 * Reads `unix:///path`, `tcp://host:port`, `ssh://user@host`.
 * @throws {BackendUnavailable} When `text` is none of them.
 */
function parseHost(text: string, source: string, tls: Certificates | undefined): Address {
	const socket = /^unix:\/\/(\/.+)$/.exec(text)?.[1];
	if (socket !== undefined) return { kind: "socket", path: socket };
	const url = URL.parse(text.includes("://") ? text : `tcp://${text}`);
	if (url?.protocol === "ssh:" && url.hostname !== "" && url.password === "") return sshAddress(url);
	if (url === null || !["tcp:", "http:", "https:"].includes(url.protocol) || url.hostname === "") {
		throw new BackendUnavailable(
			`Cannot use "${withoutPassword(text)}" as a container engine: it is no unix://, tcp:// or ssh:// address (${source})`,
		);
	}
	const secure = tls ?? (url.protocol === "https:" ? { verify: true } : undefined);
	const port = Number(url.port === "" ? defaultPort(secure) : url.port);
	return { kind: "tcp", host: url.hostname.replace(/^\[|\]$/g, ""), port, ...(secure && { tls: secure }) };
}

function withoutPassword(address: string): string {
	return address.replace(/\/\/[^/@]*@/, "//…@");
}

function defaultPort(tls: Certificates | undefined): string {
	return tls === undefined ? "2375" : "2376";
}

function sshAddress(url: URL): Address {
	const user = url.username === "" ? "" : `${decodeURIComponent(url.username)}@`;
	const socket = decodeURIComponent(url.pathname);
	return {
		kind: "ssh",
		destination: `${user}${url.hostname.replace(/^\[|\]$/g, "")}`,
		...(url.port !== "" && { port: url.port }),
		...(socket.length > 1 && { socket }),
	};
}

/** As the docker client reads them: any value switches TLS on, DOCKER_CERT_PATH alone does not. */
function tlsOf(variables: Variables): Certificates | undefined {
	const verify = (variables.DOCKER_TLS_VERIFY ?? "") !== "";
	if (!verify && (variables.DOCKER_TLS ?? "") === "") return undefined;
	const named = variables.DOCKER_CERT_PATH ?? "";
	return readCertificates(named === "" ? dockerFolder(variables) : named, verify);
}

function usualSockets(variables: Variables): readonly Endpoint[] {
	const home = variables.HOME ?? "";
	const runtime = variables.XDG_RUNTIME_DIR ?? "";
	const paths = [
		"/var/run/docker.sock",
		...(home === "" ? [] : [join(home, ".docker/run/docker.sock")]),
		...(runtime === "" ? [] : [join(runtime, "docker.sock"), join(runtime, "podman/podman.sock")]),
		"/run/podman/podman.sock",
	];
	return paths.map((path) => ({ address: { kind: "socket", path }, source: "the usual places" }));
}
