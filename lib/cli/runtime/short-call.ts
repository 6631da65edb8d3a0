/** One line about a tool call: what it was asked, and what came of it. */

/** What a result says, for a person. */
export interface ShortOutcome {
	readonly failed: boolean;
	/** Such as `exit 1`, or the error. */
	readonly facts: readonly string[];
	/** Lines worth showing below the call, such as a diff. */
	readonly detail: readonly string[];
}

/** Characters of an argument or an error that fit on a line. */
const longest = 120;

/** Arguments that say most about a call, in this order; else the goals of several tasks, or its first text argument. */
const tellingArguments = ["command", "path", "pattern", "query"];

/** The argument that tells most about a call; empty when there is none or the JSON is broken. */
export function shortArgument(json: string): string {
	const values = parseObject(json);
	const telling = tellingArguments.map((name) => values[name]);
	const texts = [...telling, goalsIn(values.tasks), ...Object.values(values)];
	return oneLine(String(texts.find((value) => typeof value === "string") ?? ""));
}

function goalsIn(tasks: unknown): string | undefined {
	if (!Array.isArray(tasks)) return undefined;
	const goals = tasks.flatMap((task) => (typeof task?.goal === "string" ? [task.goal] : []));
	return goals.length === 0 ? undefined : goals.join("; ");
}

/** What a tool's JSON result says. */
export function shortOutcome(json: string): ShortOutcome {
	const { error, exit_code: exitCode, diff } = parseObject(json);
	const errors = typeof error === "string" && error !== "" ? [oneLine(error)] : [];
	const codes = typeof exitCode === "number" ? [`exit ${exitCode}`] : [];
	const detail = typeof diff === "string" && diff !== "" ? diff.trimEnd().split("\n").slice(0, 40) : [];
	const failed = errors.length > 0 || (typeof exitCode === "number" && exitCode !== 0);
	return { failed, facts: [...codes, ...errors], detail };
}

function oneLine(text: string): string {
	const line = text.trim().replaceAll(/\s*\n\s*/g, " ⏎ ");
	return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

function parseObject(json: string): Readonly<Record<string, unknown>> {
	try {
		const value: unknown = JSON.parse(json);
		return typeof value === "object" && value !== null ? { ...value } : {};
	} catch {
		// A model may send anything; the call then shows without its argument.
		return {};
	}
}
