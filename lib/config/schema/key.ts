/** One key of config.yaml: its type, default, meaning, and which environment variables may set it. */

/** What a value must look like. */
export type Kind =
	| { readonly type: "text" | "boolean" | "texts" | "list" | "map" | "any" }
	| { readonly type: "integer" | "number"; readonly min?: number; readonly max?: number }
	| { readonly type: "choice"; readonly options: readonly string[] };

/** What all keys may say besides their type and default. */
export interface KeyFacts {
	/** An engine reads it today. A key that is not used is accepted, and `config check` says so. */
	readonly used?: boolean;
	/** Nothing will ever read it, and what to do instead. It cannot be set any more; in a file it is a warning, unless it is off. */
	readonly gone?: string;
	/** Variables that set it, the strongest first. */
	readonly environment?: readonly string[];
	/** The value is a credential: it is never shown, and `config set` puts it into .env. */
	readonly secret?: boolean;
	/** Older names of the same key. */
	readonly aliases?: readonly string[];
	/** `null` is a value of its own: no limit, or decided at run time. */
	readonly nullable?: boolean;
	/** Matters only to the backend it is named after: a wrong value is refused when that backend opens, not before. */
	readonly lazy?: boolean;
}

/** One row of the key table. `T` is the type of its value. */
export interface Key<T = unknown> extends KeyFacts {
	readonly kind: Kind;
	readonly fallback: T;
	readonly about: string;
}

/** The type of a key's value. */
export type ValueOf<K> = K extends Key<infer T> ? T : never;

/** Any text. */
export function text(fallback: string, about: string, facts: KeyFacts = {}): Key<string> {
	return { kind: { type: "text" }, fallback, about, ...facts };
}

/** True or false. */
export function boolean(fallback: boolean, about: string, facts: KeyFacts = {}): Key<boolean> {
	return { kind: { type: "boolean" }, fallback, about, ...facts };
}

/** Bounds are inclusive. */
export function integer(fallback: number, about: string, facts: KeyFacts & Bounds = {}): Key<number> {
	const { min, max, ...rest } = facts;
	return { kind: { type: "integer", ...bounds(min, max) }, fallback, about, ...rest };
}

/** Bounds are inclusive. */
export function number(fallback: number, about: string, facts: KeyFacts & Bounds = {}): Key<number> {
	const { min, max, ...rest } = facts;
	return { kind: { type: "number", ...bounds(min, max) }, fallback, about, ...rest };
}

/** A whole number, or null when nothing is set. */
export function optionalInteger(about: string, facts: KeyFacts & Bounds = {}): Key<number | null> {
	return { ...integer(0, about, facts), fallback: null, nullable: true };
}

/** One word of a list; the fallback is the first one. YAML 1.1 reads a bare `off` as false: that is understood. */
export function choice<const O extends readonly [string, ...string[]]>(
	options: O,
	about: string,
	facts: KeyFacts = {},
): Key<O[number]> {
	return { kind: { type: "choice", options }, fallback: options[0], about, ...facts };
}

/** A list of texts. */
export function texts(fallback: readonly string[], about: string, facts: KeyFacts = {}): Key<readonly string[]> {
	return { kind: { type: "texts" }, fallback, about, ...facts };
}

/** A list of anything. */
export function list(about: string, facts: KeyFacts = {}): Key<readonly unknown[]> {
	return { kind: { type: "list" }, fallback: [], about, ...facts };
}

/** A map whose content belongs to the user or to a later engine. */
export function map(about: string, facts: KeyFacts = {}): Key<Readonly<Record<string, unknown>>> {
	return { kind: { type: "map" }, fallback: {}, about, ...facts };
}

/** Anything at all. */
export function anything(about: string, facts: KeyFacts = {}): Key<unknown> {
	return { kind: { type: "any" }, fallback: undefined, about, ...facts };
}

interface Bounds {
	readonly min?: number;
	readonly max?: number;
}

function bounds(min?: number, max?: number): Bounds {
	return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}
