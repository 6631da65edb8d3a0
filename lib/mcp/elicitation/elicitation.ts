/** What a server may ask the user: a form, or to open a page. */

import type {
	ElicitRequest,
	ElicitRequestFormParams,
	ElicitRequestURLParams,
	ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { attemptAsync } from "../../base/attempt.ts";
import type { Logger } from "../../log/logger.ts";
import type { AskUser } from "../../registry/agent-state.ts";
import type { ClientFeature, FeatureSession } from "../client-parts.ts";
import { askForm } from "./ask-form.ts";
import { secretIn } from "./fields.ts";

/** Who asks, and who is asked. */
export interface ElicitationOptions {
	readonly server: string;
	/** `mcp_servers.<name>.elicitation`. */
	readonly written: unknown;
	/** Undefined where nobody can be asked now. */
	ask(): AskUser | undefined;
	readonly log: Logger;
}

const shape = z.looseObject({
	enabled: z.union([z.boolean(), z.stringbool()]).default(true),
	/** Seconds that a question waits. */
	timeout: z.coerce.number().positive().default(300),
});

/** Questions of one server that may wait for their answers at once, and how many it may ask within a minute. */
const mostWaiting = 3;
const mostInMinute = 10;
const minuteMs = 60_000;

/** Undefined when it is switched off. @throws {Error} When the settings are wrong. */
export function createElicitation(options: ElicitationOptions): ClientFeature | undefined {
	const { server, log } = options;
	const parsed = shape.safeParse(options.written ?? {});
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		throw new Error(`Cannot read mcp_servers.${server}.elicitation: ${issue?.path.join(".")}: ${issue?.message}`);
	}
	const { enabled, timeout } = parsed.data;
	if (!enabled) return undefined;
	const gate = createQuestionGate();
	return {
		capabilities: { elicitation: { form: { applyDefaults: true }, url: {} } },
		clears: (refusal, signal) => visitPages(refusal, { options, signal: limited(signal, timeout) }),
		async attach(client, session) {
			const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
			client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal: asked }) => {
				const signal = limited(AbortSignal.any([asked, session.signal]), timeout);
				const result = await gate(() => answer(params, { options, session, signal }));
				log.info(`it asked the user something: ${result.action}`);
				return result;
			});
		},
	};
}

/** Lets questions through until there are too many: those beyond are answered as a user would who wants to be left alone. */
function createQuestionGate(now: () => number = () => performance.now()) {
	let waiting = 0;
	let recent: number[] = [];
	return async (ask: () => Promise<ElicitResult>): Promise<ElicitResult> => {
		recent = recent.filter((time) => now() - time < minuteMs);
		if (waiting >= mostWaiting || recent.length >= mostInMinute) return { action: "decline" };
		recent.push(now());
		waiting++;
		try {
			return await ask();
		} finally {
			waiting--;
		}
	};
}

function limited(signal: AbortSignal, seconds: number): AbortSignal {
	return AbortSignal.any([signal, AbortSignal.timeout(seconds * 1_000)]);
}

/** Of the protocol: a call is refused until the user has opened pages, which stand in the error. */
const pagesFirst = z.looseObject({
	code: z.literal(-32_042),
	data: z.looseObject({
		elicitations: z
			.array(z.looseObject({ mode: z.literal("url"), url: z.url(), message: z.string(), elicitationId: z.string() }))
			.min(1)
			.max(5),
	}),
});

/** True when the user has opened all of them. */
async function visitPages(refusal: unknown, { options, signal }: Omit<Question, "session">): Promise<boolean> {
	const parsed = pagesFirst.safeParse(refusal);
	const user = options.ask();
	if (!parsed.success || user === undefined) return false;
	for (const page of parsed.data.data.elicitations) {
		if (problemOfUrl(page) !== undefined) return false;
		const asked = await attemptAsync(() => askUrl(page, { server: options.server, ask: user, signal }));
		if (!asked.ok || asked.value.action !== "accept" || signal.aborted) return false;
	}
	return true;
}

interface Question {
	readonly options: ElicitationOptions;
	readonly session: FeatureSession;
	readonly signal: AbortSignal;
}

async function answer(
	params: ElicitRequest["params"],
	{ options: { server, ask, log }, session, signal }: Question,
): Promise<ElicitResult> {
	const user = ask();
	if (user === undefined) return { action: "decline" };
	const refusal = params.mode === "url" ? problemOfUrl(params) : problemOfForm(params);
	if (refusal !== undefined) {
		log.warning(`it wanted to ask the user something that it must not: ${refusal}`);
		return { action: "decline" };
	}
	const question = { server, ask: user, signal };
	const asked = await attemptAsync(() =>
		session.whilePaused(() =>
			params.mode === "url" ? askUrl(params, question) : askForm({ form: params, ...question }),
		),
	);
	if (asked.ok && !signal.aborted) return asked.value;
	return { action: "cancel" };
}

function problemOfForm({ requestedSchema }: ElicitRequestFormParams): string | undefined {
	const secret = secretIn(requestedSchema);
	return secret === undefined ? undefined : `the field "${secret}" is for a secret, which a form is no place for`;
}

function problemOfUrl({ url }: Pick<ElicitRequestURLParams, "url">): string | undefined {
	const { protocol, hostname, username } = new URL(url);
	const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
	if (protocol !== "https:" && !(protocol === "http:" && isHere)) return `the page ${url} is not reached by https`;
	return username === "" ? undefined : `the page ${url} hides where it leads`;
}

const opened = "I have opened it";

/** The page is only shown: what opens it is the user, who has read where it leads. */
async function askUrl(
	{ url, message }: Pick<ElicitRequestURLParams, "url" | "message">,
	{ server, ask, signal }: { readonly server: string; readonly ask: AskUser; readonly signal: AbortSignal },
): Promise<ElicitResult> {
	// As the browser reads it: letters that only look like others are shown as what they are.
	const { href, host } = new URL(url);
	const question = `MCP server "${server}" asks you to open a page of ${host}: ${message}\n    ${href}`;
	const choice = await ask({ question, choices: [opened, "decline"], signal });
	if (choice === opened) return { action: "accept" };
	return choice === undefined ? { action: "cancel" } : { action: "decline" };
}
