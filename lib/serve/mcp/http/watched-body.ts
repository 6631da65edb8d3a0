/** The body of an answer that tells when it is over, however that comes about. */

/** A comment of an event stream. Headers leave with the first byte of a body, and a client may wait for them. */
const firstComment = new TextEncoder().encode(": here\n\n");

/**
 * `response` with a body that calls `onEnd` once: when all of it was sent, it failed, or the client has gone. A stream that only
 * listens (`isListening`) says at once that it is there.
 */
export function withWatchedBody(
	response: Response,
	{ isListening, onEnd }: { readonly isListening: boolean; onEnd(): void },
): Response {
	const { body, status, headers } = response;
	if (body === null) {
		onEnd();
		return response;
	}
	const reader = body.getReader();
	let isOver = false;
	const end = () => {
		if (!isOver) onEnd();
		isOver = true;
	};
	const watched = new ReadableStream<Uint8Array>({
		start(controller) {
			if (isListening && headers.get("content-type") === "text/event-stream") controller.enqueue(firstComment);
		},
		async pull(controller) {
			try {
				const { done, value } = await reader.read();
				if (!done) return controller.enqueue(value);
				end();
				controller.close();
			} catch (cause) {
				end();
				controller.error(cause);
			}
		},
		async cancel(reason) {
			end();
			await reader.cancel(reason);
		},
	});
	return new Response(watched, { status, headers });
}
