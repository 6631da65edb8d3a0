/** One question, its answer, and an exit code that says how it went. */

import type { AgentEvent, TurnFinished } from "../../agent/events.ts";
import { addUsage } from "../../agent/tally.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { type Conversation, openConversation } from "../runtime/open-conversation.ts";
import { paintFor, visible } from "../runtime/paint.ts";
import { createTextPrinter, endingLine } from "../runtime/print-text.ts";
import { openTerminalLines } from "../runtime/terminal-lines.ts";
import type { Cli } from "../subcommand.ts";
import { conversationOptions } from "./conversation-options.ts";
import type { ConversationFlags } from "./flags.ts";
import { shownImages } from "./shown-images.ts";

/** What came of one question. */
export interface Asked {
	readonly finished: TurnFinished;
	/** Nobody could be asked whether a call may run. */
	readonly nobodyToAsk: boolean;
}

/** Asks `question`, prints what `--output` and `-Q` want, and returns the exit code. */
export async function runOnce(question: string, flags: ConversationFlags, cli: Cli): Promise<number> {
	const asked = await askOnce(question, flags, cli);
	return cli.interruption.exitCode() ?? exitCodeOf(asked);
}

/** Asks `question` and prints what `--output` and `-Q` want. */
export async function askOnce(question: string, flags: ConversationFlags, cli: Cli): Promise<Asked> {
	if (question.trim() === "") throw new UsageError("Cannot ask: the question is empty");
	const images = await shownImages(cli, flags.image);
	using terminal = openTerminalLines();
	const options = await conversationOptions(flags, cli, terminal);
	const emit = printerOf(flags, cli);
	await using conversation = await openConversation(cli, { ...options, emit });
	const { signal } = cli.interruption;
	const first = await conversation.runTurn(question, signal, images);
	const finished = flags.noWait === true ? first : await tellNews(conversation, first, signal);
	sayWhatRuns(conversation, cli);
	printResult(finished, flags, { cli, conversation });
	return { finished, nobodyToAsk: options.approval === "deny" };
}

/** Stays until what was to be told of background processes has been told, each in a turn of its own. */
async function tellNews(conversation: Conversation, first: TurnFinished, signal: AbortSignal): Promise<TurnFinished> {
	const { news } = conversation;
	let finished = first;
	while (finished.ended === "answered" && news.isExpected) {
		await news.wait(signal);
		if (signal.aborted) return finished;
		const text = news.take();
		if (text === undefined) continue;
		const next = await conversation.runTurn(text, signal);
		finished = {
			...next,
			model_calls: finished.model_calls + next.model_calls,
			denied_calls: finished.denied_calls + next.denied_calls,
			usage: addUsage(finished.usage, next.usage),
		};
	}
	return finished;
}

function sayWhatRuns({ news }: Conversation, cli: Cli): void {
	const say = (title: string, list: readonly string[]) => {
		if (list.length === 0) return;
		cli.stderr.write(`hermes: ${title}:\n${list.map((line) => `  ${visible(line)}\n`).join("")}`);
	};
	say("still running in the background (hermes ps shows them)", news.running());
	say("sub-agents that end now (hermes agents shows what is known of them)", news.working());
}

function printerOf(flags: ConversationFlags, cli: Cli): (event: AgentEvent) => void {
	if (flags.output === "stream-json") return (event) => cli.stdout.write(`${JSON.stringify(event)}\n`);
	const isSilent = flags.output === "json" || flags.quiet;
	if (isSilent && !flags.verbose) return () => {};
	const paint = paintFor(cli.stderr, cli.environment);
	return createTextPrinter({ text: isSilent ? cli.stderr : cli.stdout, progress: cli.stderr, paint });
}

/** Prints what is only known at the end. */
function printResult(
	finished: TurnFinished,
	flags: ConversationFlags,
	{ cli, conversation }: { cli: Cli; conversation: Conversation },
): void {
	if (flags.output === "text" && !flags.quiet) return;
	if (!flags.verbose) cli.stderr.write(endingLine(finished));
	const { type: _, ...result } = finished;
	if (flags.output === "json") cli.stdout.write(`${JSON.stringify({ ...result, model: conversation.model })}\n`);
	if (flags.output !== "text" || finished.text === "") return;
	cli.stdout.write(finished.text.endsWith("\n") ? finished.text : `${finished.text}\n`);
	if (finished.ended === "answered") cli.stderr.write(`session_id: ${finished.session_id}\n`);
}

function exitCodeOf({ finished: { ended, denied_calls }, nobodyToAsk }: Asked): number {
	if (ended === "interrupted") return exitCodes.interrupted;
	if (ended === "failed") return exitCodes.failure;
	if (nobodyToAsk && denied_calls > 0) return exitCodes.denied;
	return ended === "answered" ? exitCodes.ok : exitCodes.failure;
}
