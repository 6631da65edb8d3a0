/** The commands of the line chat: words that begin with a slash and are not for the model. */

import { attemptAsync } from "../../base/attempt.ts";
import { nearestName } from "../../base/nearest-name.ts";
import type { Interruption } from "../interruption.ts";
import type { Output } from "../output.ts";
import type { Conversation } from "../runtime/open-conversation.ts";
import { printable } from "../runtime/paint.ts";
import { sessionCommands } from "./session-commands.ts";

/** What a command may act on and say. */
export interface ChatScene {
	readonly conversation: Pick<
		Conversation,
		"compress" | "model" | "provider" | "reload" | "resume" | "sessionId" | "startNew" | "store" | "used" | "useModel"
	>;
	readonly output: Output;
	/** Ctrl-C stops what takes a while. */
	readonly interruption: Pick<Interruption, "openTurn">;
}

/** What the chat does next. */
export type AfterCommand = "stay" | "leave";

/** One command. */
export interface SlashCommand {
	/** As help shows it: `/model [NAME]`. */
	readonly form: string;
	readonly meaning: string;
	run(scene: ChatScene, argument: string): AfterCommand | undefined | Promise<undefined>;
}

const commands: Readonly<Record<string, SlashCommand>> = {
	"/help": { form: "/help", meaning: "this list", run: showHelp },
	"/model": { form: "/model [NAME]", meaning: "show the model, or ask another one from now on", run: showOrUseModel },
	"/new": { form: "/new", meaning: "a new session", run: startNew },
	...sessionCommands,
	"/compress": {
		form: "/compress [FOCUS]",
		meaning: "sum up what was said before; FOCUS is what must be kept",
		run: compress,
	},
	"/usage": { form: "/usage", meaning: "tokens that this session has used", run: showUsage },
	"/quit": { form: "/quit", meaning: "leave (or Ctrl-D)", run: () => "leave" },
	"/exit": { form: "/exit", meaning: "the same", run: () => "leave" },
};

/**
 * Runs `line` when it is a command, else gives undefined: it is a question. A lone word with one slash is a command even when
 * nobody knows it; a path, or a sentence that begins with an unknown word, is for the model (#5057).
 */
export async function runSlashCommand(line: string, scene: ChatScene): Promise<AfterCommand | undefined> {
	const [name = "", ...words] = line.split(/\s+/);
	const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
	if (command !== undefined) return (await command.run(scene, words.join(" "))) ?? "stay";
	if (!/^\/[\w-]+$/.test(line)) return undefined;
	const near = nearestName(name, Object.keys(commands)) ?? "/help";
	scene.output.write(`Unknown command ${name}; did you mean ${near}?\n`);
	return "stay";
}

function showHelp({ output }: ChatScene): undefined {
	const width = Math.max(...Object.values(commands).map(({ form }) => form.length)) + 2;
	for (const { form, meaning } of Object.values(commands)) output.write(`  ${form.padEnd(width)}${meaning}\n`);
}

function startNew({ conversation, output }: ChatScene): undefined {
	conversation.startNew();
	output.write(`New session ${conversation.sessionId}\n`);
}

function showOrUseModel({ conversation, output }: ChatScene, name: string): undefined {
	const { id, baseUrl } = conversation.provider;
	if (name === "") {
		const where = baseUrl === undefined ? id : `${id}, ${baseUrl}`;
		output.write(`Model ${conversation.model} (${where})\n`);
	} else if (/\s/.test(name)) {
		output.write("Cannot use two models: say /model NAME\n");
	} else {
		conversation.useModel(name);
		output.write(`Model ${name} from now on\n`);
	}
}

async function compress({ conversation, output, interruption }: ChatScene, words: string): Promise<undefined> {
	using turn = interruption.openTurn();
	const focus = words.trim() === "" ? undefined : words.trim();
	const done = await attemptAsync(() => conversation.compress(focus, turn.signal));
	if (!done.ok) output.write(`${printable(`Cannot shorten the session: ${done.reason}`)}\n`);
	else if (!done.value) output.write("There is nothing to shorten yet\n");
}

function showUsage({ conversation, output }: ChatScene): undefined {
	const { modelCalls, tokens } = conversation.used;
	const rows: readonly (readonly [string, number])[] = [
		["model calls", modelCalls],
		["input tokens", tokens.inputTokens + tokens.cacheReadTokens + tokens.cacheWriteTokens],
		["  from the cache", tokens.cacheReadTokens],
		["  into the cache", tokens.cacheWriteTokens],
		["output tokens", tokens.outputTokens],
		["  for reasoning", tokens.reasoningTokens],
	];
	output.write(`Session ${conversation.sessionId}\n`);
	for (const [name, count] of rows) output.write(`  ${name.padEnd(18)}${count.toLocaleString("en-US").padStart(12)}\n`);
}
