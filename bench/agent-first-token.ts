/** How long a token takes from its arrival on the wire to the screen: through the real wire parser, the loop and the printer. */

import { createAgent } from "../lib/agent/agent.ts";
import { loadPlugins } from "../lib/base/plugins.ts";
import { createTextPrinter } from "../lib/cli/runtime/print-text.ts";
import { providers } from "../lib/providers/all.ts";
import { defineBench } from "./bench.ts";

export default defineBench({
	operation: "an answer of one token, until it is printed (less than 5 ms more)",
	floor: "the same answer read as bytes",
	samples: 100,

	async open() {
		const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(stream(), { headers }) });
		const baseUrl = `http://127.0.0.1:${server.port}/v1`;
		const custom = (await loadPlugins(providers)).loaded.get("custom");
		if (custom === undefined) throw new Error('Cannot open provider "custom": it is not in the list');
		const client = await custom.open({ baseUrl, stallSeconds: 60 });
		const { signal } = new AbortController();
		return {
			async operation() {
				const printed = Promise.withResolvers<void>();
				const output = { isTerminal: false, write: (text: string) => text.includes("token") && printed.resolve() };
				const emit = createTextPrinter({ text: output, progress: output, paint: (_style, text) => text });
				const turn = createAgent({ ...plain, client, emit }).runTurn("Go", signal);
				await printed.promise;
				await turn;
			},
			floor: async () =>
				void (await (await fetch(`${baseUrl}/chat/completions`, { method: "POST", body: "{}" })).text()),
			[Symbol.asyncDispose]: () => server.stop(true),
		};
	},
});

const headers = { "content-type": "text/event-stream" };

const plain = {
	model: "m",
	providerId: "custom",
	systemPrompt: "Be brief.",
	tools: [],
	runTool: () => Promise.reject(new Error("Cannot run a tool: there is none")),
	sessionId: "bench",
	cwd: "/",
	ranOn: "local",
	maxTurns: 90,
};

function stream(): ReadableStream {
	const chunk = { id: "1", object: "chat.completion.chunk", created: 0, model: "m" };
	const line = (choice: object) => `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, ...choice }] })}\n\n`;
	return new ReadableStream({
		start(controller) {
			const send = (text: string) => controller.enqueue(new TextEncoder().encode(text));
			send(line({ delta: { role: "assistant", content: "token" }, finish_reason: null }));
			send(line({ delta: {}, finish_reason: "stop" }));
			send("data: [DONE]\n\n");
			controller.close();
		},
	});
}
