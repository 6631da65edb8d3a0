/** What a chat on the screen knows: whether it is open, which turn runs, and the facts of its status line. */

import type { AgentEvent } from "../../agent/events.ts";
import type { BusyTurn } from "../conversation/busy-turn.ts";
import type { ChatCommands } from "../conversation/chat-commands.ts";
import type { Conversation } from "../runtime/open-conversation.ts";
import { visible } from "../runtime/paint.ts";
import type { StatusFacts } from "./status-line.ts";

/** The state of one chat. */
export interface ChatState {
	/** The turn that runs. */
	turn: BusyTurn | undefined;
	/** A word about a key, until the next key. */
	hint: string | undefined;
	/** Undefined until the conversation is open. */
	readonly commands: ChatCommands | undefined;
	opened(conversation: Conversation, commands: ChatCommands, home: string): void;
	/** Takes what an event tells about usage. */
	saw(event: AgentEvent): void;
	facts(): StatusFacts;
}

/** A chat that is not open yet. */
export function createChatState(): ChatState {
	let open: { readonly conversation: Conversation; readonly commands: ChatCommands; readonly home: string } | undefined;
	let used: number | undefined;
	let cost: number | undefined;
	const place = () => {
		const shell = open?.conversation.place.shell;
		if (shell === undefined || open === undefined) return undefined;
		const { cwd } = shell;
		const short = cwd === open.home || cwd.startsWith(`${open.home}/`) ? `~${cwd.slice(open.home.length)}` : cwd;
		return visible(`${shell.ranOn}:${short}`);
	};
	return {
		turn: undefined,
		hint: undefined,
		get commands() {
			return open?.commands;
		},
		opened(conversation, commands, home) {
			open = { conversation, commands, home };
		},
		saw(event) {
			if (event.type !== "turn_finished") return;
			const { usage, cost_usd, model_calls } = event;
			if (cost_usd !== undefined) cost = (cost ?? 0) + cost_usd;
			if (model_calls > 0)
				used = Math.round((usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens) / model_calls);
		},
		facts() {
			return {
				hint: this.hint ?? (open === undefined ? "opening …" : undefined),
				model: open && visible(open.conversation.model),
				place: place(),
				context: used === undefined ? undefined : { used },
				cost,
			};
		},
	};
}
