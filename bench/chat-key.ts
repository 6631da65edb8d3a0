/** How soon a key is on the screen while a long answer streams in. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineBench } from "./bench.ts";
import { buildProgram, builtHermes } from "./compiled-binaries.ts";
import { openOnTerminal } from "./on-terminal.ts";

/** 40,000 characters a second: ten times what fast models write. */
const wordLength = 20;
const wordsAtOnce = 20;
const pauseMs = 10;
const echo = `process.stdin.setRawMode(true);
process.stdin.on("data", (keys) => process.stdout.write(keys));
console.log("ready");
`;

export default defineBench({
	operation: "a key in the editor of hermes, while an answer of 1 MB streams in (p95 less than 8 ms)",
	floor: "a key that a compiled program writes back",
	samples: 300,

	async open() {
		const home = mkdtempSync(join(tmpdir(), "hermes-bench-"));
		const server = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			idleTimeout: 0,
			fetch: () => new Response(stream(), sse),
		});
		const address = `http://127.0.0.1:${server.port}/v1`;
		const hermes = openOnTerminal([await builtHermes(), "-m", "m", "--base-url", address], home);
		const plain = openOnTerminal([await buildProgram("echo", echo)], home);
		await plain.shows("ready");
		await hermes.shows("m · local");
		hermes.type("go\r");
		await hermes.shows("streaming");
		let key = 0;
		// Upper case appears nowhere in the answer. The line is emptied before a letter comes again.
		const press = async (program: typeof hermes, letter: string) => {
			program.type(letter);
			await program.shows(letter);
		};
		return {
			async operation() {
				const letter = String.fromCharCode(65 + (key++ % 26));
				if (letter === "A") hermes.type("\u0015");
				await press(hermes, letter);
			},
			floor: () => press(plain, String.fromCharCode(97 + (key % 26))),
			async [Symbol.asyncDispose]() {
				await hermes[Symbol.asyncDispose]();
				await plain[Symbol.asyncDispose]();
				await server.stop(true);
				rmSync(home, { recursive: true, force: true });
			},
		};
	},
});

const sse = { headers: { "content-type": "text/event-stream" } };

/** Paragraphs and code, for as long as somebody reads. */
function stream(): ReadableStream {
	const chunk = { id: "1", object: "chat.completion.chunk", created: 0, model: "m" };
	const paragraph = "streaming words that go on and on until the line is full and wraps, and then some more. ".repeat(
		4,
	);
	const code = `\`\`\`ts\n${"const value = 42; // a number\n".repeat(20)}\`\`\``;
	const text = `${paragraph}\n\n${paragraph}\n\n${code}\n\n`;
	let at = 0;
	const next = () => {
		const content = text.slice(at, at + wordLength);
		at = at + wordLength >= text.length ? 0 : at + wordLength;
		return { ...chunk, choices: [{ index: 0, delta: { content }, finish_reason: null }] };
	};
	return new ReadableStream({
		async pull(controller) {
			const words = Array.from({ length: wordsAtOnce }, () => `data: ${JSON.stringify(next())}\n\n`);
			controller.enqueue(new TextEncoder().encode(words.join("")));
			await Bun.sleep(pauseMs);
		},
	});
}
