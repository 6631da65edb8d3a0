/** Answers the calls of one script: only what it was offered, only so many, only so many at once, and none after its end. */

import { z } from "zod";
import { firstAborted } from "../base/abort.ts";
import { attempt } from "../base/attempt.ts";
import { cutEnd } from "../registry/cut-text.ts";
import { namesIn, type ScriptOffer, withoutLeftOut } from "./script-tools.ts";

/** Calls the tool of that name; what comes back is JSON. Never throws. */
export type CallTool = (
	call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> },
	signal: AbortSignal,
) => Promise<string>;

/** One call that was made, for a reader. */
export interface MadeCall {
	readonly tool: string;
	/** The beginning of its arguments. */
	readonly about: string;
	readonly durationMs: number;
	readonly isError: boolean;
}

/** What a desk is given. */
export interface DeskOptions {
	readonly offer: ScriptOffer;
	readonly maxCalls: number;
	readonly callTool: CallTool;
	/** Aborted when the user interrupts. */
	readonly signal: AbortSignal;
}

/** Tool calls that run at once; further ones wait. */
const mostAtOnce = 8;
/** Characters of a call's arguments that a reader sees. */
const aboutLength = 80;

const request = z.object({
	id: z.number(),
	tool: z.string(),
	args: z.record(z.string(), z.unknown()).default({}),
});

/** The calls of one script. */
export class CallDesk {
	readonly made: MadeCall[] = [];
	readonly #options: DeskOptions;
	readonly #allowed: ReadonlySet<string>;
	readonly #ended = new AbortController();
	readonly #closed = Promise.withResolvers<void>();
	readonly #underWay = new Set<Promise<unknown>>();
	readonly #waiting: (() => void)[] = [];
	#running = 0;
	#count = 0;

	constructor(options: DeskOptions) {
		this.#options = options;
		this.#allowed = namesIn(options.offer);
	}

	/** Calls that were let through; refused ones do not count. */
	get count(): number {
		return this.#count;
	}

	/** The answer to the request in `text`. `signal` aborts when nobody waits for it any more. Never rejects. */
	async answer(text: string, signal: AbortSignal): Promise<string> {
		const read = readRequest(text);
		if (!read.ok) return refused(read.id, `Cannot read the request: ${read.reason}`);
		const { id, tool, args } = read;
		const refusal = this.#refusal(tool);
		if (refusal !== undefined) return refused(id, refusal.text, refusal.kind);
		this.#count++;
		const answering = this.#inTurn(() => this.#call(tool, args, signal));
		this.#underWay.add(answering);
		try {
			const result = await answering;
			// An interrupted script is about to be killed: with its answer it would go on until then.
			if (this.#options.signal.aborted) await this.#closed.promise;
			// What a tool answers is JSON already, and may be large.
			return `{"id":${id},"ok":true,"result":${result}}`;
		} finally {
			this.#underWay.delete(answering);
		}
	}

	/** No call is let through any more, and those under way are aborted. Resolves when they have settled. */
	async close(): Promise<void> {
		this.#ended.abort(new Error("The script has ended"));
		this.#closed.resolve();
		await Promise.allSettled(this.#underWay);
	}

	#refusal(tool: string): { readonly text: string; readonly kind?: "limit" } | undefined {
		if (this.#ended.signal.aborted) return { text: "The script has ended" };
		if (!this.#allowed.has(tool)) {
			const names = [...this.#allowed].sort().join(", ") || "there are none";
			return { text: `Cannot call "${tool}" from a script: it may call ${names}` };
		}
		const { maxCalls } = this.#options;
		if (this.#count < maxCalls) return undefined;
		return {
			text: `Tool call limit reached (${maxCalls}). No more tool calls are made for this script; print what it has found`,
			kind: "limit",
		};
	}

	async #inTurn<T>(run: () => Promise<T>): Promise<T> {
		if (this.#running >= mostAtOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
		else this.#running++;
		try {
			return await run();
		} finally {
			const next = this.#waiting.shift();
			if (next === undefined) this.#running--;
			else next();
		}
	}

	async #call(tool: string, args: Readonly<Record<string, unknown>>, gone: AbortSignal): Promise<string> {
		const { callTool, signal } = this.#options;
		using either = firstAborted([signal, gone, this.#ended.signal]);
		const startedAt = performance.now();
		const answer = await callTool({ name: tool, arguments: withoutLeftOut(tool, args) }, either.signal);
		this.made.push({
			tool,
			about: cutEnd(JSON.stringify(args), aboutLength),
			durationMs: Math.round(performance.now() - startedAt),
			isError: /^\{"error":"[^"]/.test(answer),
		});
		return answer;
	}
}

type ReadRequest =
	| ({ readonly ok: true } & z.output<typeof request>)
	| { readonly ok: false; readonly id: number; readonly reason: string };

function readRequest(text: string): ReadRequest {
	const json = attempt((): unknown => JSON.parse(text));
	if (!json.ok) return { ok: false, id: 0, reason: "it is not JSON" };
	const parsed = request.safeParse(json.value);
	if (parsed.success) return { ok: true, ...parsed.data };
	const [issue] = parsed.error.issues;
	return { ok: false, id: idOf(json.value), reason: `${issue?.path.join(".") || "it"}: ${issue?.message}` };
}

function idOf(value: unknown): number {
	return typeof value === "object" && value !== null && "id" in value && typeof value.id === "number" ? value.id : 0;
}

function refused(id: number, error: string, kind: "refused" | "limit" = "refused"): string {
	return JSON.stringify({ id, ok: false, kind, error });
}
