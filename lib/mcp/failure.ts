/** What went wrong with a server: whose fault it is decides what is done about it. */

import { z } from "zod";
import { reasonOf } from "../base/attempt.ts";

/**
 * `gone`: nobody answers there now. `late`: no answer in time. `expired`: the server does not know our session any more, or never
 * got the message: it did nothing. `login`: it wants to know who we are. `refused`: it answered, with no. `interrupted`: we gave up. `settings`: another
 * try changes nothing.
 */
export type FailureKind = "gone" | "late" | "expired" | "login" | "refused" | "interrupted" | "settings";

/** A server did not do what it was asked. The message says what to do next and holds no secret. */
export class ServerFailed extends Error {
	override readonly name = "ServerFailed";
	readonly kind: FailureKind;

	constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
		super(message, options);
		this.kind = kind;
	}
}

/** Makes failures of the server of this name; `state` says what is wrong with it. */
export function failuresOf(server: string): (kind: FailureKind, state: string, cause?: unknown) => ServerFailed {
	return (kind, state, cause) => new ServerFailed(kind, `Cannot use MCP server "${server}": ${state}`, { cause });
}

/** The state alone: the name stands beside it where it is shown. */
export function stateOf(failure: unknown): string {
	return wordsOf(failure).replace(/^Cannot use MCP server "[^"]*": /, "");
}

/** A message did not reach the server. */
export class NotDelivered extends Error {
	override readonly name = "NotDelivered";
}

/** Of the SDK, for a connection that is closed. */
const closedCode = -32_000;
/** What servers answer to a session that they do not know, besides 404. */
const mayMeanExpired: ReadonlySet<number> = new Set([400, -32_000, -32_001]);

const expiredTexts =
	/\b(?:invalid|expired|unknown|missing|no valid) session\b|\bsession (?:id )?(?:not found|expired|terminated|is invalid|has expired)\b/i;

/** The kind of what the SDK or a transport threw. */
export function kindOf(cause: unknown): FailureKind {
	if (cause instanceof ServerFailed) return cause.kind;
	if (cause instanceof NotDelivered) return "expired";
	// It answered; only nobody can make sense of that.
	if (cause instanceof z.core.$ZodError) return "refused";
	const text = reasonOf(cause);
	const code = codeOf(cause);
	if (isUnauthorized(cause, code)) return "login";
	// 404 is the protocol's own word for it; 400 is what many servers say. Neither has done anything.
	if (code === 404 || (code !== undefined && mayMeanExpired.has(code) && expiredTexts.test(text))) return "expired";
	if (code === undefined || code === -1 || code >= 500) return "gone";
	// Servers use the same number for failures of their own.
	if (code === closedCode && /\bConnection closed$/.test(text)) return "gone";
	return "refused";
}

/** By name: the class is of a module that is loaded only for servers that are reached by address. */
function isUnauthorized(cause: unknown, code: number | undefined): boolean {
	return (
		code === 401 ||
		(cause instanceof Error && /^(?:UnauthorizedError|InvalidGrantError|OAuthError)$/.test(nameOf(cause)))
	);
}

function nameOf(cause: Error): string {
	return cause.name === "Error" ? cause.constructor.name : cause.name;
}

function codeOf(cause: unknown): number | undefined {
	return cause instanceof Error && "code" in cause && typeof cause.code === "number" ? cause.code : undefined;
}

const secrets: readonly RegExp[] = [
	/\bgh[pousr]_[A-Za-z0-9_]+/g,
	/\bsk-[A-Za-z0-9_-]+/g,
	/(?<=\bBearer\s+)[^\s"',;]+/gi,
	/(?<=\b(?:access_|refresh_|id_)?(?:token|api_?key|key|password|secret)["']?\s*[=:]\s*["']?)[^\s"'&,;]+/gi,
];

/** The same text without what looks like a secret. */
export function withoutSecrets(text: string): string {
	return secrets.reduce((clean, secret) => clean.replace(secret, "[REDACTED]"), text);
}

const longestReason = 1_000;
/** Looked at: an error may quote a whole answer. */
const longestLooked = 20_000;

function wordsOf(cause: unknown): string {
	const text = cause instanceof Error ? cause.message || cause.name : String(cause);
	// The code is for programs.
	const words = reasonOf(plainText(text.slice(0, longestLooked))).replace(/^MCP error -?\d+: /, "");
	const [, isPost, rest = words] =
		/^(?:Streamable HTTP|SSE) error: (Error POSTing to endpoint: )?(.*)$/s.exec(words) ?? [];
	const [, type] = /^Unexpected content type: (\S+)/.exec(rest) ?? [];
	const [, elsewhere] = /^Redirect to (\S+) not followed/.exec(rest) ?? [];
	if (elsewhere !== undefined)
		return `it sends us on to ${elsewhere}; if that is right, name that as its url in config.yaml`;
	if (type?.startsWith("text/html")) return "it answers with text/html, as a page for people does; check the url";
	if (/\bcertificate\b/i.test(rest)) return `${rest}; name the authority to trust with ssl_verify in config.yaml`;
	return isPost === undefined ? rest : `it answered with status ${codeOf(cause) ?? "unknown"}: ${rest}`;
}

/** Without the markup of a page of errors, and without advice for those who write programs. */
function plainText(text: string): string {
	const plain = /<html/i.test(text) ? text.replace(/<(style|script|title)[\s\S]*?<\/\1>|<[^>]*>/gi, " ") : text;
	if (/^(?:ECONNREFUSED|ConnectionRefused): /.test(plain)) return "nobody answers at its address (connection refused)";
	return plain.replace(/ For more information, pass `verbose: true`.*$/s, "");
}

function strange({ issues: [issue] }: z.core.$ZodError): string {
	return `its answer is none of the protocol: ${issue?.path.join(".") || "it"}: ${issue?.message}`;
}

/** The reason of a failure in words for a model and a user: one line, bounded, without what looks like a secret. */
export function shownReason(cause: unknown): string {
	const text = cause instanceof z.core.$ZodError ? strange(cause) : wordsOf(cause) || "it did not say why";
	const hidden = withoutSecrets(text);
	return hidden.length > longestReason ? `${hidden.slice(0, longestReason)}…` : hidden;
}
