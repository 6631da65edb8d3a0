/** Bounds what a server may send in one answer, before anything tries to hold it. */

/** Bytes of a JSON answer, or of one event of a stream. */
const longestMessage = 100_000_000;
const lineEnd = 10;

/** The same response; reading its body fails when a message in it is too long. */
export function boundedBody(response: Response): Response {
	if (response.body === null) return response;
	const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
	let length = 0;
	const body = response.body.pipeThrough(
		new TransformStream<Uint8Array, Uint8Array>({
			transform(bytes, controller) {
				const end = isStream ? bytes.lastIndexOf(lineEnd) : -1;
				length = end === -1 ? length + bytes.length : bytes.length - end - 1;
				if (length > longestMessage) {
					controller.error(new Error(`the server sent a message of more than ${longestMessage / 1e6} MB`));
				} else controller.enqueue(bytes);
			},
		}),
	);
	return sameResponse(response, body);
}

/** `response` with another body. */
export function sameResponse(response: Response, body: ReadableStream<Uint8Array>): Response {
	const { status, statusText, headers, url } = response;
	const other = new Response(body, { status, statusText, headers });
	// Redirects, and messages about them, are judged by it.
	Object.defineProperty(other, "url", { value: url });
	return other;
}
