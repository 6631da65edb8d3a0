/** The body of an answer that tells when it is over, however that comes about. */

/** `response` with a body that calls `onEnd` once: when all of it was sent, it failed, or the client has gone. */
export function withWatchedBody(response: Response, onEnd: () => void): Response {
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
