/** A chat-completions server on this machine: it streams scripted answers as real servers do, and fails on request. */

/** How a request goes wrong. */
export type Fault =
	| "401"
	| "402"
	| "404"
	| "429"
	| "500"
	| "html-500"
	| "redirect"
	| "garbage-body"
	| "garbage-json"
	| "garbage-sse"
	| "wrong-shape"
	| "error-in-stream"
	| "empty-stream"
	| "truncated"
	| "reset"
	| "never"
	| "stall";

/** One answer. `deltas` replaces what would be made of the other fields. */
export interface ScriptedAnswer {
	readonly text?: string;
	readonly reasoning?: string;
	readonly toolCalls?: readonly { readonly id?: string; readonly name: string; readonly arguments: string }[];
	readonly finishReason?: string;
	readonly deltas?: readonly unknown[];
	readonly fault?: Fault;
	/** Instead of `scriptedUsage`. */
	readonly usage?: unknown;
	/** Answers with one JSON object although a stream was asked for. */
	readonly whole?: boolean;
}

/** What a client sent. */
export interface SeenRequest {
	readonly path: string;
	readonly authorization: string | null;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: {
		readonly model: string;
		readonly messages: readonly Record<string, unknown>[];
		readonly tools?: readonly unknown[];
		readonly stream?: boolean;
	};
}

export interface OpenAiServer extends AsyncDisposable {
	/** The base URL, with `/v1`. */
	readonly url: string;
	readonly requests: readonly SeenRequest[];
	/** Requests for the title of a session: they come beside the conversation and take no scripted answer. */
	readonly titled: readonly SeenRequest[];
	/** Requests whose client went away before the answer was complete. */
	readonly cancelled: () => number;
}

export const scriptedUsage = {
	prompt_tokens: 20,
	completion_tokens: 7,
	total_tokens: 27,
	prompt_tokens_details: { cached_tokens: 5 },
	completion_tokens_details: { reasoning_tokens: 2 },
};

function asksForTitle({ body }: SeenRequest): boolean {
	return String(body.messages?.[0]?.content ?? "").startsWith("Name this conversation");
}

/**
 * Serves the answers in order; the last one is repeated when more is asked. Whoever asks for a title gets `title`, and whoever
 * asks which models there are gets `models`, where there are any.
 */
export function startOpenAiServer(
	answers: readonly ScriptedAnswer[],
	title = "A Title of Tests",
	models?: readonly string[],
): OpenAiServer {
	const requests: SeenRequest[] = [];
	const titled: SeenRequest[] = [];
	let cancelled = 0;
	const onCancel = () => {
		cancelled++;
	};
	const server: Bun.Server<undefined> = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		idleTimeout: 0,
		async fetch(request) {
			if (models !== undefined && request.method === "GET" && request.url.endsWith("/models"))
				return Response.json({ object: "list", data: models.map((id) => ({ id, object: "model" })) });
			const seen = await readRequest(request);
			if (asksForTitle(seen)) {
				titled.push(seen);
				return respond({ text: title }, seen, () => server.stop(true));
			}
			requests.push(seen);
			if (!seen.path.endsWith("/chat/completions")) return failure(404, "Not Found");
			const answer = answers[Math.min(requests.length, answers.length) - 1] ?? {};
			request.signal.addEventListener("abort", onCancel);
			return respond(answer, seen, () => server.stop(true));
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}/v1`,
		requests,
		titled,
		cancelled: () => cancelled,
		[Symbol.asyncDispose]: () => server.stop(true),
	};
}

async function readRequest(request: Request): Promise<SeenRequest> {
	return {
		path: new URL(request.url).pathname,
		authorization: request.headers.get("authorization"),
		headers: Object.fromEntries(request.headers),
		body: (await request.json()) as SeenRequest["body"],
	};
}

const failures: Readonly<Record<string, () => Response>> = {
	"401": () => failure(401, "Incorrect API key provided: sk-secret-1234567890"),
	"402": () => failure(402, "Insufficient credits"),
	"404": () => failure(404, "The model does not exist"),
	"429": () => failure(429, "Rate limit reached\nfor requests"),
	"500": () => failure(500, "The server had an error"),
	"html-500": () => html(502, "<html><body>Bad gateway</body></html>"),
	redirect: () => new Response(null, { status: 308, headers: { location: "http://elsewhere.invalid/v1" } }),
	"garbage-body": () => html(200, "<!doctype html><p>Welcome to nginx!"),
	"garbage-json": () => new Response("{not json", { headers: { "content-type": "application/json" } }),
};

function failure(status: number, message: string): Response {
	const type = status >= 500 ? "server_error" : "invalid_request_error";
	return Response.json({ error: { message, type, param: null, code: null } }, { status });
}

function html(status: number, body: string): Response {
	return new Response(body, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

function respond(answer: ScriptedAnswer, seen: SeenRequest, cutLine: () => unknown): Response | Promise<Response> {
	const { fault } = answer;
	if (fault === "never") return new Promise(() => {});
	const made = fault === undefined ? undefined : failures[fault]?.();
	if (made !== undefined) return made;
	if (answer.whole || seen.body.stream !== true) return Response.json(wholeCompletion(answer, seen.body.model));
	return new Response(eventStream(answer, seen.body.model, cutLine), {
		headers: { "content-type": "text/event-stream" },
	});
}

const stamp = { id: "chatcmpl-1", created: 1_700_000_000 };

function wholeCompletion(answer: ScriptedAnswer, model: string) {
	const message = {
		role: "assistant",
		content: answer.text ?? null,
		...(answer.toolCalls === undefined ? {} : { tool_calls: answer.toolCalls.map(wireCall) }),
	};
	const choice = { index: 0, message, finish_reason: finishReasonOf(answer) };
	return { ...stamp, object: "chat.completion", model, choices: [choice], usage: scriptedUsage };
}

function wireCall(call: { id?: string; name: string; arguments: string }, index: number) {
	return { id: call.id ?? `call_${index}`, type: "function", function: { name: call.name, arguments: call.arguments } };
}

function finishReasonOf({ finishReason, toolCalls }: ScriptedAnswer): string {
	return finishReason ?? (toolCalls === undefined ? "stop" : "tool_calls");
}

function eventStream(answer: ScriptedAnswer, model: string, cutLine: () => unknown): ReadableStream<string> {
	const chunk = (choices: unknown[], extra = {}) =>
		event({ ...stamp, object: "chat.completion.chunk", model, choices, ...extra });
	const ofDelta = (delta: unknown) => chunk([{ index: 0, delta, finish_reason: null }]);
	const body = [ofDelta({ role: "assistant", content: "" }), ...(answer.deltas ?? deltasOf(answer)).map(ofDelta)];
	const end = [
		chunk([{ index: 0, delta: {}, finish_reason: finishReasonOf(answer) }]),
		chunk([], { usage: answer.usage ?? scriptedUsage }),
		"data: [DONE]\n\n",
	];
	const parts = answer.fault === undefined ? [...body, ...end] : faultyParts(answer.fault, body);
	return streamOf(parts, answer.fault, cutLine);
}

function streamOf(parts: readonly string[], fault: Fault | undefined, cutLine: () => unknown): ReadableStream<string> {
	return new ReadableStream<string>({
		async start(controller) {
			for (const part of parts) {
				controller.enqueue(part);
				// Pieces arrive one by one, as over a network.
				await Bun.sleep(1);
			}
			if (fault === "stall") return;
			if (fault === "reset") cutLine();
			else controller.close();
		},
	});
}

function faultyParts(fault: Fault, body: string[]): string[] {
	switch (fault) {
		case "garbage-sse":
			return [...body.slice(0, 1), "data: {this is : not json}\n\n"];
		case "wrong-shape":
			return [event({ choices: "none" })];
		case "error-in-stream":
			return [...body.slice(0, 1), event({ error: { message: "upstream is overloaded", code: 502 } })];
		case "empty-stream":
			return [];
		default:
			return body;
	}
}

function event(data: unknown): string {
	return `data: ${JSON.stringify(data)}\n\n`;
}

function deltasOf({ text = "", reasoning = "", toolCalls = [] }: ScriptedAnswer): unknown[] {
	return [
		...pieces(reasoning).map((piece) => ({ reasoning_content: piece })),
		...pieces(text).map((piece) => ({ content: piece })),
		...toolCalls.flatMap((call, index) => [
			{ tool_calls: [{ index, ...wireCall({ ...call, arguments: "" }, index) }] },
			...pieces(call.arguments).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
		]),
	];
}

/** Three pieces at most, cut between characters. */
function pieces(text: string): string[] {
	const characters = [...text];
	const size = Math.max(1, Math.ceil(characters.length / 3));
	return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
		characters.slice(index * size, (index + 1) * size).join(""),
	);
}
