/** From the flags of a conversation to what the runtime opens. */

import { readFileSync } from "node:fs";
import type { Tape } from "../../providers/provider.ts";
import { CommandFailed, UsageError } from "../exit-codes.ts";
import { approvalMode, childApprovalMode } from "../runtime/approval-mode.ts";
import type { ConversationOptions } from "../runtime/open-conversation.ts";
import type { SessionChoice } from "../runtime/past-session.ts";
import { openSettings } from "../runtime/settings.ts";
import type { TerminalLines } from "../runtime/terminal-lines.ts";
import type { Cli } from "../subcommand.ts";
import type { ConversationFlags } from "./flags.ts";

/** Everything but where events go. A question about a call needs a terminal to read from and one to show it on. */
export async function conversationOptions(
	flags: ConversationFlags,
	cli: Cli,
	terminal: TerminalLines,
): Promise<Omit<ConversationOptions, "emit">> {
	const config = await openSettings(cli, flags);
	const { toolsets, disabledToolsets, record, cassette } = flags;
	const canAsk = cli.stdinIsTerminal && cli.stderr.isTerminal;
	const surface = canAsk ? "terminal" : "headless";
	return {
		config,
		toolsets,
		disabledToolsets,
		approval: approvalMode(cli, config, { surface, yolo: flags.yolo }),
		childApproval: childApprovalMode(cli, config, flags),
		terminal,
		record,
		keep: true,
		resume: resumeChoice(flags),
		...(cassette !== undefined && { tape: readTape(cassette) }),
	};
}

/** @throws {UsageError} When two sessions are meant. */
function resumeChoice({ resume, continue: latest }: ConversationFlags): SessionChoice | undefined {
	if (resume !== undefined && latest !== undefined) throw new UsageError("Cannot use --resume and --continue together");
	if (resume !== undefined) return { named: resume };
	if (latest === undefined) return undefined;
	return { latest: true, ...(latest !== true && { title: latest }) };
}

/**
 * The cassette in the file `path`.
 * @throws {CommandFailed} When it cannot be read.
 */
export function readTape(path: string, values: Tape["values"] = {}): Tape {
	try {
		return { name: path, text: readFileSync(path, "utf8"), values };
	} catch (cause) {
		const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
		throw new CommandFailed(`Cannot play cassette "${path}": ${code === "ENOENT" ? "there is no such file" : code}`, {
			cause,
		});
	}
}
