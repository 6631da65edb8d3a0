/** What git can destroy: history of others, work that is not committed, branches. */

import type { Sight } from "../shell/sight.ts";
import { hasOption, operandsOf, optionsOf } from "./arguments.ts";
import type { Category, Danger } from "./categories.ts";
import type { Rules } from "./rule.ts";

type Verb = (args: readonly string[]) => Category | undefined;

const valued = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"]);

const verbs: Readonly<Record<string, Verb>> = {
	reset: (args) => (args.includes("--hard") ? "git-reset-hard" : undefined),
	push: (args) => {
		const isForced = args.includes("--force") || args.includes("--mirror") || hasShort(args, "f");
		const isPlus = operandsOf(args).some((arg) => /^\+./.test(arg));
		if (isForced || isPlus) return "git-force-push";
		const isTrial = hasOption(args, "n", ["dry-run"]);
		const isDelete = hasOption(args, "d", ["delete"]) || operandsOf(args).some((arg) => /^:./.test(arg));
		return isDelete && !isTrial ? "git-delete-branch" : undefined;
	},
	clean: (args) => {
		const isTrial = hasOption(args, "n", ["dry-run"]);
		return !isTrial && hasOption(args, "f", ["force"]) ? "git-clean" : undefined;
	},
	branch: (args) => {
		const isDelete = hasShort(args, "d") || args.includes("--delete");
		const isForced = hasShort(args, "f") || args.includes("--force");
		return hasShort(args, "D") || (isDelete && isForced) ? "git-delete-branch" : undefined;
	},
	checkout: (args) => {
		const end = args.indexOf("--");
		const namesFiles = (end >= 0 && end < args.length - 1) || operandsOf(args).includes(".");
		return namesFiles || hasShort(args, "f") || args.includes("--force") ? "git-discard" : undefined;
	},
	switch: (args) =>
		hasShort(args, "f") || args.includes("--force") || args.includes("--discard-changes") ? "git-discard" : undefined,
	restore: (args) => {
		const isStagedOnly = hasOption(args, "S", ["staged"]) && !hasOption(args, "W", ["worktree"]);
		return isStagedOnly || operandsOf(args).length === 0 ? undefined : "git-discard";
	},
	stash: (args) => (args[0] === "drop" || args[0] === "clear" ? "git-drop-stash" : undefined),
};

/** By the name of the program. */
export const gitRules: Rules = {
	git({ program: { args } }: Sight): Danger[] {
		let at = 0;
		const settings: string[] = [];
		while (args[at]?.startsWith("-") === true) {
			if (args[at] === "-c") settings.push(args[at + 1] ?? "");
			at += valued.has(args[at] ?? "") ? 2 : 1;
		}
		const name = args[at] ?? "";
		const category = Object.hasOwn(verbs, name) ? verbs[name]?.(args.slice(at + 1)) : undefined;
		// An alias of the command itself that begins with `!` is a command of the shell.
		const isShell = settings.some((setting) => /^alias\.[^=]*=!|^core\.(?:sshcommand|pager|editor)=/i.test(setting));
		return [
			...(category === undefined ? [] : [{ category }]),
			...(isShell ? [{ category: "inline-shell" } as const] : []),
		];
	},
};

/** In a cluster of short options, the case kept. */
function hasShort(args: readonly string[], letter: string): boolean {
	return optionsOf(args).some((option) => /^-[A-Za-z]+$/.test(option) && option.includes(letter));
}
