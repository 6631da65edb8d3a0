/** What models on the Anthropic wire differ in: how long an answer may be, and how they are told to think. */

import type { ReasoningEffort } from "../provider.ts";

/** Most tokens of an answer, by what the model's name holds; the first that fits. */
const outputLimits: readonly (readonly [RegExp, number])[] = [
	[/claude-3-7/, 128_000],
	[/claude-3-5/, 8192],
	[/claude-3-/, 4096],
	[/claude-opus-4(?:-0|-1|-2025|$)/, 32_000],
	[/claude-(?:opus|sonnet|haiku)-4(?:-[05]|-2025|$)/, 64_000],
	[/minimax/, 131_072],
	[/qwen3/, 65_536],
];

const usualLimit = 128_000;

/** The wire insists on a limit, so that the model's own stands where nobody named one. */
export function anthropicOutputLimit(model: string): number {
	return outputLimits.find(([pattern]) => pattern.test(plainName(model)))?.[1] ?? usualLimit;
}

/** The names of Anthropic's own service have hyphens where others write dots, and no region or vendor in front. */
export function plainName(model: string): string {
	return model
		.toLowerCase()
		.replace(/^(?:anthropic\/|(?:[a-z-]+\.)?anthropic\.)/, "")
		.replaceAll(".", "-");
}

/** The fields of a request that tell a model how much to think. */
export interface ThinkingFields {
	readonly thinking?: Readonly<Record<string, unknown>>;
	readonly output_config?: { readonly effort: string };
	/** Tokens that the limit of the answer must leave for thinking. */
	readonly budget: number;
}

const budgets: Readonly<Record<ReasoningEffort, number>> = {
	none: 0,
	minimal: 1024,
	low: 4000,
	medium: 8000,
	high: 16_000,
	xhigh: 32_000,
};

/** Models from 4.6 on decide themselves how long to think; older ones get a budget, and the oldest do not think. */
export function thinkingFields(model: string, effort: ReasoningEffort | undefined): ThinkingFields {
	const name = plainName(model);
	if (effort === undefined || effort === "none" || !canThink(name)) return { budget: 0 };
	if (isAdaptive(name)) {
		// The first adaptive models have no level between "high" and "max".
		const most = /claude-[a-z]+-4-6/.test(name) ? "max" : "xhigh";
		const level = { none: "low", minimal: "low", low: "low", medium: "medium", high: "high", xhigh: most }[effort];
		return { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: level }, budget: 0 };
	}
	return { thinking: { type: "enabled", budget_tokens: budgets[effort] }, budget: budgets[effort] };
}

function canThink(name: string): boolean {
	return !/claude-3-(?:5|haiku|opus|sonnet)/.test(name) && name.startsWith("claude");
}

function isAdaptive(name: string): boolean {
	const [, major = "0", minor = "0"] = /claude-[a-z]+-(\d+)(?:-(\d{1,2}))?(?!\d)/.exec(name) ?? [];
	return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 6);
}
