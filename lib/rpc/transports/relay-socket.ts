/** Calls of scripts in a sandbox with a helper: a Unix socket inside, whose connections the helper carries. */

import type { SandboxConnection, SandboxHelper } from "../../environments/sandbox-helper.ts";
import { serveConnection } from "../serve-connection.ts";
import { createToken } from "../token.ts";
import type { Transport, TransportParts } from "./transport.ts";

/** Listens inside the sandbox. @throws {RelayRefused} When there can be no socket there. */
export async function listenThrough(helper: SandboxHelper, { folder, desk }: TransportParts): Promise<Transport> {
	const token = createToken();
	const path = `${folder}/rpc.sock`;
	const open = new Set<SandboxConnection>();
	const listening = await helper.listen(path, (connection) => {
		open.add(connection);
		void serve(connection, { desk, token }).finally(() => open.delete(connection));
	});
	return {
		name: "relay",
		variables: { HERMES_RPC_SOCKET: path, HERMES_RPC_TOKEN: token },
		async [Symbol.asyncDispose]() {
			for (const connection of open) connection.close();
			await listening[Symbol.asyncDispose]();
		},
	};
}

async function serve(
	connection: SandboxConnection,
	parts: Pick<TransportParts, "desk"> & { readonly token: string },
): Promise<void> {
	const writer = connection.writable.getWriter();
	const served = serveConnection(
		{
			// A connection that is gone takes nothing; the end of what can be read says so.
			send: (frame) => void writer.write(frame).catch(() => undefined),
			close: () => connection.close(),
		},
		parts,
	);
	try {
		for await (const bytes of connection.readable) served.received(bytes);
	} finally {
		served.ended();
		// A script's process may go on without this connection; ours has nothing more to say on it.
		await writer.close().catch(() => undefined);
	}
}
