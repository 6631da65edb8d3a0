/** The contract of a provider: what a file in `lib/providers/` exports by default, and how one model call streams. */

import type { AssistantMessage, Message, TokenUsage } from "../base/conversation.ts";

/** A tool as the model sees it. `parameters` is a JSON Schema object. */
export interface ToolDefinition {
	readonly name: string;
	readonly description: string;
	readonly parameters: Readonly<Record<string, unknown>>;
}

/** One question to a model, with all that was said before. */
export interface ModelRequest {
	readonly model: string;
	readonly messages: readonly Message[];
	readonly tools: readonly ToolDefinition[];
	/** `none`: the answer must be words. The tools stay in the request, so that caches still know its beginning. */
	readonly toolChoice?: "none";
	/** Tokens the answer may have; the model's own limit when left out. */
	readonly maxOutputTokens?: number;
	/** How much the model thinks before it answers; its own habit when left out. */
	readonly effort?: ReasoningEffort;
	/** Names the conversation to caches of the provider; the same for all its calls. */
	readonly cacheKey?: string;
	/**
	 * Base64 of the images in `messages`, by their hash. Of one that is not here the model gets the name.
	 */
	readonly images?: ReadonlyMap<string, string>;
	/** Fields that are put into the body as they are, in the place of those that have the same name. */
	readonly extraBody?: Readonly<Record<string, unknown>>;
	/** Is given what the far side sent, word for word, when its answer has ended well. */
	onRaw?(answer: RawAnswer): void;
}

/** The body of an answer as it came, and the wire that can read it. */
export interface RawAnswer {
	readonly wire: WireName;
	/** The provider's id: what it put beside its answers goes back to it alone. */
	readonly provider: string;
	readonly contentType: string;
	readonly body: string;
}

/** The languages that models are spoken to in. */
export type WireName = "chat-completions" | "responses" | "anthropic-messages" | "gemini";

/** From no thinking to as much as the model can. A wire sends the nearest that its model knows. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** What arrives while a model answers. The last chunk is always `finished`, with the whole message. */
export type ModelChunk =
	| { readonly type: "text"; readonly text: string }
	| { readonly type: "reasoning"; readonly text: string }
	| {
			readonly type: "finished";
			readonly message: AssistantMessage;
			readonly usage?: TokenUsage;
			/** What the call cost in millionths of a US dollar, where the provider says so itself. */
			readonly costMicroUsd?: number;
	  };

/** An open way to one provider. */
export interface ModelClient {
	/** @throws {ProviderRefused} When the far side refuses, answers what cannot be read, or stops answering. */
	complete(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
}

/** What the command line, the environment and the configuration say about one provider. */
export interface ProviderSettings {
	readonly baseUrl?: string;
	/** The first of the provider's `keyNames` that is set. Never logged, never shown. */
	readonly apiKey?: string;
	/** Where the key was found, for messages about it: a variable, or the label of a stored one. */
	readonly keySource?: string;
	readonly tape?: Tape;
	/** Seconds without a part of an answer before a stream counts as dead. */
	readonly stallSeconds: number;
	/** How long a provider keeps a marked part of a prompt; five minutes when left out. */
	readonly cacheTtl?: "5m" | "1h";
	readonly network?: Network;
	/** The language of an endpoint that could be of any; chat completions when left out. */
	readonly wire?: WireName;
	/** The name under which the user asked for the provider, when it is an alias. */
	readonly preset?: string;
	/** Those of the provider's `variableNames` that are set. Never logged, never shown. */
	readonly variables?: Readonly<Record<string, string>>;
	/** Answers instead of the network. */
	readonly answer?: () => Response;
}

/** How requests leave this machine. */
export interface Network {
	/** Addresses of proxies for requests to other machines that `noProxy` does not name, by the scheme of the request. */
	readonly httpProxy?: string;
	readonly httpsProxy?: string;
	/** Hosts that are reached without it, as NO_PROXY lists them. */
	readonly noProxy?: string;
	/** Certificates of authorities to trust besides the usual ones, in PEM. */
	readonly authorities?: string;
}

/** The text of a cassette and the values of its `{{name}}` templates. */
export interface Tape {
	/** Where it came from, for error messages. */
	readonly name: string;
	readonly text: string;
	readonly values: Readonly<Record<string, string>>;
}

/** What a file in `lib/providers/` exports by default. */
export interface Provider {
	readonly id: string;
	readonly aliases: readonly string[];
	readonly description: string;
	/** Environment names of the key, most specific first; empty for a provider without keys. */
	readonly keyNames: readonly string[];
	/** Addresses of keys that are for another place of the same maker, by their names; such a key goes nowhere else. */
	readonly keyAddresses?: Readonly<Record<string, string>>;
	/** Environment names that it wants besides: parts of credentials that are no single key. */
	readonly variableNames?: readonly string[];
	/** Environment names of an address that replaces the provider's own. */
	readonly baseUrlNames?: readonly string[];
	/** The provider's own address; the key goes nowhere else unless the user names another. */
	readonly baseUrl?: string;
	/** An address that depends on the environment (a region); undefined when nothing there says one. */
	baseUrlIn?(variables: Readonly<Record<string, string>>): string | undefined;
	/** Models to offer when the provider cannot be asked for its list. */
	readonly models?: readonly string[];
	/** Gets a key through the user's browser, where the provider documents how any program may. */
	login?(options: LoginOptions): Promise<string>;
	/** Used when `-m` is not given; undefined means that the user must name one. */
	readonly defaultModel?: string;
	/** @throws {ProviderRefused} When a setting is missing or wrong; nothing is sent. */
	open(settings: ProviderSettings): Promise<ModelClient>;
}

/** What a login is given. */
export interface LoginOptions {
	readonly signal: AbortSignal;
	readonly network: Network;
	/** Shows the user the page to open. */
	show(url: string): void;
	/** Another address of the service, for tests. */
	readonly baseUrl?: string;
}

/** Checks `provider` against the contract. */
export function defineProvider(provider: Provider): Provider {
	return provider;
}

/** Why a provider did not answer; decides what the loop does next. */
export type RefusalKind =
	| "settings"
	/** This key is not accepted now; another one, or a fresh token, may be. */
	| "auth"
	/** This key will never be accepted again. */
	| "auth_permanent"
	/** Nothing is left to pay with. Asking again costs, and gives nothing. */
	| "billing"
	| "rate_limit"
	/** The plan allows long requests only so many. */
	| "long_context_limit"
	| "overloaded"
	| "server_error"
	/** The messages and the answer do not fit into the model's window. */
	| "context_overflow"
	/** The request has too many bytes. */
	| "payload_too_large"
	/** An image has too many bytes or pixels. */
	| "image_too_large"
	/** The model takes no images, or not this one. */
	| "image_rejected"
	| "model_not_found"
	/** The provider does not serve this model to this account. */
	| "policy_blocked"
	/** The question or the answer was withheld for what it says. */
	| "content_blocked"
	/** Reasoning of an earlier answer was not accepted back. */
	| "replay_rejected"
	/** A schema of a tool was not accepted. */
	| "schema_rejected"
	| "bad_request"
	| "unreadable"
	| "network"
	| "stalled"
	| "tape";

/** The far side did not give an answer that can be used. The message is one line and says what to do. */
export class ProviderRefused extends Error {
	override readonly name = "ProviderRefused";
	readonly kind: RefusalKind;
	readonly status: number | undefined;
	readonly hints: RefusalHints;

	constructor(
		kind: RefusalKind,
		message: string,
		options: { status?: number; cause?: unknown; hints?: RefusalHints } = {},
	) {
		super(message, { cause: options.cause });
		this.kind = kind;
		this.status = options.status;
		this.hints = options.hints ?? {};
	}
}

/** What a refusal says of the way on. */
export interface RefusalHints {
	/** Milliseconds after which the provider may be asked again. */
	readonly retryAfterMs?: number;
	/** Tokens of the model's window, as the provider states it. */
	readonly contextTokens?: number;
	/** Tokens that were left for the answer. */
	readonly outputTokensLeft?: number;
}
