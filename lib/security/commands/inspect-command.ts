/** Everything that is to be said against a command: the hard line, and each danger that needs consent. */

import { type CommandPlace, inspect } from "../hardline.ts";
import { programReason } from "../hardline-rules.ts";
import { unknownMark } from "../shell/fields.ts";
import type { Sight } from "../shell/sight.ts";
import type { Category, Danger, Reach } from "./categories.ts";
import { codeDangers } from "./code-rules.ts";
import { deleteRules } from "./delete-rules.ts";
import { gitRules } from "./git-rules.ts";
import { credentialDangers, leashDangers, selfRules, sqlDangers, sudoDangers } from "./other-rules.ts";
import type { DangerPlace, Rules } from "./rule.ts";
import { serviceRules } from "./service-rules.ts";
import { writeDangers } from "./write-rules.ts";

/** What was found in a command. */
export interface Inspection {
	/** Why it must never run; undefined when the hard line has nothing against it. */
	readonly hardline: string | undefined;
	/** One for each category, in the order in which they stand in the command. */
	readonly dangers: readonly Danger[];
}

/** Characters of a command that a person can be expected to read. */
const longestReadable = 64 * 1024;

const rulesByName: Rules = { ...deleteRules, ...serviceRules, ...gitRules, ...selfRules };

/** Takes time linear in the length of `command`. */
export function inspectCommand(command: string, place: CommandPlace = {}): Inspection {
	const findings = new Map<Category, Danger>();
	const where: DangerPlace = { home: place.home, hermesHome: place.hermesHome };
	const madeExecutable = new Set<string>();
	if (command.length > longestReadable) keep(findings, { category: "too-long" });
	const hardline = inspect(command, place, (sight) => {
		for (const danger of dangersOf(sight, where)) keep(findings, danger);
		if (runsMadeExecutable(sight, madeExecutable)) keep(findings, { category: "made-executable" });
	});
	return { hardline, dangers: [...findings.values()] };
}

function dangersOf(sight: Sight, place: DangerPlace): Danger[] {
	const { name } = sight.program;
	const rule = Object.hasOwn(rulesByName, name) ? rulesByName[name] : undefined;
	return [
		...(rule?.(sight, place) ?? []),
		...codeDangers(sight),
		...sqlDangers(sight),
		...leashDangers(sight),
		...writeDangers(sight, place),
		...credentialDangers(sight, place),
		...sudoDangers(sight, place),
		...remoteDangers(sight, place),
	];
}

/** What the hard line forbids here is at least asked about elsewhere. */
function remoteDangers({ program, isElsewhere }: Sight, { home }: DangerPlace): Danger[] {
	if (!isElsewhere || programReason(program, { cwd: undefined, home }) === undefined) return [];
	return [{ category: "remote-destruction" }];
}

/** Places that one deletion reaches and another does not count both. */
function keep(findings: Map<Category, Danger>, { category, reaches: added = [] }: Danger): void {
	const reaches = [...(findings.get(category)?.reaches ?? []), ...added];
	const kept = reaches.length > mostReaches ? [anywhere] : reaches;
	findings.set(category, kept.length === 0 ? { category } : { category, reaches: kept });
}

/** More than these are not compared with folders one by one. */
const mostReaches = 64;
const anywhere: Reach = { path: unknownMark, cwd: undefined };

function runsMadeExecutable({ program: { name, args } }: Sight, made: Set<string>): boolean {
	if (name === "chmod" && args.some((arg) => /^(?:[ugoa]*\+[rwX]*x|[0-7]{0,2}[1357][0-7]{2}$)/.test(arg))) {
		for (const arg of args.slice(1)) made.add(baseName(arg));
	}
	return made.size > 0 && name !== "chmod" && made.has(name);
}

function baseName(path: string): string {
	return (path.split("/").at(-1) ?? "").toLowerCase();
}
