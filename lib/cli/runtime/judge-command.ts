/** Asks the model of the run whether a command may run, apart from the conversation. */

import type { JudgeCommand } from "../../security/approval/smart.ts";
import type { OpenedProvider } from "./open-provider.ts";

/** A verdict is one short line. */
const longestAnswerTokens = 400;

/** The judge of smart approvals: no tools, nothing of what was said before. */
export function judgeWith({ client, model }: Pick<OpenedProvider, "client" | "model">): JudgeCommand {
	return async ({ system, prompt }, signal) => {
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
		for await (const chunk of client.complete(request, signal)) {
			if (chunk.type === "text") text += chunk.text;
		}
		return text;
	};
}
