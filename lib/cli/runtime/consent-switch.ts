/** Whether the calls of a conversation run without a question, which its user may change while it goes on. */

import type { LoadedConfig } from "../../config/load.ts";
import { yoloRefusal } from "../../config/policy-limits.ts";
import { approvalSettings } from "../../security/approval/settings.ts";
import { type ApprovalMode, modeOn } from "../../security/approval/surface.ts";
import type { Cli } from "../subcommand.ts";

/** The consent of one conversation, as it is now. */
export interface ConsentSwitch {
	/** Everything but the hard line runs. */
	readonly isUnasked: boolean;
	/** Why the machine's policy does not let calls run unasked; undefined when it does. */
	readonly refusal: string | undefined;
	/** @throws {Error} When the policy does not allow it. */
	set(isUnasked: boolean): void;
	/** What happens to dangerous calls of the conversation's own agent. */
	readonly own: ApprovalMode;
	/** The same for sub-agents, those that work already too. */
	readonly children: ApprovalMode;
}

/** What the conversation begins with. */
export interface FirstConsent {
	readonly own: ApprovalMode;
	/** Sub-agents are denied what needs consent when it is left out. */
	readonly children: ApprovalMode | undefined;
	readonly canAsk: boolean;
}

/** As the command line and the settings say, until the user says something else. */
export function openConsentSwitch(
	cli: Cli,
	config: LoadedConfig,
	{ own, children = "deny", canAsk }: FirstConsent,
): ConsentSwitch {
	let chosen: boolean | undefined;
	const refusal = yoloRefusal(config.policy);
	/** Who takes a blanket yes back wants to be asked, whatever `approvals.mode` says. */
	const askedChildren = () => {
		const settings = approvalSettings(config, cli.environment.hermesHome);
		return modeOn("subagent", { ...settings, mode: "manual" }, { isYolo: false });
	};
	const now = (began: ApprovalMode, asked: () => ApprovalMode) => {
		if (chosen === undefined) return began;
		if (chosen) return "yolo";
		return began === "yolo" ? asked() : began;
	};
	const ownNow = () => now(own, () => (canAsk ? "ask" : "deny"));
	return {
		refusal,
		get isUnasked() {
			return ownNow() === "yolo";
		},
		get own() {
			return ownNow();
		},
		get children() {
			return now(children, askedChildren);
		},
		set(isUnasked) {
			if (isUnasked && refusal !== undefined) throw new Error(`Cannot run calls without asking: ${refusal}`);
			chosen = isUnasked;
		},
	};
}
