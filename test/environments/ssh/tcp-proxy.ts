/** A network between client and server that a test can slow down, freeze and cut. */

import { createServer, connect as dial, type Socket } from "node:net";

/** A way to `port` that leads through this process. */
export interface TcpProxy extends AsyncDisposable {
	readonly port: number;
	/** Connections made so far. */
	readonly connections: number;
	/** Forwards nothing any more, and tells nobody. */
	freeze(): void;
	/** Closes what is connected; new connections work. */
	cut(): void;
}

/** Listens on a free loopback port. `silent` is how many of the first connections are taken and never answered. */
export async function tcpProxy(target: number, options: { readonly silent?: number } = {}): Promise<TcpProxy> {
	const sockets = new Set<Socket>();
	let connections = 0;
	let isFrozen = false;
	const server = createServer((near) => {
		sockets.add(near);
		near.on("error", () => near.destroy());
		if (connections++ < (options.silent ?? 0)) return;
		const far = dial(target, "127.0.0.1");
		sockets.add(far);
		const forward = (from: Socket, to: Socket) => {
			from.on("data", (bytes) => void (isFrozen || to.write(bytes)));
			from.on("close", () => void (isFrozen || to.destroy()));
			from.on("error", () => from.destroy());
		};
		forward(near, far);
		forward(far, near);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("Cannot listen");
	const cut = () => {
		for (const socket of sockets) socket.destroy();
		sockets.clear();
	};
	return {
		port: address.port,
		get connections() {
			return connections;
		},
		freeze() {
			isFrozen = true;
		},
		cut,
		async [Symbol.asyncDispose]() {
			cut();
			server.close();
		},
	};
}
