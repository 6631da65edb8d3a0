/** What a refusal says of the way on: when to ask again, how large the model's window is, how much of it is left. */

import type { RefusalHints } from "../provider.ts";

/** `text` is all that was said; `now` is the clock in milliseconds. */
export function refusalHints(headers: Headers | undefined, text: string, now: number): RefusalHints {
	const retryAfterMs = fromHeaders(headers, now) ?? fromText(text);
	const { contextTokens, outputTokensLeft } = windowIn(text);
	return {
		...(retryAfterMs !== undefined && { retryAfterMs }),
		...(contextTokens !== undefined && { contextTokens }),
		...(outputTokensLeft !== undefined && { outputTokensLeft }),
	};
}

/** Milliseconds of a Retry-After header: seconds, or a date. A date that has passed is now. */
export function retryAfterMs(value: string, now: number): number | undefined {
	const text = value.trim();
	if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function fromHeaders(headers: Headers | undefined, now: number): number | undefined {
	const exact = headers?.get("retry-after-ms");
	if (exact && /^\d+(?:\.\d+)?$/.test(exact)) return Math.ceil(Number(exact));
	const after = headers?.get("retry-after");
	const stated = after ? retryAfterMs(after, now) : undefined;
	if (stated !== undefined) return stated;
	const reset = headers?.get("x-ratelimit-reset");
	return reset && /^\d+$/.test(reset) ? untilEpoch(Number(reset), now) : undefined;
}

/** Some say seconds since 1970, some milliseconds, some the seconds that are left. */
function untilEpoch(value: number, now: number): number {
	if (value < 1e9) return value * 1000;
	return Math.max(0, (value < 1e12 ? value * 1000 : value) - now);
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** `retryDelay: "13.5s"`, `try again in 2m3s`, `resets in 4hr 5min`. */
function fromText(text: string): number | undefined {
	const span =
		/(?:retrydelay["':\s]+|quotaresetdelay["':\s]+|try again in |retry (?:in|after) |resets? in )((?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*){1,4})/i.exec(
			text,
		)?.[1];
	if (span === undefined) return undefined;
	let total = 0;
	for (const [, amount, unit = ""] of span.matchAll(
		/(\d+(?:\.\d+)?)\s*(ms|milli[a-z]*|d[a-z]*|h[a-z]*|m[a-z]*|s[a-z]*)/gi,
	)) {
		const key = /^(?:ms|milli)/i.test(unit) ? "ms" : unit.charAt(0).toLowerCase();
		total += Number(amount) * (unitMs[key] ?? 0);
	}
	return total > 0 ? Math.ceil(total) : undefined;
}

function windowIn(text: string): Pick<RefusalHints, "contextTokens" | "outputTokensLeft"> {
	const plain = text.replaceAll(/(?<=\d)[,_](?=\d{3})/g, "");
	// Anthropic: what was asked, what the answer may have, and the window.
	const sum = /context limit: (\d+) \+ (\d+) > (\d+)/.exec(plain);
	if (sum) {
		const [input = 0, , window = 0] = sum.slice(1).map(Number);
		return { contextTokens: window, ...(window > input && { outputTokensLeft: window - input }) };
	}
	const stated =
		/(?:maximum context length (?:is|of)|context (?:window|length|limit)[^.\d]{0,30}|maximum number of tokens allowed \()\s*(\d{3,8})/i.exec(
			plain,
		)?.[1] ?? /prompt is too long: \d+ tokens > (\d+)/i.exec(plain)?.[1];
	const left = /available[_ ]tokens["':\s]+(\d+)|(\d+) tokens? (?:are )?(?:left|available) for/i.exec(plain);
	return {
		...(stated !== undefined && { contextTokens: Number(stated) }),
		...(left && { outputTokensLeft: Number(left[1] ?? left[2]) }),
	};
}
