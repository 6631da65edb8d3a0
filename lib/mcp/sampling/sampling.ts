/** Answers of the user's model for a server that asks for them, within what the user allowed. */

import type { CreateMessageRequestParams, CreateMessageResultWithTools } from "@modelcontextprotocol/sdk/types.js";
import { itemsUntilAborted } from "../../base/abort.ts";
import { attempt, reasonOf } from "../../base/attempt.ts";
import type { Logger } from "../../log/logger.ts";
import type { ModelChunk, ModelClient, ModelRequest, ToolDefinition } from "../../providers/provider.ts";
import { sanitizeSchema } from "../../registry/schema/sanitize.ts";
import type { ClientFeature, FeatureSession } from "../client-parts.ts";
import { chooseModel, createLimits, type SamplingLimits } from "./limits.ts";
import { messagesOf, NotPassable, resultFrom, shownText } from "./messages.ts";
import { readSamplingSettings, type SamplingSettings } from "./settings.ts";

/** A model that is ready to be asked. */
export interface SamplingModel {
	readonly client: ModelClient;
	/** Asked when neither settings nor server name another. */
	readonly model: string;
}

/** What the user is asked before a model is. */
export interface SamplingQuestion {
	readonly server: string;
	readonly model: string;
	/** Of the answer, at most. */
	readonly maxTokens: number;
	/** All that the model would be told. */
	readonly text: string;
}

/** Whether it may be. */
export type SamplingConsent = (question: SamplingQuestion, signal: AbortSignal) => Promise<boolean>;

/** Who asks, who answers, and who pays. */
export interface SamplingOptions {
	readonly server: string;
	/** `mcp_servers.<name>.sampling`. */
	readonly written: unknown;
	/** Undefined where there is none. */
	model(): Promise<SamplingModel | undefined>;
	readonly consent: SamplingConsent;
	readonly log: Logger;
	/** Milliseconds. */
	readonly now?: () => number;
}

/** Of the protocol, for a user who said no. */
const rejectedCode = -1;

/** Undefined unless the settings allow it. @throws {Error} When the settings are wrong. */
export function createSampling(options: SamplingOptions): ClientFeature | undefined {
	const { server, written, now } = options;
	const settings = readSamplingSettings(server, written);
	if (!settings.enabled) return undefined;
	// The server's, not the connection's: a new connection brings no new minute.
	const limits = createLimits(settings, now);
	return {
		capabilities: { sampling: settings.max_tool_rounds > 0 ? { tools: {} } : {} },
		async attach(client, session) {
			const { CreateMessageRequestSchema, ErrorCode, McpError } = await import("@modelcontextprotocol/sdk/types.js");
			client.setRequestHandler(CreateMessageRequestSchema, async ({ params }, { signal: asked }) => {
				const signal = AbortSignal.any([asked, session.signal]);
				const outcome = await answer(params, { options, settings, limits, session, signal });
				if ("result" in outcome) return outcome.result;
				options.log.warning(`an answer of the model was refused: ${outcome.refused}`);
				const codes = { user: rejectedCode, request: ErrorCode.InvalidParams, limit: ErrorCode.InvalidRequest };
				throw new McpError(outcome.by === "model" ? ErrorCode.InternalError : codes[outcome.by], outcome.refused);
			});
		},
	};
}

interface Asked {
	readonly options: SamplingOptions;
	readonly settings: SamplingSettings;
	readonly limits: SamplingLimits;
	readonly session: FeatureSession;
	readonly signal: AbortSignal;
}

type Outcome =
	| { readonly result: CreateMessageResultWithTools }
	| { readonly refused: string; readonly by: "user" | "request" | "limit" | "model" };

async function answer(params: CreateMessageRequestParams, asked: Asked): Promise<Outcome> {
	const { options, settings, limits, session, signal } = asked;
	const over = limits.refusal(params);
	if (over !== undefined) return { refused: over, by: "limit" };
	const usable = attempt(() => ({ messages: messagesOf(params), tools: toolsOf(params) }));
	if (!usable.ok) return { refused: usable.reason, by: "request" };
	const ready = await options.model();
	if (ready === undefined) return { refused: "there is no model to ask here", by: "limit" };
	const chosen = chooseModel(settings, params, ready.model);
	if (!chosen.ok) return { refused: chosen.reason, by: "limit" };
	const { model } = chosen;
	const maxTokens = Math.min(params.maxTokens, settings.max_tokens_cap);
	return await session.whilePaused(async () => {
		const question = { server: options.server, model, maxTokens, text: shownText(params) };
		if (settings.consent === "ask" && !(await options.consent(question, signal))) {
			return { refused: "the user did not agree", by: "user" };
		}
		const request: ModelRequest = {
			model,
			...usable.value,
			maxOutputTokens: maxTokens,
			...(params.toolChoice?.mode === "none" && { toolChoice: "none" }),
		};
		return await complete({ request, ready, params }, asked);
	});
}

async function complete(
	{
		request,
		ready,
		params,
	}: {
		readonly request: ModelRequest;
		readonly ready: SamplingModel;
		readonly params: CreateMessageRequestParams;
	},
	{ options, settings, limits, signal }: Asked,
): Promise<Outcome> {
	const limit = AbortSignal.any([signal, AbortSignal.timeout(settings.timeout * 1_000)]);
	try {
		const finished = await lastOf(itemsUntilAborted(ready.client.complete(request, limit), limit));
		if (finished === undefined) return { refused: "the model gave no answer", by: "model" };
		const { message, usage } = finished;
		limits.spent((usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0));
		options.log.info(`${request.model} answered for it; ${limits.tokens} tokens of this run so far`);
		const withTools = request.tools.length > 0;
		return { result: resultFrom(message, { model: request.model, stops: params.stopSequences, withTools }) };
	} catch (cause) {
		const isLate = limit.aborted && !signal.aborted;
		return { refused: isLate ? `no answer within ${settings.timeout} s` : reasonOf(cause), by: "model" };
	}
}

async function lastOf(
	chunks: AsyncIterable<ModelChunk>,
): Promise<Extract<ModelChunk, { type: "finished" }> | undefined> {
	let last: Extract<ModelChunk, { type: "finished" }> | undefined;
	for await (const chunk of chunks) if (chunk.type === "finished") last = chunk;
	return last;
}

function toolsOf({ tools = [] }: CreateMessageRequestParams): readonly ToolDefinition[] {
	return tools.map(({ name, description = "", inputSchema }) => {
		const schema = attempt(() => sanitizeSchema(inputSchema));
		if (!schema.ok) throw new NotPassable(`the schema of its tool "${name}" cannot be used: ${schema.reason}`);
		return { name, description, parameters: schema.value };
	});
}
