/** Asks the user of an MCP client whether a call may run, by a form that the client shows. */

import type { ElicitRequestFormParams } from "@modelcontextprotocol/sdk/types.js";
import type { ApprovalChoice } from "../../security/approval/request.ts";
import type { Peer } from "./served.ts";

/** What is asked. */
export interface ConsentQuestion {
	/** What would run, and why it needs consent; all of it. */
	readonly text: string;
	/** What can be answered besides a no. */
	readonly choices: readonly ApprovalChoice[];
	/** Aborts when the time for an answer is over, or nobody waits for it any more. */
	readonly signal: AbortSignal;
}

const titles: Readonly<Record<ApprovalChoice, string>> = {
	deny: "No",
	once: "Yes, this once",
	session: "Yes, for this session",
	always: "Yes, always",
};

/** A person may think as long as the signal lets him; the SDK wants a number. */
const longestWaitMs = 24 * 60 * 60 * 1_000;

/** Whatever is no clear yes, a form that was closed too, is a no. @throws When the client cannot be asked. */
export async function askConsent(
	{ sendRequest }: Pick<Peer, "sendRequest">,
	{ text, choices, signal }: ConsentQuestion,
): Promise<ApprovalChoice> {
	const { ElicitResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
	const params = formOf(text, ["deny", ...choices.filter((choice) => choice !== "deny")]);
	const options = { signal, timeout: longestWaitMs };
	const { action, content } = await sendRequest({ method: "elicitation/create", params }, ElicitResultSchema, options);
	if (action !== "accept") return "deny";
	return choices.find((choice) => choice === content?.decision) ?? "deny";
}

function formOf(message: string, choices: readonly ApprovalChoice[]): ElicitRequestFormParams {
	return {
		mode: "form",
		message,
		requestedSchema: {
			type: "object",
			properties: {
				decision: {
					type: "string",
					title: "May it run?",
					enum: [...choices],
					enumNames: choices.map((choice) => titles[choice]),
					// Who sends the form off without looking has not agreed.
					default: "deny",
				},
			},
			required: ["decision"],
		},
	};
}
