/** A server on this machine that answers any path with scripted bytes, as fast and in as many pieces as a test asks for. */

/** One answer. */
export interface ScriptedBytes {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	/** Sent one after the other. */
	readonly pieces: readonly (string | Uint8Array)[];
	/** What happens after the last piece. `beats` sends these again and again, as a proxy does that keeps a connection open. */
	readonly end?: "close" | "cut" | "hang" | { readonly beats: string };
}

/** What a client sent. */
export interface SeenExchange {
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: unknown;
	/** The body as it came. */
	readonly text: string;
}

export interface WireServer extends AsyncDisposable {
	/** Without a path. */
	readonly url: string;
	readonly seen: readonly SeenExchange[];
}

/** Serves the answers in order; the last one is repeated. */
export function startWireServer(...answers: readonly ScriptedBytes[]): WireServer {
	const seen: SeenExchange[] = [];
	const server: Bun.Server<undefined> = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		idleTimeout: 0,
		async fetch(request) {
			const text = await request.text();
			const url = new URL(request.url);
			seen.push({
				path: url.pathname + url.search,
				headers: Object.fromEntries(request.headers),
				body: text === "" ? undefined : JSON.parse(text),
				text,
			});
			const answer = answers[Math.min(seen.length, answers.length) - 1] ?? { pieces: [] };
			return new Response(
				streamOf(answer, () => server.stop(true)),
				{
					status: answer.status ?? 200,
					headers: { "content-type": "text/event-stream", ...answer.headers },
				},
			);
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		seen,
		[Symbol.asyncDispose]: () => server.stop(true),
	};
}

function streamOf({ pieces, end = "close" }: ScriptedBytes, cutLine: () => unknown): ReadableStream<Uint8Array> {
	let cancelled = false;
	return new ReadableStream<Uint8Array>({
		async start(controller) {
			for (const piece of pieces) {
				controller.enqueue(bytesOf(piece));
				// Pieces arrive one by one, as over a network.
				if (pieces.length < 100) await Bun.sleep(1);
			}
			if (end === "close") controller.close();
			if (end === "cut") await Bun.sleep(5).then(cutLine);
			while (typeof end === "object" && !cancelled) {
				controller.enqueue(bytesOf(end.beats));
				await Bun.sleep(20);
			}
		},
		cancel() {
			cancelled = true;
		},
	});
}

function bytesOf(piece: string | Uint8Array): Uint8Array {
	return typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
}
