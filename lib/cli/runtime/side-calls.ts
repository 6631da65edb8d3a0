/** Calls of models beside a conversation: what they cost is written down for its session, under the name of their task. */

import type { FinishedAnswer, PriceOf } from "../../agent/ask/account.ts";
import type { Spending } from "../../agent/spending.ts";
import { noUsage } from "../../agent/tally.ts";
import type { ModelClient } from "../../providers/provider.ts";
import type { UsageStore } from "../../store/store.ts";

/** One call that was answered. */
export interface SideCall {
	/** As in `auxiliary.NAME`. */
	readonly task: string;
	readonly providerId: string;
	readonly model: string;
	readonly used: Pick<FinishedAnswer, "usage" | "costMicroUsd">;
}

/** Writes a call down. @throws {Error} When the session is no longer there. */
export type Charge = (call: SideCall) => void;

/** Who pays. */
export interface ChargeOptions {
	readonly store: Pick<UsageStore, "addUsage"> | undefined;
	readonly spending: Spending;
	readonly priceOf: PriceOf;
	/** The session as it is named now. */
	sessionId(): string;
}

/** Adds calls to what the session has spent, which its limits count too. */
export function chargeTo({ store, spending, priceOf, sessionId }: ChargeOptions): Charge {
	return ({ task, providerId, model, used: { usage = noUsage, ...used } }) => {
		const cost = used.costMicroUsd ?? (usage === noUsage ? undefined : priceOf(usage, { providerId, model }));
		spending.add(usage, cost);
		store?.addUsage(sessionId(), usage, {
			task,
			provider: providerId,
			model,
			...(cost !== undefined && { costUsd: cost / 1_000_000 }),
		});
	};
}

/** `asked.client`, whose answers are written down. */
export function charged(
	asked: { readonly client: ModelClient; readonly providerId: string },
	task: string,
	charge: Charge,
): ModelClient {
	const { client, providerId } = asked;
	return {
		async *complete(request, signal) {
			for await (const chunk of client.complete(request, signal)) {
				if (chunk.type === "finished") charge({ task, providerId, model: request.model, used: chunk });
				yield chunk;
			}
		},
	};
}
