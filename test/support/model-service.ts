/** A model service as setup meets one: a list of models, a key that it accepts, and short answers. */

/** A running service. */
export interface ModelService extends AsyncDisposable {
	/** With `/v1`. */
	readonly url: string;
	/** Keys of the requests for an answer, in order. */
	readonly keys: readonly (string | null)[];
}

/** Starts one on this machine that accepts `key` alone and answers "Hello from MODEL". */
export function startModelService({
	key,
	models,
}: {
	readonly key: string;
	readonly models: readonly string[];
}): ModelService {
	const keys: (string | null)[] = [];
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		async fetch(request) {
			const given = request.headers.get("authorization");
			if (given !== `Bearer ${key}`) return Response.json({ error: { message: "Incorrect API key" } }, { status: 401 });
			const { pathname } = new URL(request.url);
			if (pathname === "/v1/models")
				return Response.json({ object: "list", data: models.map((id) => ({ id, object: "model" })) });
			keys.push(given);
			const body: { readonly model: string } = JSON.parse(await request.text());
			return new Response(
				`${chunks(body.model)
					.map((chunk) => `data: ${chunk}\n\n`)
					.join("")}data: [DONE]\n\n`,
				{
					headers: { "content-type": "text/event-stream" },
				},
			);
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}/v1`,
		keys,
		async [Symbol.asyncDispose]() {
			await server.stop(true);
		},
	};
}

function chunks(model: string): string[] {
	const chunk = (delta: object, finish: string | null) =>
		JSON.stringify({
			id: "c1",
			object: "chat.completion.chunk",
			created: 1,
			model,
			choices: [{ index: 0, delta, finish_reason: finish }],
		});
	return [chunk({ role: "assistant", content: `Hello from ${model}` }, null), chunk({}, "stop")];
}
