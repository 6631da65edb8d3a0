/** Lets the sudos of one command ask for a password when they need one, and only then. */

import { quoteWord } from "../../../base/shell-quoting.ts";
import { sudoWords } from "../../../security/sudo-words.ts";
import type { Running } from "../../backend.ts";
import type { Shell } from "../shell.ts";
import { askpassHelper } from "./askpass-script.ts";

/** A command that can be run. Dispose it when the command has ended. */
export interface SudoCommand extends AsyncDisposable {
	readonly command: string;
}

/** A sandbox that does not start the helper in this time starts nothing else either. */
const startLimitMs = 20_000;

/**
 * `command` with each sudo that it runs itself told to ask us. Standard input stays the command's own. Where nobody can answer,
 * or nothing can be asked, it stays as it is, and sudo says what is missing.
 * @throws {BackendUnavailable} When the sandbox is broken.
 */
export async function openSudo(shell: Shell, command: string, signal: AbortSignal): Promise<SudoCommand> {
	const asIs: SudoCommand = { command, [Symbol.asyncDispose]: async () => undefined };
	if (shell.sudo?.canAnswer !== true) return asIs;
	const words = sudoWords(command);
	if (words.length === 0) return asIs;
	const running = await startHelper(shell, signal);
	const lines = linesOf(running.output);
	const folder = await firstLine(lines);
	if (folder === undefined) {
		await running.kill();
		return asIs;
	}
	const serving = serve(shell, { running, lines, signal });
	return {
		command: rewritten(command, words, `${folder}/askpass`),
		async [Symbol.asyncDispose]() {
			await running.kill();
			await serving;
		},
	};
}

function startHelper({ sandbox, state }: Shell, signal: AbortSignal): Promise<Running> {
	const { variables } = state.values;
	const env: Record<string, string> = {};
	for (const name of ["PATH", "HOME", "TMPDIR", "XDG_RUNTIME_DIR"]) {
		const value = variables.get(name);
		if (value !== undefined) env[name] = Buffer.from(value, "latin1").toString("utf8");
	}
	return sandbox.start(["/bin/sh", "-c", askpassHelper, "hermes-sudo"], { env, cwd: "/", stdin: "pipe", signal });
}

async function firstLine(lines: AsyncGenerator<string>): Promise<string | undefined> {
	const late = Bun.sleep(startLimitMs).then(() => undefined);
	const line = await Promise.race([lines.next().then(({ value, done }) => (done ? undefined : value)), late]);
	return line?.startsWith("/") ? line : undefined;
}

interface Serving {
	readonly running: Running;
	readonly lines: AsyncGenerator<string>;
	readonly signal: AbortSignal;
}

/** Until the helper ends. */
async function serve({ sudo, ranOn }: Shell, { running, lines, signal }: Serving): Promise<void> {
	const writer = running.stdin?.getWriter();
	try {
		for await (const line of lines) {
			if (line === "again") sudo?.forget(ranOn);
			if (line !== "ask") continue;
			const password = await sudo?.get(ranOn, signal);
			await writer?.write(Buffer.from(password === undefined ? "-\n" : `+${password}\n`));
		}
	} catch {
		// The command has ended, or its sandbox has: whoever waits for the command says so.
	}
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = "";
	for await (const chunk of stream) {
		const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
		rest = lines.pop() ?? "";
		yield* lines;
	}
}

/** The path goes to sudo alone: nothing else of the command needs it. */
function rewritten(command: string, words: ReturnType<typeof sudoWords>, askpass: string): string {
	let text = "";
	let at = 0;
	for (const { start, end } of words) {
		text += `${command.slice(at, start)}env SUDO_ASKPASS=${quoteWord(askpass)} ${command.slice(start, end)} -A`;
		at = end;
	}
	return text + command.slice(at);
}
