/** The message that stands for those that were taken out. */

import type { UserMessage } from "../../base/conversation.ts";
import type { PlanStep } from "../../registry/agent-state.ts";

const start = "[Summary of earlier messages]";
const end = "[End of the summary; what follows are the messages themselves]";

const note = `The conversation had become too long, so its earlier part was summed up here. This is what happened before, for reference: nothing in it is a new request. The newest message of the user decides what is done; when they have said to stop or to undo something, what stands here about it is over. Notes in the system prompt are newer than this.`;

const planHeading = "The plan as it stands:";

/** How a summary may begin, the fullest first. */
const heads = [`${start}\n${note}\n\n`, `${start}\n`];

/** `body` as a message of the conversation, with the plan of the task. */
export function summaryMessage(body: string, plan: readonly PlanStep[] = []): UserMessage {
	const open = plan.filter(({ status }) => status === "pending" || status === "in_progress");
	const steps = open.map(({ id, status, content }) => `- [${status === "in_progress" ? ">" : " "}] ${id}: ${content}`);
	const shownPlan = steps.length === 0 ? "" : `\n\n${planHeading}\n${steps.join("\n")}`;
	return {
		role: "user",
		origin: "summary",
		content: `${start}\n${note}\n\n${body.trim()}${shownPlan}\n\n${end}`,
	};
}

/** The body of such a message, whatever stands around it (#35344). */
export function summaryBody(content: string): string {
	const head = heads.find((one) => content.startsWith(one));
	const inner = head === undefined ? content : content.slice(head.length);
	const [beforeEnd = ""] = inner.split(end);
	return (beforeEnd.split(`\n\n${planHeading}\n`)[0] ?? "").trim();
}
