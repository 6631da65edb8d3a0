/** serverFetch(): where requests of a server, and of a login at it, do not go. */

import { expect, test } from "bun:test";
import { readServerSettings } from "../../lib/mcp/server-settings.ts";
import { serverFetch } from "../../lib/mcp/transports/server-fetch.ts";

async function fetchOf(url: string) {
	const read = readServerSettings({ url });
	if (!read.ok || read.settings.kind === "stdio") throw new Error("no remote server");
	return await serverFetch(read.settings, {});
}

test("serverFetch() sends nothing in the clear for a server that is encrypted, whatever that names", async () => {
	const send = await fetchOf("https://mcp.example/mcp");
	const others = ["login.example/token", "mcp.example/mcp", "169.254.169.254/latest", "127.0.0.1.example/token"];
	for (const url of others.map((other) => `http://${other}`)) {
		await expect(send(url, { method: "POST", body: "refresh_token=secret" })).rejects.toThrow("it is not encrypted");
	}
	using here = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("here") });
	expect(await (await send(here.url)).text()).toBe("here");
	// A server that is not encrypted itself may name others that are not.
	expect(await (await (await fetchOf("http://mcp.example/mcp"))(here.url)).text()).toBe("here");
});
