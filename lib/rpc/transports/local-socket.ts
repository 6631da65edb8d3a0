/** Calls of scripts on this machine: a Unix socket in the script's private folder, or a port of the loopback interface. */

import type { Socket, SocketHandler } from "bun";
import { type ConnectionEnd, type ServedConnection, serveConnection } from "../serve-connection.ts";
import { createToken } from "../token.ts";
import type { Transport, TransportParts } from "./transport.ts";

/** The path of a socket has 108 bytes on Linux, 104 on macOS, and one of them ends it. */
export const longestSocketPath = 103;

/** More connections than that are closed at once. */
const mostConnections = 64;

interface Open {
	served: ServedConnection;
	/** What the system has not taken yet. */
	readonly unsent: Uint8Array[];
}

/** Listens; `kind` is `tcp` where Unix sockets cannot be relied on. Both ask for the token. */
export function listenLocally({ folder, desk }: TransportParts, kind: "unix" | "tcp"): Transport {
	const token = createToken();
	const sockets = new Set<Socket<Open>>();
	const socket = {
		open(opened: Socket<Open>) {
			if (sockets.size >= mostConnections) {
				opened.terminate();
				return;
			}
			sockets.add(opened);
			const unsent: Uint8Array[] = [];
			opened.data = { unsent, served: serveConnection(endOf(opened, unsent), { desk, token }) };
		},
		data: (opened: Socket<Open>, bytes: Uint8Array) => opened.data?.served.received(new Uint8Array(bytes)),
		drain: (opened: Socket<Open>) => flush(opened, opened.data?.unsent ?? []),
		close(opened: Socket<Open>) {
			sockets.delete(opened);
			opened.data?.served.ended();
		},
		error: (opened: Socket<Open>) => void opened.terminate(),
	};
	const path = `${folder}/rpc.sock`;
	const { server, address } = kind === "unix" ? listenAt(path, socket) : listenOnLoopback(socket);
	return {
		name: kind,
		variables: { HERMES_RPC_SOCKET: address, HERMES_RPC_TOKEN: token },
		async [Symbol.asyncDispose]() {
			server.stop(true);
			for (const open of sockets) open.terminate();
		},
	};
}

function listenAt(path: string, socket: SocketHandler<Open>) {
	return { server: Bun.listen<Open>({ unix: path, socket }), address: path };
}

function listenOnLoopback(socket: SocketHandler<Open>) {
	const server = Bun.listen<Open>({ hostname: "127.0.0.1", port: 0, socket });
	return { server, address: `tcp://127.0.0.1:${server.port}` };
}

function endOf(socket: Socket<Open>, unsent: Uint8Array[]): ConnectionEnd {
	return {
		send(frame) {
			unsent.push(frame);
			if (unsent.length === 1) flush(socket, unsent);
		},
		close: () => void socket.terminate(),
	};
}

function flush(socket: Socket<Open>, unsent: Uint8Array[]): void {
	for (let first = unsent[0]; first !== undefined; first = unsent[0]) {
		const sent = Math.max(socket.write(first), 0);
		if (sent < first.length) {
			unsent[0] = first.subarray(sent);
			return;
		}
		unsent.shift();
	}
}
