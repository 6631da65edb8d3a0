/** `hermes approvals`: what would be asked about, and what was agreed to for good. */

import type { ActionGroup } from "../subcommand.ts";
import { check } from "./check.ts";
import { list } from "./list.ts";
import { revoke } from "./revoke.ts";

const approvals: ActionGroup = {
	summary: "Show what needs your consent, and take saved consents back",
	details: [
		"Commands of a model that do nothing dangerous run without a question. Each danger of a command needs your consent; a",
		"consent for good holds for exactly this command in this folder of this place. Some commands never run, whatever you say.",
		"See approvals.mode, approvals.headless and command_allowlist in hermes config show.",
	].join("\n"),
	verbs: { check, list, revoke },
};

export default approvals;
