/** One clear line, and a kind, for everything that can go wrong on a wire. */

import { createRedactor } from "../../security/redact.ts";
import { ProviderRefused, type RefusalHints, type RefusalKind } from "../provider.ts";
import { Stalled } from "../stall.ts";
import { refusalHints } from "./refusal-hints.ts";
import { refusalKind } from "./refusal-table.ts";
import { StatusRefused } from "./transport.ts";
import { UnreadableStream } from "./unreadable-stream.ts";

/** What a refusal may name. */
export interface WireFacts {
	readonly baseUrl: string;
	readonly model: string;
	/** Never shown: it is cut out of what the server says. */
	readonly apiKey?: string;
	/** Where the key came from, as the user would look for it. */
	readonly keyName: string;
	readonly stallSeconds: number;
	/** What the server said it sends, when it answered at all. */
	readonly contentType: string | undefined;
}

interface Reading {
	readonly kind: RefusalKind;
	readonly state: string;
	readonly status?: number;
	readonly hints?: RefusalHints;
}

/** An error object that came in the place of an answer, or in the middle of one. */
export class ErrorReported extends Error {
	override readonly name = "ErrorReported";
	readonly body: unknown;

	constructor(body: unknown) {
		super("an error was reported");
		this.body = body;
	}
}

/** `cause` is whatever was thrown on the way to an answer. */
export function wireRefusal(cause: unknown, facts: WireFacts): ProviderRefused {
	if (cause instanceof ProviderRefused) return cause;
	const { kind, state, status, hints } = read(cause, facts);
	const message = `Cannot get an answer from "${facts.baseUrl}": ${oneLine(state, facts.apiKey)}`;
	return new ProviderRefused(kind, message, {
		cause,
		...(status !== undefined && { status }),
		...(hints !== undefined && { hints }),
	});
}

function read(cause: unknown, facts: WireFacts): Reading {
	if (cause instanceof StatusRefused) return readStatus(cause, facts);
	if (cause instanceof Stalled) {
		return { kind: "stalled", state: `nothing came for ${facts.stallSeconds} s; the request was given up` };
	}
	if (cause instanceof UnreadableStream) {
		if (cause.brokenOff) return { kind: "network", state: `it ${cause.message}` };
		const type = facts.contentType === undefined ? "" : ` (content type ${facts.contentType})`;
		return { kind: "unreadable", state: `it ${cause.message}${type}; check --base-url` };
	}
	const reported = reportedBody(cause);
	if (reported !== undefined) return readReported(reported);
	// The Gemini SDK makes plain errors of what its parser says.
	if (cause instanceof SyntaxError || (cause instanceof Error && /parsing stream|JSON segment/.test(cause.message))) {
		return { kind: "unreadable", state: "it sent a stream that is not JSON; check --base-url" };
	}
	return readConnection(cause);
}

function readStatus(cause: StatusRefused, facts: WireFacts): Reading {
	const { status, headers, body } = cause;
	const told = tell(body);
	const kind = refusalKind({ status, codes: told.codes, text: told.all.toLowerCase() });
	const hints = refusalHints(headers, told.all, Date.now());
	const state = stateOf(kind, status, { ...facts, said: told.message, hints });
	return { kind, status, state, hints };
}

interface Said extends WireFacts {
	readonly said: string;
	readonly hints: RefusalHints;
}

function stateOf(kind: RefusalKind, status: number, facts: Said): string {
	const { said, keyName, model } = facts;
	const advice = facts.apiKey === undefined ? `set ${keyName}` : `check the key in ${keyName}`;
	const plain: Readonly<Partial<Record<RefusalKind, string>>> = {
		auth: `it refuses the API key (${status}); ${advice}`,
		auth_permanent: `it will not accept this key again (${status}): ${said}; log in anew or use another`,
		billing: `the account has no credit left (${status}): ${said}`,
		rate_limit: `too many requests (${status}): ${said}; ${whenAgain(facts.hints)}`,
		overloaded: `the server is overloaded (${status}): ${said}; try again later`,
		server_error: `the server failed (${status}): ${said}; try again later`,
		settings: `it redirects (${status}); give the final address with --base-url`,
	};
	const unknown = `it does not know the model "${model}" or this address (${status}): ${said}; check -m and --base-url`;
	if (kind === "model_not_found" || (kind === "bad_request" && status === 404)) return unknown;
	return plain[kind] ?? `it rejects the request (${status}): ${said}`;
}

/** Waits that nobody sits out are told in minutes. */
function whenAgain({ retryAfterMs = 0 }: RefusalHints): string {
	const minutes = Math.round(retryAfterMs / 60_000);
	return minutes < 2 ? "wait and try again" : `it can be asked again in ${minutes} minutes`;
}

function readReported(body: unknown): Reading {
	const told = tell(body);
	const status = told.status;
	const kind = refusalKind({ status, codes: told.codes, text: told.all.toLowerCase() });
	return {
		kind,
		state: `it reports ${told.message}`,
		...(status !== undefined && { status }),
		hints: refusalHints(undefined, told.all, Date.now()),
	};
}

/** An own error, or that of an SDK: it has the object beside it, or as its text. */
function reportedBody(cause: unknown): unknown {
	if (cause instanceof ErrorReported) return cause.body;
	if (!(cause instanceof Error)) return undefined;
	if ("error" in cause && isRecord(cause.error)) return cause.error;
	const text = cause.message.slice(Math.max(0, cause.message.indexOf("{")));
	if (!text.startsWith("{") || cause.message.startsWith("exception parsing")) return undefined;
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

interface Told {
	readonly message: string;
	readonly all: string;
	readonly codes: readonly string[];
	readonly status: number | undefined;
}

/** The message and codes of an error object, wherever in it the services put them. */
function tell(body: unknown): Told {
	if (typeof body === "string") return { message: words(body), all: body, codes: [], status: undefined };
	const outer = Array.isArray(body) ? body[0] : body;
	const error = isRecord(outer) && isRecord(outer.error) ? outer.error : outer;
	if (!isRecord(error)) return { message: "nothing more", all: "", codes: [], status: undefined };
	const fallback = isRecord(outer) && typeof outer.error === "string" ? outer.error : JSON.stringify(error);
	const message = typeof error.message === "string" ? error.message : fallback;
	const named = [error.code, error.type, error.status, isRecord(outer) ? outer.code : undefined];
	const status = [error.code, error.status_code].find(
		(value) => typeof value === "number" && value >= 300 && value < 600,
	);
	return {
		message: words(message === "" ? "nothing more" : message),
		all: `${message} ${JSON.stringify(error.metadata ?? "")} ${JSON.stringify(error.details ?? "")}`,
		codes: named.flatMap((value) => (typeof value === "string" ? [value.toLowerCase()] : [])),
		status: typeof status === "number" ? status : undefined,
	};
}

/** An error page in HTML says nothing that helps. */
function words(text: string): string {
	if (text.trim() === "") return "nothing more";
	return /<html|<!doctype/i.test(text) ? "an HTML page" : text;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readConnection(cause: unknown): Reading {
	const reason = deepest(cause);
	const code = reason instanceof Error && "code" in reason ? String(reason.code) : "";
	const said = reason instanceof Error ? reason.message : String(reason);
	return { kind: "network", state: connectionStates[code] ?? `the connection failed (${said})` };
}

const refused = "the connection was refused; is the server running?";
const brokenOff = "the connection broke off in the middle of its answer";
const untrusted = "its certificate is of no authority that is trusted; name yours with NODE_EXTRA_CA_CERTS";
const connectionStates: Readonly<Record<string, string>> = {
	ConnectionRefused: refused,
	ECONNREFUSED: refused,
	ConnectionClosed: brokenOff,
	ECONNRESET: brokenOff,
	FailedToOpenSocket: "the host was not found or cannot be reached",
	ENOTFOUND: "the host was not found",
	DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
	SELF_SIGNED_CERT_IN_CHAIN: untrusted,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
};

function deepest(cause: unknown): unknown {
	let reason = cause;
	for (let depth = 0; depth < 5 && reason instanceof Error && reason.cause !== undefined; depth++)
		reason = reason.cause;
	return reason;
}

function oneLine(text: string, apiKey: string | undefined): string {
	const open = apiKey === undefined || apiKey === "" ? text : text.replaceAll(apiKey, "[key]");
	// A server may quote the request, with whatever secrets stood in it; cut afterwards, so that none is cut in two.
	const line = createRedactor()(open)
		.replace(/[\p{Cc}\s]+/gu, " ")
		.trim();
	return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}
