/** What a part of the wizard is given: questions at the terminal, and the way to leave. */

/** The user left with Ctrl-C: what is complete stays, and the rest is as it was. */
export class LeftSetup extends Error {
	override readonly name = "LeftSetup";
}

/** One way to answer. */
export interface Choice<V extends string> {
	readonly value: V;
	readonly label?: string;
	readonly hint?: string;
}

const load = () => import("@clack/prompts");

/** Longer lists can be searched. */
const longestPlainList = 12;

/**
 * One of these; `initial` is what Enter keeps.
 * @throws {LeftSetup}
 */
export async function pick<V extends string>(
	message: string,
	options: readonly Choice<V>[],
	initial?: string,
): Promise<V> {
	const { autocomplete, select } = await load();
	const known = options.find(({ value }) => value === initial)?.value;
	const first = known === undefined ? {} : { initialValue: known };
	const asked = { message, options: options.map(labelled), maxItems: longestPlainList, ...first };
	const isLong = options.length > longestPlainList;
	const answer: unknown = isLong ? await autocomplete<string>(asked) : await select<string>(asked);
	return kept(options.find(({ value }) => value === answer)?.value);
}

/**
 * Some of these, or none; `initial` are marked.
 * @throws {LeftSetup}
 */
export async function pickSome(
	message: string,
	options: readonly Choice<string>[],
	initial: readonly string[],
): Promise<string[]> {
	const { isCancel, multiselect } = await load();
	const marked = { options: options.map(labelled), initialValues: [...initial] };
	const answer = await multiselect<string>({ message, ...marked, required: false });
	return kept(isCancel(answer) ? undefined : answer);
}

/** What a line may be. */
export interface LineRules {
	/** What an empty line stands for. */
	readonly initial?: string;
	/** What is wrong with a line; it is asked for again then. */
	problem?(text: string): string | undefined;
}

/**
 * A line without the space around it.
 * @throws {LeftSetup}
 */
export async function line(message: string, { initial = "", problem }: LineRules = {}): Promise<string> {
	const { isCancel, text } = await load();
	const usual = initial === "" ? {} : { placeholder: initial, defaultValue: initial };
	const answer = await text({ message, ...usual, validate: (typed = "") => problem?.(typed.trim() || initial) });
	return kept(isCancel(answer) ? undefined : answer.trim());
}

/**
 * A secret: never shown, and kept in no history.
 * @throws {LeftSetup}
 */
export async function secret(message: string, problem: (text: string) => string | undefined): Promise<string> {
	const { isCancel, password } = await load();
	const answer = await password({ message, validate: (typed = "") => problem(typed.trim()) });
	return kept(isCancel(answer) ? undefined : answer.trim());
}

/**
 * Yes or no.
 * @throws {LeftSetup}
 */
export async function agree(message: string, initialValue = true): Promise<boolean> {
	const { confirm, isCancel } = await load();
	const answer = await confirm({ message, initialValue });
	return kept(isCancel(answer) ? undefined : answer);
}

/** Shows that something takes its time, and then what came of it. */
export async function during<T>(message: string, work: () => Promise<T>, told: (result: T) => string): Promise<T> {
	const { spinner } = await load();
	const shown = spinner();
	shown.start(message);
	try {
		const result = await work();
		shown.stop(told(result));
		return result;
	} catch (error) {
		shown.error(message);
		throw error;
	}
}

/** A sentence between two questions. */
export async function say(kind: "step" | "success" | "warn", text: string): Promise<void> {
	const { log } = await load();
	log[kind](text);
}

/** The first and the last line. */
export async function frame(kind: "intro" | "outro" | "cancel", text: string): Promise<void> {
	(await load())[kind](text);
}

function kept<T>(answer: T | undefined): T {
	if (answer === undefined) throw new LeftSetup("left");
	return answer;
}

function labelled({ value, label = value, hint }: Choice<string>) {
	return { value, label, ...(hint !== undefined && { hint }) };
}
