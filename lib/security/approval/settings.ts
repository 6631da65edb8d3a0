/** What the configuration says about consent, as far as its file can be believed. */

import { configPath } from "../../config/files.ts";
import type { Policy } from "../../config/policy.ts";
import { yoloRefusal } from "../../config/policy-limits.ts";
import type { ConfigKey, ConfigValues } from "../../config/schema/table.ts";
import { type Category, isCategory } from "../commands/categories.ts";
import { trustProblem } from "./file-trust.ts";

/** As they stand when a session begins; nothing that the model changes on the way counts. */
export interface ApprovalSettings {
	readonly mode: "manual" | "smart" | "off";
	/** What happens to dangerous calls where nobody can be asked. */
	readonly headless: "deny" | "approve";
	readonly cron: "deny" | "approve";
	readonly subagents: "deny" | "approve";
	readonly timeoutSeconds: number;
	/** Kinds of danger that need no consent. */
	readonly trusted: ReadonlySet<Category>;
	/** What is odd, one line each. */
	readonly warnings: readonly string[];
}

/** As much of the loaded settings as is needed. */
export interface ReadableConfig {
	get<K extends ConfigKey>(key: K): ConfigValues[K];
	find(path: string): { readonly origin: { readonly kind: string } } | undefined;
	readonly policy: Policy | undefined;
}

/** Settings of `config.yaml` in `home` that loosen something count only when nobody else can have written them. */
export function approvalSettings(config: ReadableConfig, home: string): ApprovalSettings {
	const problem = trustProblem(configPath(home));
	const isBelieved = (key: ConfigKey) => problem === undefined || config.find(key)?.origin.kind !== "config";
	const ignored: ConfigKey[] = [];
	const settled = <K extends ConfigKey>(key: K, strict: ConfigValues[K]): ConfigValues[K] => {
		if (isBelieved(key)) return config.get(key);
		ignored.push(key);
		return strict;
	};
	const names = settled("command_allowlist", []);
	// A machine whose policy wants consent takes no other blanket yes either.
	const isStrict = yoloRefusal(config.policy) !== undefined;
	const unlessStrict = (answer: "deny" | "approve") => (isStrict ? "deny" : answer);
	const settings = {
		mode: settled("approvals.mode", "manual"),
		headless: unlessStrict(settled("approvals.headless", "deny")),
		cron: unlessStrict(settled("approvals.cron_mode", "deny")),
		subagents: unlessStrict(settled("delegation.subagent_auto_approve", false) ? "approve" : "deny"),
		timeoutSeconds: config.get("approvals.timeout"),
		trusted: new Set(names.map(currentName).filter(isCategory)),
	};
	const unknown = names.filter((name) => !isCategory(currentName(name)));
	return {
		...settings,
		warnings: [
			...(ignored.length > 0 ? [`${ignored.join(", ")} do not count: ${problem}`] : []),
			...unknown.map((name) => `command_allowlist: "${name}" is no kind of danger; it is left out`),
		],
	};
}

/** What older configurations call the same things. */
const olderNames: Readonly<Record<string, Category>> = {
	"recursive delete": "delete-recursive",
	"delete in root path": "delete-absolute",
	"find -delete": "find-delete",
	"find -exec rm": "find-exec-delete",
	"xargs with rm": "delete-listed",
	"git reset --hard": "git-reset-hard",
	"git force push": "git-force-push",
	"shell command via -c/-lc flag": "inline-shell",
	"script execution via -e/-c flag": "inline-code",
	"script execution via heredoc": "piped-code",
	"pipe remote content to shell": "downloaded-code",
	execute_code: "script",
};

function currentName(name: string): string {
	return (Object.hasOwn(olderNames, name) ? olderNames[name] : undefined) ?? name;
}
