/** How the server treats calls before it answers them: it counts them, is slow, is full, or fails, as it was told. */

import { Metadata, ServerError, type Status } from "nice-grpc";
import type { Definitions } from "./definitions.ts";
import type { Method } from "./server-impl.ts";
import { type PlannedFailure, type Switches, usualSwitches } from "./switches.ts";

/** The manners of one server. */
export class Conduct {
	readonly calls: Record<string, number> = {};
	switches: Switches = usualSwitches;
	readonly #retryPolicy: Definitions["retryPolicy"];

	constructor(retryPolicy: Definitions["retryPolicy"]) {
		this.#retryPolicy = retryPolicy;
	}

	/** The time by the server's clock, in seconds. */
	get now(): number {
		return Math.floor(Date.now() / 1000) + this.switches.clockAheadSeconds;
	}

	/** `method` with these manners. */
	wrap(name: string, method: Method, check: Method): Method {
		return async (request, context) => {
			await this.#receive(name, context);
			await check(request, context);
			return method(request, context);
		};
	}

	/** The same for one that answers with a stream. */
	wrapStream(name: string, method: (...args: Parameters<Method>) => AsyncIterable<unknown>, check: Method): Method {
		const receive = this.#receive.bind(this);
		return async function* (request, context) {
			await receive(name, context);
			await check(request, context);
			yield* method(request, context);
		};
	}

	async #receive(name: string, context: Parameters<Method>[1]): Promise<void> {
		this.calls[name] = (this.calls[name] ?? 0) + 1;
		if (this.switches.latencyMs > 0) await Bun.sleep(this.switches.latencyMs);
		const planned = this.switches.failures.find((failure) => failure.method === name && failure.times > 0);
		if (planned === undefined) return;
		this.switches = { ...this.switches, failures: this.switches.failures.map((item) => spent(item, planned)) };
		const { code, message = "as it was told", retryAfterSeconds } = planned;
		if (retryAfterSeconds !== undefined)
			context.trailer.set("grpc-status-details-bin", this.#retryPolicy(retryAfterSeconds, code, message));
		throw new ServerError(code as Status, message);
	}
}

function spent(item: PlannedFailure, planned: PlannedFailure): PlannedFailure {
	return item === planned ? { ...item, times: item.times - 1 } : item;
}

/** A token that is good until `expiresAt`, in seconds since 1970. */
export function makeToken(claims: Readonly<Record<string, unknown>>, expiresAt: number): string {
	const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
	return `${part({ alg: "none" })}.${part({ ...claims, exp: expiresAt })}.signature`;
}

/** What a token holds; undefined when it is none. */
export function readToken(token: string): { readonly exp: number; readonly task?: string } | undefined {
	const [, middle = ""] = token.split(".");
	try {
		return JSON.parse(Buffer.from(middle, "base64url").toString("utf8"));
	} catch {
		return undefined;
	}
}

/** The one value of a header, empty without one. */
export function header(metadata: Metadata, name: string): string {
	return String(Metadata(metadata).get(name) ?? "");
}
