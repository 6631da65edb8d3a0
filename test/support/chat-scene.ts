/** A chat on a terminal that is drawn on, with a model that follows a script. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ScriptedAnswer, startOpenAiServer } from "./openai-server.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { type HermesOnScreen, startOnScreen, type TerminalSize } from "./terminal-screen.ts";

/** How the chat begins. */
export interface ChatSceneOptions extends TerminalSize {
	readonly answers: readonly ScriptedAnswer[];
	/** Files in the home, by path. */
	readonly files?: Readonly<Record<string, string>>;
	readonly args?: readonly string[];
	/** `PLACE` in a value stands for the home. */
	readonly env?: Readonly<Record<string, string>>;
}

/** The chat, its model, and its home. */
export interface ChatScene extends AsyncDisposable {
	readonly hermes: HermesOnScreen;
	readonly home: string;
	/** What names the model on a command line. */
	readonly modelFlags: readonly string[];
	/** The last message of each request. */
	asked(): readonly string[];
	readonly requests: ReturnType<typeof startOpenAiServer>["requests"];
	/** Leaves, and starts again in the same home with the same model. */
	again(args: readonly string[], size?: TerminalSize): Promise<HermesOnScreen>;
}

/** Starts the chat and waits until it is open. */
export async function startChat({
	answers,
	files = {},
	args = [],
	env,
	...size
}: ChatSceneOptions): Promise<ChatScene> {
	const home = temporaryFolder();
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(home.path, path)), { recursive: true });
		writeFileSync(join(home.path, path), text);
	}
	const server = startOpenAiServer(answers);
	const modelFlags = ["-m", "test-model", "--base-url", server.url];
	const started: HermesOnScreen[] = [];
	const start = async (more: readonly string[], terminal: TerminalSize) => {
		const all = [...modelFlags, ...more];
		const variables = Object.entries(env ?? {}).map(([name, value]) => [name, value.replaceAll("PLACE", home.path)]);
		const hermes = startOnScreen(all, { home: home.path, env: Object.fromEntries(variables), ...terminal });
		started.push(hermes);
		await hermes.shows("test-model · ");
		return hermes;
	};
	const hermes = await start(args, size);
	return {
		hermes,
		home: home.path,
		modelFlags,
		asked: () => server.requests.map(({ body }) => String(body.messages.at(-1)?.content)),
		requests: server.requests,
		again: (more, terminal = size) => start(more, terminal),
		async [Symbol.asyncDispose]() {
			for (const run of started) await run[Symbol.asyncDispose]();
			await server[Symbol.asyncDispose]();
			home[Symbol.dispose]();
		},
	};
}

/** An answer that calls `terminal`. */
export function runsCommand(command: string, text = ""): ScriptedAnswer {
	return { text, toolCalls: [{ name: "terminal", arguments: JSON.stringify({ command }) }] };
}

/** `text` in pieces of `length` characters, as a model streams it. */
export function streamed(text: string, length = 8): ScriptedAnswer {
	const characters = [...text];
	const pieces = Array.from({ length: Math.ceil(characters.length / length) }, (_, at) =>
		characters.slice(at * length, (at + 1) * length).join(""),
	);
	return { deltas: pieces.map((content) => ({ content })) };
}
