/** The servers of the protocol's makers, run as their users run them. */

import { officialScript } from "./mcp-servers.ts";

/** One that listens. */
export interface Listening extends AsyncDisposable {
	readonly url: string;
	readonly port: number;
}

/** `server-everything` over the network, on a free port or that of an earlier one. */
export async function listenEverything(transport: "streamableHttp" | "sse", port = freePort()): Promise<Listening> {
	const child = Bun.spawn([process.execPath, officialScript("everything"), transport], {
		env: { PATH: process.env.PATH ?? "", PORT: String(port) },
		stdio: ["ignore", "pipe", "pipe"],
	});
	const shown = child.stderr.getReader();
	const decoder = new TextDecoder();
	for (let text = ""; !/(?:running|listening) on port/.test(text); ) {
		const { done, value } = await shown.read();
		if (done) throw new Error(`server-everything ended: ${text}`);
		text += decoder.decode(value);
	}
	return {
		port,
		url: `http://127.0.0.1:${port}${transport === "sse" ? "/sse" : "/mcp"}`,
		async [Symbol.asyncDispose]() {
			child.kill("SIGKILL");
			await child.exited;
		},
	};
}

/** The server names its port itself, and does not say which it took. */
function freePort(): number {
	const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
	const { port } = server;
	server.stop(true);
	return port;
}
