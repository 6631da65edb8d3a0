/** Who is there to be asked, for each way in which hermes can be used. What is dangerous does not depend on it. */

import type { ApprovalSettings } from "./settings.ts";

/**
 * `terminal` and `gateway` have a person who can answer. A run of the scheduler is never `gateway`, wherever its result goes:
 * it would wait for ever.
 */
export type Surface = "terminal" | "gateway" | "headless" | "api" | "cron" | "subagent";

/** What an approver does with dangers: see `ApproverOptions`. */
export type ApprovalMode = "yolo" | "ask" | "deny" | "allow";

/** `isYolo`: the user gave a blanket yes for this run, and the policy of the machine does not forbid it. */
export function modeOn(
	surface: Surface,
	settings: Pick<ApprovalSettings, "mode" | "headless" | "cron" | "subagents">,
	{ isYolo }: { readonly isYolo: boolean },
): ApprovalMode {
	if (isYolo || settings.mode === "off") return "yolo";
	if (surface === "terminal" || surface === "gateway") return "ask";
	const answers = {
		headless: settings.headless,
		api: settings.headless,
		cron: settings.cron,
		subagent: settings.subagents,
	};
	return answers[surface] === "approve" ? "yolo" : "deny";
}
