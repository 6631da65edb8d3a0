/** `hermes sessions show`: one session, message by message. */

import { z } from "zod";
import { listedSession } from "../../commands/listed-session.ts";
import { imageLabel } from "../../images/image-text.ts";
import type { StoredMessage } from "../../store/store.ts";
import { jsonFlag } from "../common-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { visible } from "../runtime/paint.ts";
import { findSession } from "../runtime/past-session.ts";
import { defineAction } from "../subcommand.ts";
import { openSessions } from "./open-sessions.ts";
import { isoTime, sessionLine, sessionRow } from "./shown.ts";

const shownLines = 8;

/** What was said, oldest first. */
export const show = defineAction({
	summary: "Show what was said in a session",
	operands: "SESSION",
	completes: "sessions",
	flags: jsonFlag.extend({
		full: z.boolean().default(false).meta({ description: "Tool calls and their results as a whole" }),
	}),

	async run({ flags: { json, full }, operands: [name = ""] }, cli) {
		using store = openSessions(cli);
		const session = findSession(store, name);
		const listed = listedSession(store, session);
		const messages = store.listChainMessages(session.id);
		if (json) {
			const said = messages.map(({ id, timestamp, message }) => ({
				id,
				timestamp: isoTime(timestamp),
				...messageKeys(message),
			}));
			cli.stdout.write(`${JSON.stringify({ ...sessionRow(listed), messages: said }, null, 2)}\n`);
			return exitCodes.ok;
		}
		cli.stdout.write(sessionLine(listed));
		for (const message of messages) cli.stdout.write(`\n${shownMessage(message, full)}\n`);
		return exitCodes.ok;
	},
});

function messageKeys(message: StoredMessage["message"]) {
	switch (message.role) {
		case "tool":
			return {
				role: message.role,
				content: message.content,
				tool_name: message.toolName,
				tool_call_id: message.toolCallId,
			};
		case "assistant":
			return {
				role: message.role,
				content: message.content,
				...(message.toolCalls.length > 0 && {
					tool_calls: message.toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
				}),
			};
		case "user":
			return {
				role: message.role,
				content: message.content,
				...(message.images !== undefined && { images: message.images }),
			};
		default:
			return { role: message.role, content: message.content };
	}
}

function shownMessage({ id, message }: StoredMessage, full: boolean): string {
	const head = `[${id}] ${message.role === "tool" ? `${message.role} ${message.toolName}` : message.role}`;
	const text = message.role === "tool" && !full ? firstLines(message.content) : message.content;
	const calls = message.role === "assistant" ? message.toolCalls : [];
	const asked = calls.map(({ name, arguments: args }) => `▸ ${name} ${full ? args : firstLines(args)}`);
	const images = message.role === "user" ? (message.images ?? []) : [];
	const shown = images.map((image) => `[image ${imageLabel(image)}]`);
	return visible([head, ...shown, ...(text === "" ? [] : [text]), ...asked].join("\n"));
}

function firstLines(text: string): string {
	const lines = text.split("\n");
	const shown = lines.slice(0, shownLines).map((line) => (line.length > 300 ? `${line.slice(0, 300)}…` : line));
	return lines.length > shownLines
		? [...shown, `… ${lines.length - shownLines} more lines`].join("\n")
		: shown.join("\n");
}
