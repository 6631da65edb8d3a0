/** What model servers on this machine say of the window that they run a model with. */

import { describe, expect, test } from "bun:test";
import { openLocalWindows } from "../../lib/providers/models/local-windows.ts";

/** A server that answers `body` at `path`, and what it was asked. */
function startServer(path: string, body: () => unknown) {
	const asked: string[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch(request) {
			const { pathname } = new URL(request.url);
			asked.push(`${pathname} ${request.headers.get("authorization")}`);
			return pathname === path ? Response.json(body()) : new Response("no", { status: 404 });
		},
	});
	const port = Number(server.port);
	return { asked, port, baseUrl: `http://127.0.0.1:${port}/v1`, [Symbol.asyncDispose]: () => server.stop(true) };
}

async function windowOf(name: string, path: string, { body, model }: { body: unknown; model: string }) {
	await using server = startServer(path, () => body);
	const servers = [{ name, port: server.port, baseUrl: server.baseUrl }];
	const windows = openLocalWindows({ baseUrl: server.baseUrl.replace("127.0.0.1", "localhost"), preset: "" }, servers);
	expect(windows?.of(model)).toBeUndefined();
	await windows?.settled();
	expect(server.asked).toEqual([`${path} null`]);
	return windows?.of(model);
}

describe("openLocalWindows()", () => {
	test.each([
		["ollama", "/api/ps", { models: [{ name: "qwen3:latest", context_length: 8192 }] }, "qwen3", 8192],
		["ollama", "/api/ps", { models: [{ name: "qwen3:8b", context_length: 8192 }] }, "qwen3", undefined],
		[
			"lmstudio",
			"/api/v0/models",
			{ data: [{ id: "a/b", max_context_length: 9, loaded_context_length: 4096 }] },
			"a/b",
			4096,
		],
		["lmstudio", "/api/v0/models", { data: [{ id: "a/b", max_context_length: 131_072 }] }, "a/b", undefined],
		["vllm", "/v1/models", { data: [{ id: "m", max_model_len: 32_768 }] }, "m", 32_768],
		["llamacpp", "/props", { default_generation_settings: { n_ctx: 16_384 } }, "any", 16_384],
		["llamacpp", "/props", { default_generation_settings: {} }, "any", undefined],
	] as const)("openLocalWindows() reads what %s says at %s", async (name, path, ...[body, model, window]) => {
		expect(await windowOf(name, path, { body, model })).toBe(window);
	});

	test("openLocalWindows() asks again until the server runs the model, and then no more", async () => {
		const models: object[] = [];
		await using server = startServer("/api/ps", () => ({ models }));
		const windows = openLocalWindows({ baseUrl: undefined, preset: "ollama" }, [
			{ name: "ollama", port: server.port, baseUrl: server.baseUrl },
		]);
		const answers: (number | undefined)[] = [];
		for (let time = 0; time < 4; time++) {
			answers.push(windows?.of("m"), windows?.of("m"));
			await windows?.settled();
			models.push({ name: "m:latest", context_length: 4096 });
		}
		expect([answers, server.asked.length]).toEqual([
			[undefined, undefined, undefined, undefined, 4096, 4096, 4096, 4096],
			2,
		]);
	});

	test("openLocalWindows() asks nobody else", () => {
		const open = (baseUrl: string | undefined, preset = "") => openLocalWindows({ baseUrl, preset });
		expect([
			open("https://api.example.com:11434/v1"),
			open("http://127.0.0.1:9/v1"),
			open("http://localhost/v1"),
			open("not an address"),
			open(undefined, "openrouter"),
		]).toEqual([undefined, undefined, undefined, undefined, undefined]);
		expect(open("http://127.0.0.1:11434/v1")).toBeDefined();
	});
});
