import { describe, expect, test } from "bun:test";
import type { RefusalKind } from "../../lib/providers/provider.ts";
import { refusalHints, retryAfterMs } from "../../lib/providers/wire/refusal-hints.ts";
import { refusalKind } from "../../lib/providers/wire/refusal-table.ts";

describe("refusalKind()", () => {
	/** Status, codes, what was said, and what it is. */
	const cases: readonly (readonly [number | undefined, readonly string[], string, RefusalKind])[] = [
		[401, [], "invalid x-api-key", "auth"],
		[400, [], "API key not valid. Please pass a valid API key.", "auth"],
		[403, [], "forbidden", "auth"],
		[403, [], "Key limit exceeded (monthly limit)", "billing"],
		[403, [], "Your account has no access to this model", "policy_blocked"],
		[401, ["token_revoked"], "the token was revoked", "auth_permanent"],
		[400, ["invalid_grant"], "refresh token is not valid", "auth_permanent"],
		[402, [], "Insufficient credits", "billing"],
		[402, [], "Usage limit reached, resets in 4hr 5min", "rate_limit"],
		// A quota that is used up does not come back by waiting.
		[
			429,
			["insufficient_quota"],
			"You exceeded your current quota, please check your plan and billing details",
			"billing",
		],
		[429, ["rate_limit_exceeded"], "Rate limit reached for requests", "rate_limit"],
		[429, [], "slow down", "rate_limit"],
		[429, [], "Extra usage is required for long context requests", "long_context_limit"],
		[400, [], "Your credit balance is too low to access the API", "billing"],
		[404, ["model_not_found"], "The model `x` does not exist", "model_not_found"],
		[404, [], "not found", "bad_request"],
		[404, [], "No endpoints found matching your data policy", "policy_blocked"],
		// A server error that says the model is not there will say so again.
		[503, [], "the model llama9 does not exist", "model_not_found"],
		[503, [], "no healthy upstream", "overloaded"],
		[529, ["overloaded_error"], "Overloaded", "overloaded"],
		[500, [], "internal error", "server_error"],
		[500, ["invalid_request_error"], "messages: field required", "bad_request"],
		[502, [], "bad gateway", "server_error"],
		[408, [], "request timeout", "server_error"],
		[409, [], "conflict", "server_error"],
		[425, [], "too early", "server_error"],
		[413, [], "request entity too large", "payload_too_large"],
		[400, ["context_length_exceeded"], "This model's maximum context length is 8192 tokens", "context_overflow"],
		[400, [], "prompt is too long: 210000 tokens > 200000 maximum", "context_overflow"],
		[400, [], "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", "context_overflow"],
		[
			400,
			[],
			"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
			"context_overflow",
		],
		[undefined, [], "context window limit exceeded", "context_overflow"],
		// These name `max_tokens` and are no overflow: compressing would throw away the conversation for nothing.
		[400, [], "invalid type for max_tokens: expected integer", "bad_request"],
		[400, [], "Unsupported parameter: 'max_tokens' is not supported with this model", "bad_request"],
		[400, [], "input token count must be a number", "bad_request"],
		[400, [], "image exceeds 5 MB maximum", "image_too_large"],
		[400, [], "At least one of the image dimensions exceed max allowed size: 8000 pixels", "image_too_large"],
		[400, [], "Invalid content: 'image_url'. expected text", "image_rejected"],
		[404, [], "No endpoints found that support image input", "image_rejected"],
		[400, ["content_policy_violation"], "rejected", "content_blocked"],
		[
			400,
			[],
			"The response was filtered due to the prompt triggering Azure OpenAI's content management policy",
			"content_blocked",
		],
		[400, [], "messages.1.content.0.thinking: invalid signature in thinking block", "replay_rejected"],
		[400, ["invalid_encrypted_content"], "could not be verified", "replay_rejected"],
		[400, [], "Function call is missing a thought_signature", "replay_rejected"],
		[400, ["invalid_function_parameters"], "Invalid schema for function 'patch'", "schema_rejected"],
		[400, [], "Unable to generate parser for this template", "schema_rejected"],
		[400, [], "tools.0.custom.input_schema: JSON schema is invalid", "schema_rejected"],
		[422, [], "unprocessable", "bad_request"],
		[308, [], "", "settings"],
		[undefined, [], "something broke", "server_error"],
		[undefined, ["overloaded_error"], "Overloaded", "overloaded"],
	];
	for (const [status, codes, said, kind] of cases) {
		test(`refusalKind() calls ${status ?? "no status"} ${codes.join(" ")} "${said}" ${kind}`, () => {
			expect(refusalKind({ status, codes, text: said.toLowerCase() })).toBe(kind);
		});
	}
});

describe("refusalHints()", () => {
	const now = Date.UTC(2026, 10, 30, 12);
	const hints = (text: string, headers: Record<string, string> = {}) => refusalHints(new Headers(headers), text, now);

	test("refusalHints() reads every form of when to ask again", () => {
		expect([
			hints("", { "retry-after": "30" }),
			hints("", { "retry-after": "1.5" }),
			hints("", { "retry-after-ms": "250" }),
			hints("", { "retry-after": "Mon, 30 Nov 2026 12:01:30 GMT" }),
			hints("", { "retry-after": "Mon, 30 Nov 2026 11:00:00 GMT" }),
			hints("", { "retry-after": "soon" }),
			hints("", { "x-ratelimit-reset": String(now + 5000) }),
			hints("", { "x-ratelimit-reset": String(now / 1000 + 5) }),
			hints('"retryDelay": "13.5s"'),
			hints("Please try again in 2m3s."),
			hints("Usage limit reached, resets in 4hr 5min"),
			hints("Try again in 500ms"),
			hints("try again later"),
		]).toEqual([
			{ retryAfterMs: 30_000 },
			{ retryAfterMs: 1500 },
			{ retryAfterMs: 250 },
			{ retryAfterMs: 90_000 },
			{ retryAfterMs: 0 },
			{},
			{ retryAfterMs: 5000 },
			{ retryAfterMs: 5000 },
			{ retryAfterMs: 13_500 },
			{ retryAfterMs: 123_000 },
			{ retryAfterMs: 14_700_000 },
			{ retryAfterMs: 500 },
			{},
		]);
		expect(retryAfterMs("later", now)).toBeUndefined();
	});

	test("refusalHints() reads the window that a provider states, and what is left of it", () => {
		expect([
			hints("This model's maximum context length is 8,192 tokens. However, you requested 9000 tokens"),
			hints("prompt is too long: 210000 tokens > 200000 maximum"),
			hints("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease one"),
			hints("exceeds the maximum number of tokens allowed (1048576)"),
			hints("max_tokens is wrong"),
		]).toEqual([
			{ contextTokens: 8192 },
			{ contextTokens: 200_000 },
			{ contextTokens: 200_000, outputTokensLeft: 10_000 },
			{ contextTokens: 1_048_576 },
			{},
		]);
	});
});
