/** What a policy makes of the settings that a user chose: a user may be stricter, never looser. */

import type { Origin, Setting } from "./load.ts";
import { approvalsModes, type Policy } from "./policy.ts";

/** A setting as it holds. `warning` says what the user set in vain. */
export interface Limited {
	readonly setting: Setting;
	readonly warning?: string;
}

/** The setting of `path` under `policy`. A backend that is not allowed is a problem: nothing else takes its place. */
export function limitSetting(policy: Policy | undefined, path: string, setting: Setting): Limited {
	if (policy === undefined) return { setting };
	switch (path) {
		case "terminal.backend":
			return { setting: limitBackend(policy, setting) };
		case "terminal.pin":
			return policy.pin === true ? fixed(policy, path, { setting, value: true }) : { setting };
		case "audit.enabled":
			return policy.audit === true ? fixed(policy, path, { setting, value: true }) : { setting };
		case "approvals.mode":
			return limitApprovals(policy, path, setting);
		default:
			return { setting };
	}
}

/** Why `backend` may not be used; undefined when it may. */
export function backendRefusal(policy: Policy | undefined, backend: string): string | undefined {
	if (policy?.allowedBackends === undefined || policy.allowedBackends.includes(backend)) return undefined;
	return `Cannot use backend "${backend}": the policy "${policy.path}" allows only ${policy.allowedBackends.join(", ")}`;
}

/** Why calls may not run unasked (`--yolo`); undefined when they may. */
export function yoloRefusal(policy: Policy | undefined): string | undefined {
	if (policy?.approvalsMode === undefined || policy.approvalsMode === "off") return undefined;
	return `the policy "${policy.path}" sets approvals_mode: ${policy.approvalsMode}`;
}

function limitBackend(policy: Policy, setting: Setting): Setting {
	const name = String(setting.value);
	const [first] = policy.allowedBackends ?? [];
	const refusal = backendRefusal(policy, name);
	if (refusal === undefined || first === undefined) return setting;
	// Somebody who has chosen nothing is given what is allowed; a choice is never replaced.
	if (setting.origin.kind === "default") return { value: first, origin: policyOrigin(policy) };
	return { ...setting, problem: refusal };
}

function limitApprovals(policy: Policy, path: string, setting: Setting): Limited {
	if (policy.approvalsMode === undefined) return { setting };
	const strictEnough = approvalsModes.slice(0, approvalsModes.indexOf(policy.approvalsMode) + 1);
	if (strictEnough.some((mode) => mode === setting.value)) return { setting };
	return fixed(policy, path, { setting, value: policy.approvalsMode });
}

function fixed(
	policy: Policy,
	path: string,
	{ setting, value }: { readonly setting: Setting; readonly value: unknown },
): Limited {
	const limited: Setting = { value, origin: policyOrigin(policy) };
	if (setting.origin.kind === "default" || setting.value === value) return { setting: limited };
	return {
		setting: limited,
		warning: `${path} is ${value}: the policy "${policy.path}" says so, whatever ${placeOf(setting.origin)} says`,
	};
}

function policyOrigin({ path }: Policy): Origin {
	return { kind: "policy", path };
}

function placeOf(origin: Origin): string {
	if (origin.kind === "environment") return origin.variable;
	return origin.kind === "config" ? "config.yaml" : `the ${origin.kind}`;
}
