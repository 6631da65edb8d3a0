/** Looking at a file that was changed: which faults has the change brought? */

import { posix } from "node:path";
import { attemptAsync } from "../../base/attempt.ts";
import { settledWithin } from "../../base/settled-within.ts";
import { typeOf } from "../binary-types.ts";
import type { FilePlace } from "../place.ts";
import { byteOrderMark } from "../text.ts";
import type { Check, CheckedFile, Findings, Problem } from "./checker.ts";
import { checkJson, checkScript, checkToml, checkYaml } from "./parsers.ts";
import { checkBy, checkPrograms } from "./programs.ts";

/** What a model is told of the file that it has changed. */
export type CheckReport =
	| { readonly status: "ok" }
	/** `output`: the faults that are new, or with `message` why there are none. */
	| { readonly status: "error"; readonly output?: string; readonly message?: string }
	| { readonly status: "skipped"; readonly message: string };

/** A change of one file. `before` is asked for only when the new text has faults; undefined for a new file. */
export interface CheckedChange extends CheckedFile {
	before(): Promise<string | undefined>;
}

/** A longer text takes too long, and is made by a program most of the time. */
const longestText = 1_000_000;
const mostShown = 20;
const longestMessage = 300;
/** For both versions together. */
const patienceMs = 15_000;

const byType: Readonly<Record<string, Check>> = {
	json: checkJson,
	jsonc: checkJson,
	yaml: checkYaml,
	yml: checkYaml,
	toml: checkToml,
	...types(checkScript("jsx"), "js", "jsx", "mjs", "cjs"),
	...types(checkScript("ts"), "ts", "mts", "cts"),
	tsx: checkScript("tsx"),
	...types(byProgram("python"), "py", "pyi"),
	...types(byProgram("bash"), "sh", "bash"),
	go: byProgram("go"),
	rs: byProgram("rust"),
	rb: byProgram("ruby"),
	php: byProgram("php"),
	lua: byProgram("lua"),
};

/** The first line of a program names what runs it. */
const interpreters: readonly (readonly [RegExp, string])[] = [
	[/\bpython[\d.]*\b/, "python"],
	[/\bbash\b/, "bash"],
	[/\b(?:da)?sh\b/, "sh"],
	[/\bruby\b/, "ruby"],
];

/** Whether there is a check for the file. */
export function isChecked(file: CheckedFile): boolean {
	return checkFor(file) !== undefined;
}

/** What is wrong with `change.text` that was not wrong before; undefined when nothing checks such files. Never throws. */
export async function checkChange(place: FilePlace, change: CheckedChange): Promise<CheckReport | undefined> {
	const check = checkFor(change);
	if (check === undefined) return undefined;
	if (change.text.length > longestText) return { status: "skipped", message: "it is too long to be checked" };
	const file = { ...change, text: change.text.replace(byteOrderMark, "") };
	let report: CheckReport = { status: "skipped", message: "the check took too long" };
	const looking = attemptAsync(() => look(check, place, file)).then((looked) => {
		report = looked.ok ? looked.value : { status: "skipped", message: `the check failed: ${looked.reason}` };
	});
	await settledWithin(looking, patienceMs);
	return report;
}

async function look(check: Check, place: FilePlace, change: CheckedChange): Promise<CheckReport> {
	const now = await check(place, change);
	if ("skipped" in now) return { status: "skipped", message: now.skipped };
	if (now.problems.length === 0) return { status: "ok" };
	const before = (await change.before())?.replace(byteOrderMark, "");
	if (before === undefined) return { status: "error", output: listed(now.problems) };
	const then = await check(place, { path: change.path, text: before });
	const fresh = newProblems({ text: before, ...then }, { text: change.text, problems: now.problems });
	if (fresh.length > 0) return { status: "error", output: listed(fresh) };
	const message = "The file had these faults before; your change has brought no new ones";
	return { status: "error", message };
}

/** Equal faults at equal lines are the same, wherever the lines are now. */
function newProblems(
	before: Findings & { readonly text: string },
	after: { readonly text: string; readonly problems: readonly Problem[] },
): Problem[] {
	const known = "skipped" in before ? [] : before.problems.map((problem) => identity(problem, before.text));
	return after.problems.filter((problem) => {
		const at = known.indexOf(identity(problem, after.text));
		if (at >= 0) known.splice(at, 1);
		return at < 0;
	});
}

function identity({ line, message }: Problem, text: string): string {
	const source = line === undefined ? "" : (text.split("\n")[line - 1] ?? "");
	// Parsers name the line of the place, or of where something began, in their words too.
	return `${message.replace(/\d+/g, "#")}\n${source.trim()}`;
}

function listed(problems: readonly Problem[]): string {
	const lines = problems.slice(0, mostShown).map(({ line, message }) => {
		const text = message.length > longestMessage ? `${message.slice(0, longestMessage).toWellFormed()}…` : message;
		return line === undefined ? text : `line ${line}: ${text}`;
	});
	const left = problems.length - lines.length;
	return [...lines, ...(left > 0 ? [`and ${left} more`] : [])].join("\n");
}

function checkFor({ path, text }: CheckedFile): Check | undefined {
	const type = typeOf(path);
	if (type !== "") return Object.hasOwn(byType, type) ? byType[type] : undefined;
	const first = text.startsWith("#!") ? text.slice(0, text.indexOf("\n") >>> 0) : "";
	const interpreter = interpreters.find(([pattern]) => pattern.test(posix.basename(first.trim())))?.[1];
	return interpreter === undefined ? undefined : byProgram(interpreter);
}

function byProgram(name: string): Check {
	const program = checkPrograms[name];
	return program === undefined ? async () => ({ skipped: `no program for ${name} is known` }) : checkBy(program);
}

function types(check: Check, ...names: readonly string[]): Record<string, Check> {
	return Object.fromEntries(names.map((name) => [name, check]));
}
