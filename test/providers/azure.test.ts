/** Azure without a key: a login of the machine, as a program in Azure has one. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { startHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startWireServer } from "../support/wire-server.ts";

// Each test starts a process, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const fixtures = join(import.meta.dir, "../fixtures/wires");

/** The place in Azure where a program asks for the token of its machine. */
function startIdentity(lifeSeconds: number) {
	const asked: string[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch(request) {
			asked.push(new URL(request.url).searchParams.get("resource") ?? "");
			const expires = Math.floor(Date.now() / 1000) + lifeSeconds;
			return Response.json({
				access_token: `token-${asked.length}`,
				expires_on: String(expires),
				token_type: "Bearer",
			});
		},
	});
	return { asked, url: `${server.url.href}token`, [Symbol.asyncDispose]: () => server.stop(true) };
}

async function ask(wire: "chat-completions" | "anthropic-messages", lifeSeconds: number) {
	using home = temporaryFolder();
	await using identity = startIdentity(lifeSeconds);
	const pieces = await Promise.all(
		["parallel-tools", "text"].map(async (name) => [await Bun.file(join(fixtures, wire, `${name}.sse`)).text()]),
	);
	await using server = startWireServer(...pieces.map((each) => ({ pieces: each })));
	const path = wire === "anthropic-messages" ? "/anthropic" : "/openai/v1";
	const env = {
		AZURE_FOUNDRY_BASE_URL: server.url + path,
		IDENTITY_ENDPOINT: identity.url,
		IDENTITY_HEADER: "here",
		AZURE_TOKEN_CREDENTIALS: "ManagedIdentityCredential",
	};
	const args = ["chat", "-q", "hi", "--yolo", "--provider", "azure", "-m", "my-deployment", "--output", "json"];
	const { stdout } = await startHermes(args, { home: home.path, env }).ended;
	return {
		ended: JSON.parse(stdout).ended,
		sent: server.seen.map(({ path, headers }) => [
			path,
			headers.authorization,
			headers["api-key"] ?? headers["x-api-key"],
		]),
		asked: identity.asked,
	};
}

describe.concurrent("azure without a key", () => {
	test("sends a token of the machine, and asks for it once as long as it is good", async () => {
		expect(await ask("chat-completions", 3600)).toEqual({
			ended: "answered",
			sent: [
				["/openai/v1/chat/completions", "Bearer token-1", undefined],
				["/openai/v1/chat/completions", "Bearer token-1", undefined],
			],
			asked: ["https://cognitiveservices.azure.com"],
		});
	});

	test("asks for another token when one runs out, and for the one that Claude's address takes", async () => {
		const { ended, sent, asked } = await ask("anthropic-messages", 60);
		expect({ ended, paths: sent.map(([path]) => path), resources: [...new Set(asked)] }).toEqual({
			ended: "answered",
			paths: ["/anthropic/v1/messages", "/anthropic/v1/messages"],
			resources: ["https://ai.azure.com"],
		});
		expect(sent[1]?.[1]).not.toBe(sent[0]?.[1]);
	});

	test("says how to get in where there is no login", async () => {
		using home = temporaryFolder();
		await using server = startWireServer({ pieces: [] });
		const env = { AZURE_FOUNDRY_BASE_URL: `${server.url}/openai/v1`, AZURE_TOKEN_CREDENTIALS: "EnvironmentCredential" };
		const args = ["chat", "-q", "hi", "--provider", "azure", "-m", "d", "--output", "json"];
		const { stdout } = await startHermes(args, { home: home.path, env }).ended;
		const { reason, error } = JSON.parse(stdout);
		expect([reason, error.includes("az login"), server.seen.length]).toEqual(["settings", true, 0]);
	});
});
