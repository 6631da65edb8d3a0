/** Asks a model whether a command may run, apart from the conversation. */

import type { JudgeCommand } from "../../security/approval/smart.ts";
import type { AuxiliaryModel } from "./auxiliary-model.ts";

/** A verdict is one short line. */
const longestAnswerTokens = 400;

/** Who judges. */
export interface JudgeOptions {
	/** @throws {Error} When it cannot be opened: then a person has to decide. */
	open(): Promise<Pick<AuxiliaryModel, "client" | "model">>;
	readonly timeoutSeconds: number;
}

/** The judge of smart approvals: no tools, nothing of what was said before. */
export function judgeWith({ open, timeoutSeconds }: JudgeOptions): JudgeCommand {
	return async ({ system, prompt }, signal) => {
		const { client, model } = await open();
		const request = {
			model,
			messages: [
				{ role: "system" as const, content: system },
				{ role: "user" as const, content: prompt },
			],
			tools: [],
			maxOutputTokens: longestAnswerTokens,
		};
		let text = "";
		const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
		for await (const chunk of client.complete(request, limit)) {
			if (chunk.type === "text") text += chunk.text;
		}
		return text;
	};
}
