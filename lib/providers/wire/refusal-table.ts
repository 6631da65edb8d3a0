/** Which kind a refusal is: one table, read from the top, in which codes come before words and words before the bare status. */

import type { RefusalKind } from "../provider.ts";

/** What is known of a refusal. */
export interface RefusalFacts {
	/** Missing for an error inside a stream that names none. */
	readonly status: number | undefined;
	/** Codes, types and states of the error, in lower case. */
	readonly codes: readonly string[];
	/** Everything that was said, in lower case, with what an aggregator quotes of the provider behind it. */
	readonly text: string;
}

/** One row: all that it names must fit. */
interface Row {
	readonly kind: RefusalKind;
	readonly statuses?: readonly number[];
	readonly codes?: RegExp;
	readonly text?: RegExp;
	readonly unless?: RegExp;
}

const noModel =
	/model[^.]{0,80}(?:not found|not exist|does not exist|is not available|not supported|unknown|invalid)|(?:unknown|invalid|no such|not a valid) model|not a valid model id/;
const wordsOfOverflow =
	/prompt is too long|context (?:window|length)[^.]{0,40}(?:exceed|limit|too)|exceeds?[^.]{0,60}context|maximum context length|input (?:is )?too long|too many tokens in|token count[^.]{0,40}exceeds|exceeds the maximum number of tokens|context limit: \d|reduce the length of the (?:messages|prompt|input)/;
const passing = /try again|retry|resets? (?:at|in)|per (?:minute|hour|day|week)|temporar/;

const rows: readonly Row[] = [
	{ kind: "replay_rejected", codes: /^invalid_encrypted_content$/ },
	{
		kind: "replay_rejected",
		statuses: [400],
		text: /thinking.*(?:signature|cannot be modified|must remain)|thought.?signature|encrypted content.*(?:verified|decrypt)/,
	},
	{
		kind: "policy_blocked",
		text: /data policy|guardrail restrictions|privacy settings|no (?:allowed )?providers? (?:are )?available.*polic/,
	},
	{
		kind: "content_blocked",
		codes: /^(?:content_filter|content_policy_violation|responsibleaipolicyviolation|prohibited_content|safety)$/,
	},
	{
		kind: "content_blocked",
		text: /content (?:management )?policy|content filter|usage polic|flagged (?:as|by|for)|safety system/,
	},
	{ kind: "long_context_limit", statuses: [429], text: /(?=.*extra usage)(?=.*long context)/ },
	{ kind: "schema_rejected", codes: /^invalid_function_parameters$/ },
	{
		kind: "schema_rejected",
		statuses: [400, 422, 500],
		text: /invalid schema for function|input_schema|function_declarations|unable to generate parser|(?:parse|compile|build)[^.]{0,40}grammar|json schema (?:is )?(?:invalid|not supported)/,
	},
	{
		kind: "auth_permanent",
		codes:
			/^(?:token_invalidated|token_revoked|invalid_grant|unauthorized_client|refresh_token_reused|account_deactivated)$/,
	},
	{ kind: "context_overflow", codes: /^(?:context_length_exceeded|model_context_window_exceeded)$/ },
	{
		kind: "billing",
		codes: /^(?:insufficient_quota|billing_error|billing_not_active|insufficient_credits|insufficient_balance)$/,
	},
	{ kind: "rate_limit", statuses: [402], text: new RegExp(`(?=.*usage limit)(?=.*(?:${passing.source}))`) },
	{ kind: "billing", statuses: [402] },
	{
		kind: "billing",
		statuses: [400, 403, 404, 429],
		text: /insufficient (?:credit|balance|funds|quota)|credit balance is too low|exceeded your current quota, please check your plan|out of credits|(?:key|spending|monthly) limit (?:exceeded|reached)|billing hard limit/,
	},
	{ kind: "model_not_found", codes: /^(?:model_not_found|model_not_available|unsupported_model)$/ },
	{ kind: "auth", statuses: [401] },
	{ kind: "auth", statuses: [400], text: /api key (?:not valid|expired|is invalid)|invalid api key/ },
	{
		kind: "policy_blocked",
		statuses: [403],
		text: /model[^.]{0,80}(?:access|allowed|permi|entitle|enabled|country|region)|(?:access|allowed|permi|entitle)[^.]{0,80}model/,
	},
	{ kind: "auth", statuses: [403] },
	{ kind: "payload_too_large", statuses: [413], unless: wordsOfOverflow },
	// The words of an overflow name `max_tokens` too, and a refused parameter is no overflow.
	{
		kind: "bad_request",
		statuses: [400, 422],
		text: /unsupported (?:parameter|value)|unknown (?:parameter|name|field)|unrecognized|invalid type|is not supported with this model|extra inputs are not permitted/,
	},
	{
		kind: "image_too_large",
		statuses: [400, 413, 422],
		text: /(?=.*\bimage)(?=.*(?:exceed|too large|too big|max(?:imum)? allowed size))/,
	},
	{
		kind: "image_rejected",
		statuses: [400, 404, 413, 415, 422],
		text: /(?=.*\bimage)(?=.*(?:not support|unsupported|could not process|invalid|expected|cannot be|no endpoints))/,
	},
	{ kind: "context_overflow", text: wordsOfOverflow, unless: /rate.?limit|per minute|requests? limit/ },
	{
		kind: "rate_limit",
		codes:
			/^(?:rate_limit|rate_limit_error|rate_limit_exceeded|resource_exhausted|too_many_requests|usage_limit_reached)$/,
	},
	{
		kind: "overloaded",
		codes: /^(?:overloaded|overloaded_error|unavailable|server_is_overloaded|slow_down|engine_overloaded)$/,
		unless: noModel,
	},
	{ kind: "rate_limit", statuses: [429] },
	{ kind: "model_not_found", statuses: [400, 404, 422, 500, 502, 503], text: noModel },
	{ kind: "server_error", statuses: [408, 409, 425] },
	{
		kind: "bad_request",
		statuses: [500, 502],
		codes: /^(?:invalid_request_error|invalid_request|invalid_argument)$/,
	},
	{ kind: "overloaded", statuses: [503, 529] },
	{ kind: "overloaded", text: /overloaded|at capacity|no capacity/ },
	{ kind: "rate_limit", text: /rate.?limit|too many requests/ },
];

/** The first row that fits, else what the status alone says; an error inside a stream is the server's. */
export function refusalKind(facts: RefusalFacts): RefusalKind {
	return rows.find((row) => fits(row, facts))?.kind ?? byStatus(facts.status);
}

function fits({ statuses, codes, text, unless }: Row, facts: RefusalFacts): boolean {
	if (statuses !== undefined && (facts.status === undefined || !statuses.includes(facts.status))) return false;
	if (codes !== undefined && !facts.codes.some((code) => codes.test(code))) return false;
	if (text !== undefined && !text.test(facts.text)) return false;
	return unless === undefined || !unless.test(facts.text);
}

function byStatus(status: number | undefined): RefusalKind {
	if (status === undefined || status >= 500) return "server_error";
	return status < 400 ? "settings" : "bad_request";
}
