/** Standard input as lines. */

/** The lines of `bytes` as they arrive, without their ends; a last line needs none. Invalid UTF-8 becomes U+FFFD. */
export async function* readLines(bytes: ReadableStream<Uint8Array>): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = "";
	for await (const chunk of bytes) {
		rest += decoder.decode(chunk, { stream: true });
		if (!rest.includes("\n")) continue;
		const lines = rest.split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) yield line.replace(/\r$/, "");
	}
	rest += decoder.decode();
	if (rest !== "") yield rest;
}
