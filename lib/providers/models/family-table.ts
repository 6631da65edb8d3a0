/** Windows and list prices of model families, for a machine that never reached the catalog. Makers' documentation, November 2026. */

/** US dollars for a million tokens, in micro-dollars; a count that has no price here cannot be paid for with certainty. */
export interface Rates {
	readonly input: number;
	readonly output: number;
	readonly cacheRead?: number;
	readonly cacheWrite?: number;
}

/** What a model costs. */
export interface Price extends Rates {
	/** Other rates for the whole of a request whose question is longer than so many tokens; the longest that fits counts. */
	readonly above?: readonly (Rates & { readonly tokens: number })[];
}

/** The first family that fits a model's name tells its window; longer names stand before shorter ones. */
export const windows: readonly (readonly [RegExp, number])[] = [
	[/claude-(?:opus|sonnet|haiku)-(?:4-[6-9]|[5-9])|claude-fable/, 1_000_000],
	[/claude/, 200_000],
	[/gpt-5-[45]-(?:nano|mini)/, 400_000],
	[/gpt-5-[45]/, 1_050_000],
	[/gpt-5/, 400_000],
	[/gpt-4-1/, 1_047_576],
	[/gpt-4/, 128_000],
	[/gemini/, 1_048_576],
	[/gemma-3/, 131_072],
	[/gemma-4/, 256_000],
	[/deepseek-(?:chat|reasoner|v4)/, 1_000_000],
	[/deepseek/, 128_000],
	[/llama/, 131_072],
	[/qwen3-coder-plus/, 1_000_000],
	[/qwen3-6-plus/, 1_048_576],
	[/qwen.*coder/, 262_144],
	[/qwen/, 131_072],
	[/minimax-m3/, 1_000_000],
	[/minimax/, 204_800],
	[/glm-5-2/, 1_048_576],
	[/glm/, 202_752],
	[/grok-4-(?:fast|20)/, 2_000_000],
	[/grok-4-3/, 1_000_000],
	[/grok-4/, 256_000],
	[/grok/, 131_072],
	[/kimi/, 262_144],
	[/mimo/, 262_144],
	[/nemotron/, 131_072],
	[/trinity/, 262_144],
];

/** Input, output, and what reading from and writing to the cache costs, in dollars. */
const dollars = ([input, output, cacheRead, cacheWrite]: readonly [number, number, number?, number?]): Price => ({
	input: Math.round(input * 1e6),
	output: Math.round(output * 1e6),
	...(cacheRead !== undefined && { cacheRead: Math.round(cacheRead * 1e6) }),
	...(cacheWrite !== undefined && { cacheWrite: Math.round(cacheWrite * 1e6) }),
});

/** Prices of the maker's own service, by its provider id and the model's whole name. What is not here is not known. */
export const prices: Readonly<Record<string, readonly (readonly [RegExp, Price])[]>> = {
	anthropic: [
		[/^claude-opus-4-[56](?:-\d{8})?$/, dollars([5, 25, 0.5, 6.25])],
		[/^claude-opus-4(?:-[01])?(?:-\d{8})?$/, dollars([15, 75, 1.5, 18.75])],
		[/^claude-sonnet-4(?:-[0-5])?(?:-\d{8})?$/, dollars([3, 15, 0.3, 3.75])],
		[/^claude-haiku-4-5(?:-\d{8})?$/, dollars([1, 5, 0.1, 1.25])],
	],
	openai: [
		[/^gpt-5(?:-\d{4}-\d\d-\d\d)?$/, dollars([1.25, 10, 0.125])],
		[/^gpt-5-mini$/, dollars([0.25, 2, 0.025])],
		[/^gpt-5-nano$/, dollars([0.05, 0.4, 0.005])],
		[/^gpt-4-1$/, dollars([2, 8, 0.5])],
		[/^gpt-4-1-mini$/, dollars([0.4, 1.6, 0.1])],
		[/^gpt-4o$/, dollars([2.5, 10, 1.25])],
	],
	gemini: [[/^gemini-2-5-flash$/, dollars([0.3, 2.5, 0.03])]],
	xai: [[/^grok-4-fast$/, dollars([0.2, 0.5, 0.05])]],
};
