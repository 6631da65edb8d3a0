/** What a chat on the screen knows: whether it is open, which turn runs, and the facts of its status line. */

import type { AgentEvent } from "../../agent/events.ts";
import type { BusyTurn } from "../conversation/busy-turn.ts";
import type { ChatCommands } from "../conversation/chat-commands.ts";
import type { Conversation } from "../runtime/open-conversation.ts";
import { visible } from "../runtime/paint.ts";
import type { StatusFacts } from "./status-line.ts";

/** A chat that is open. */
export interface OpenChat {
	readonly conversation: Conversation;
	readonly commands: ChatCommands;
	/** The user's home. */
	readonly home: string;
	/** Tokens that `model` can take; undefined when nobody knows. */
	windowOf(model: string): number | undefined;
}

/** The state of one chat. */
export interface ChatState {
	/** The turn that runs. */
	turn: BusyTurn | undefined;
	/** A command works, and no turn does: Ctrl-C stops it. */
	isCommanded: boolean;
	/** A word about a key, until the next key. */
	hint: string | undefined;
	/** Whether more than hints is shown of the facts. */
	showsFacts: boolean;
	/** Puts what the clipboard holds into the editor; does nothing until the chat is open. */
	pasteClipboard(): void;
	/** Ends the run, whatever it does. */
	stop(): void;
	/** Undefined until the conversation is open. */
	readonly commands: ChatCommands | undefined;
	opened(chat: OpenChat): void;
	/** Takes what an event tells about usage. */
	saw(event: AgentEvent): void;
	facts(): StatusFacts;
}

/** A chat that is not open yet. */
export function createChatState(): ChatState {
	let open: OpenChat | undefined;
	/** Of one session: another one begins without. */
	let used: { readonly sessionId: string; readonly tokens: number } | undefined;
	let cost: number | undefined;
	let subagents = 0;
	const context = (): StatusFacts["context"] => {
		if (open === undefined || used === undefined || used.sessionId !== open.conversation.sessionId) return undefined;
		return { used: used.tokens, limit: open.windowOf(open.conversation.model) };
	};
	return {
		turn: undefined,
		isCommanded: false,
		hint: undefined,
		showsFacts: true,
		pasteClipboard() {},
		stop() {},
		get commands() {
			return open?.commands;
		},
		opened(chat) {
			open = chat;
		},
		saw(event) {
			if (event.type === "subagent" && event.event === "started") subagents++;
			if (event.type === "subagent" && event.event === "finished") subagents = Math.max(0, subagents - 1);
			if (event.type !== "turn_finished") return;
			const { context_tokens: tokens, cost_usd, session_id: sessionId } = event;
			if (cost_usd !== undefined) cost = (cost ?? 0) + cost_usd;
			if (tokens !== undefined) used = { sessionId, tokens };
		},
		facts() {
			const hint = this.hint ?? (open === undefined ? "opening …" : undefined);
			if (!this.showsFacts) return { hint };
			return {
				hint,
				model: open && visible(open.conversation.model),
				place: open && placeText(open),
				context: context(),
				cost,
				subagents,
			};
		},
	};
}

function placeText({ conversation, home }: OpenChat): string {
	const { ranOn, cwd } = conversation.place.shell;
	const isAtHome = conversation.place.backend === "local" && (cwd === home || cwd.startsWith(`${home}/`));
	return visible(`${ranOn}:${isAtHome ? `~${cwd.slice(home.length)}` : cwd}`);
}
