/** What a walk through a script sees: one program, where it would run, and what it is fed with. */

import type { Program } from "./program.ts";

/** Where text comes from that a program is fed with. */
export type Source = "download" | "decoder" | "process-ids" | "other";

/** A redirection with its target, as far as that is known. */
export interface SeenRedirection {
	readonly operator: string;
	readonly target: string;
}

/** One program of a script; its name is empty for assignments and bare redirections. */
export interface Sight {
	readonly program: Program;
	/** The folder it runs in; undefined when it cannot be known. */
	readonly cwd: string | undefined;
	/** Names of the variables that it sets, for itself or for what follows. */
	readonly assigned: readonly string[];
	readonly redirections: readonly SeenRedirection[];
	/** Its standard input, when that is plain to see. */
	readonly input: string | undefined;
	/** What a pipe feeds it from; empty without one. */
	readonly piped: ReadonlySet<Source>;
	/** What runs in the substitutions of its words. */
	readonly substituted: ReadonlySet<Source>;
	readonly inBackground: boolean;
	/** It would run on another machine, or in a container that it names. */
	readonly isElsewhere: boolean;
	/** It begins a function that calls itself twice at once: `:(){ :|:& };:` under any name. */
	readonly isForkBomb: boolean;
}

const sources: Readonly<Record<string, Source>> = {
	curl: "download",
	wget: "download",
	wget2: "download",
	fetch: "download",
	aria2c: "download",
	http: "download",
	https: "download",
	nc: "download",
	ncat: "download",
	base64: "decoder",
	base32: "decoder",
	basenc: "decoder",
	xxd: "decoder",
	openssl: "decoder",
	uudecode: "decoder",
	gpg: "decoder",
	pgrep: "process-ids",
	pidof: "process-ids",
};

/** What kind of text `program` prints. */
export function sourceOf({ name }: Program): Source {
	return (Object.hasOwn(sources, name) ? sources[name] : undefined) ?? "other";
}
