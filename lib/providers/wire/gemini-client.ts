/** A client for Google's Gemini. */

import type { FunctionCallingConfigMode, GenerateContentParameters, GoogleGenAI, ThinkingConfig } from "@google/genai";
import type { ModelClient, ModelRequest, ReasoningEffort } from "../provider.ts";
import { exchange } from "./exchange.ts";
import { geminiConversation, geminiTools } from "./gemini-contents.ts";
import { readGemini } from "./gemini-stream.ts";
import type { Fetch } from "./transport.ts";
import type { WireSettings } from "./wire-settings.ts";

/** Nothing is sent before the first request. */
export async function openGeminiClient(settings: WireSettings): Promise<ModelClient> {
	return {
		complete: (request, caller) =>
			exchange(
				settings,
				{ request, caller },
				{
					wire: "gemini",
					headers: settings.apiKey === undefined ? {} : { "x-goog-api-key": settings.apiKey },
					ask: async (fetch, signal) => {
						const client = await geminiClient(settings, fetch);
						const { FunctionCallingConfigMode, ThinkingLevel } = await import("@google/genai");
						const { MINIMAL: minimal, LOW: low, MEDIUM: medium, HIGH: high } = ThinkingLevel;
						const levels = { minimal, low, medium, high, noCalls: FunctionCallingConfigMode.NONE };
						return client.models.generateContentStream(parameters(request, settings, { signal, levels }));
					},
					read: (chunks) => readGemini(chunks, { provider: settings.provider, salt: String(request.messages.length) }),
				},
			),
	};
}

/** The SDK, kept from everything that it would take from the environment. */
async function geminiClient({ baseUrl, apiKey }: WireSettings, fetch: Fetch): Promise<GoogleGenAI> {
	const { GoogleGenAI } = await import("@google/genai");
	const [, root = baseUrl, version = "v1beta"] = /^(.*?)(?:\/(v\d\w*))?\/*$/.exec(baseUrl) ?? [];
	return new GoogleGenAI({
		vertexai: false,
		apiKey: apiKey ?? "none",
		apiVersion: version,
		httpOptions: { baseUrl: root, apiVersion: version, fetch },
	});
}

function parameters(
	request: ModelRequest,
	{ provider }: WireSettings,
	{ signal, levels }: { readonly signal: AbortSignal; readonly levels: ThinkingLevels },
): GenerateContentParameters {
	const { model, tools, toolChoice, effort, maxOutputTokens } = request;
	const { system, contents } = geminiConversation(request, provider);
	return {
		model,
		contents,
		config: {
			abortSignal: signal,
			...(system !== "" && { systemInstruction: { parts: [{ text: system }] } }),
			...(tools.length > 0 && { tools: [{ functionDeclarations: geminiTools(tools) }] }),
			...(toolChoice && { toolConfig: { functionCallingConfig: { mode: levels.noCalls } } }),
			...(maxOutputTokens !== undefined && { maxOutputTokens }),
			...(effort !== undefined && { thinkingConfig: thinking(model, effort, levels) }),
		},
	};
}

type Level = NonNullable<ThinkingConfig["thinkingLevel"]>;

/** The levels as the SDK names them, which is loaded when used. */
interface ThinkingLevels extends Readonly<Record<"minimal" | "low" | "medium" | "high", Level>> {
	readonly noCalls: FunctionCallingConfigMode;
}

const budgets: Readonly<Record<ReasoningEffort, number>> = {
	none: 0,
	minimal: 512,
	low: 2048,
	medium: 8192,
	high: 16_384,
	xhigh: 24_576,
};

/** Of a model that cannot be told not to think at all. */
const smallestProBudget = 128;

/** Models before 3 get a budget of tokens, later ones a level that all of them know. */
function thinking(model: string, effort: ReasoningEffort, levels: ThinkingLevels): ThinkingConfig {
	if (/gemini-[12]\b/.test(model)) {
		const least = /2\.5-pro/.test(model) ? smallestProBudget : 0;
		const thinkingBudget = Math.max(least, budgets[effort]);
		return { thinkingBudget, ...(effort !== "none" && { includeThoughts: true }) };
	}
	return { thinkingLevel: levels[levelOf(model, effort)], includeThoughts: effort !== "none" };
}

/** Gemma knows the ends only, Gemini 3 Pro no middle. */
function levelOf(model: string, effort: ReasoningEffort): "minimal" | "low" | "medium" | "high" {
	const isLow = effort === "none" || effort === "minimal" || effort === "low";
	if (/gemma/.test(model)) return isLow ? "minimal" : "high";
	if (isLow) return "low";
	return effort === "medium" && !/gemini-3-pro/.test(model) ? "medium" : "high";
}
