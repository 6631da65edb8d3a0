/** The sessions of one conversation, one after the other. */

import { addUsage, noUsage } from "../../agent/tally.ts";
import type { MessageImage, TokenUsage } from "../../base/conversation.ts";
import type { ReasoningEffort } from "../../providers/provider.ts";
import { CommandFailed } from "../exit-codes.ts";
import type { Cli } from "../subcommand.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import { openNamedProvider } from "./live-provider.ts";
import type { ConversationOptions } from "./open-conversation.ts";
import type { OpenedProvider } from "./open-provider.ts";
import { openSession } from "./open-session.ts";
import { openPastSession, type SessionChoice } from "./past-session.ts";

/** The counts of all turns of a session. */
export interface SessionUsage {
	readonly modelCalls: number;
	readonly tokens: TokenUsage;
}

const nothingUsed: SessionUsage = { modelCalls: 0, tokens: noUsage };

/** Opens the first one; `parts.past` is what it goes on from. */
export function createSessions(
	cli: Cli,
	options: ConversationOptions,
	{ become, ...parts }: ConversationParts & { become(next: OpenedProvider): void },
) {
	let model = modelOf(options, parts);
	let effort: ReasoningEffort | undefined;
	let session = openSession(cli, options, { ...parts, model });
	let used = nothingUsed;
	const end = (reason: string) => {
		parts.store?.endSession(session.id, reason);
		session.release();
	};
	const reopened = (choice: SessionChoice) => {
		const { store } = parts;
		if (store === undefined) throw new CommandFailed("Cannot go on with a session: this conversation is not kept");
		const past = openPastSession(store, choice);
		return { past, next: openSession(cli, options, { ...parts, past, model, effort }) };
	};
	return {
		current: () => session,
		model: () => model,
		used: () => used,
		steer: (text: string) => session.steer(text),
		async runTurn(text: string, signal: AbortSignal, images?: readonly MessageImage[]) {
			const finished = await session.runTurn(text, signal, images);
			used = {
				modelCalls: used.modelCalls + finished.model_calls,
				tokens: addUsage(used.tokens, finished.usage),
			};
			return finished;
		},
		useModel(name: string) {
			model = name;
			session.ask({ model: name });
		},
		async useProvider(named: string, wanted: string | undefined) {
			const { store, provider } = parts;
			if (store === undefined) throw new CommandFailed("Cannot change the provider: this conversation is not kept");
			become(await openNamedProvider(cli, { config: options.config, named, model: wanted }));
			({ model } = provider);
			// First: a session that another provider goes on with gets another prompt.
			session = reopened({ named: session.id }).next;
			store.useProvider(session.id, { model, provider: provider.id, baseUrl: provider.baseUrl ?? null });
		},
		effort: () => effort ?? options.config.get("agent.reasoning_effort"),
		useEffort(chosen: ReasoningEffort) {
			effort = chosen;
			session.ask({ effort: chosen });
		},
		startNew() {
			end("new_session");
			session = openSession(cli, options, { ...parts, past: undefined, model, effort });
			used = nothingUsed;
		},
		/** Without a choice the session that is open is read again. */
		resume(choice: SessionChoice | undefined) {
			const { past, next } = reopened(choice ?? { named: session.id });
			if (past.session.id !== session.id) {
				end("resumed_other");
				used = nothingUsed;
			}
			session = next;
		},
		end: () => end(cli.interruption.exitCode() === undefined ? "cli_close" : "interrupted"),
	};
}

/** The model that the session had, as long as the same provider answers and the user has named none. */
function modelOf({ config }: ConversationOptions, { provider, past }: ConversationParts): string {
	const { session } = past ?? {};
	const isNamed = config.find("model.default")?.origin.kind === "flag";
	const isSame = session?.provider === provider.id && session.baseUrl === (provider.baseUrl ?? null);
	return isSame && !isNamed ? (session.model ?? provider.model) : provider.model;
}
