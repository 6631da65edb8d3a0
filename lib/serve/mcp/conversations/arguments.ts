/** Reads the arguments of the conversation tools: a number that is none has its default, one that is too large is made smaller. */

/** Arguments as a client sent them. */
export type SentArguments = Readonly<Record<string, unknown>>;

/** What is wrong with a call; shown to the client as the result of a tool. */
export class CallRefused extends Error {
	override readonly name = "CallRefused";
}

/** A text that must be there. @throws {CallRefused} When it is not. */
export function textOf(args: SentArguments, name: string): string {
	const value = optionalText(args, name);
	if (value === undefined) throw new CallRefused(`Cannot do this without ${name}: it must be a text`);
	return value;
}

/** A text, or nothing where there is none or an empty one. Numbers are texts too: ids are written as either. */
export function optionalText(args: SentArguments, name: string): string | undefined {
	const value = args[name];
	const text = typeof value === "number" ? String(value) : value;
	return typeof text === "string" && text.trim() !== "" ? text.trim() : undefined;
}

/** Bounds of a number. */
export interface Bounds {
	readonly usual: number;
	readonly least: number;
	readonly most: number;
}

/** A whole number within `bounds`. */
export function wholeNumber(args: SentArguments, name: string, { usual, least, most }: Bounds): number {
	const value = args[name];
	const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
	if (typeof number !== "number" || !Number.isFinite(number)) return usual;
	return Math.min(most, Math.max(least, Math.trunc(number)));
}
