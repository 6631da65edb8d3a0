/** What one shell session remembers between its commands: folder, exported variables, functions and aliases. */

import { callMark, runMark } from "../call-marks.ts";
import { parseExports } from "./parse-exports.ts";

/** The state at one moment. Never changed in place: a call keeps the one it started with. */
export interface SessionValues {
	readonly cwd: string;
	/** Exported variables, values with one character per byte. */
	readonly variables: ReadonlyMap<string, string>;
	/** Shell text that defines functions and aliases, one character per byte; empty when there are none. */
	readonly definitions: string;
	/** The export list these variables were read from, to see at once that nothing changed. */
	readonly exportList?: string;
}

/** What a finished command left. */
export interface CapturedState {
	readonly cwd: string;
	readonly exportList: string;
	readonly definitions: string;
}

/** A session's state, and how it takes in what commands leave. */
export interface SessionState {
	readonly values: SessionValues;
	/** Takes in what changed between `started` and `captured`; what parallel calls changed meanwhile stays. */
	merge(started: SessionValues, captured: CapturedState): void;
	/** Moves the session to a folder, when its own is gone. */
	moveTo(cwd: string): void;
	/** Takes over what an earlier session became between `first` and `last`: its folder and what it changed. */
	adopt(first: SessionValues, last: SessionValues): void;
}

/**
 * Never carried over: what bash sets by itself, marks of a call, and options that would rule every later shell
 * (`export SHELLOPTS` after `set -x`).
 */
const notCarried: ReadonlySet<string> = new Set([
	...["PWD", "SHLVL", "_", "SHELLOPTS", "BASHOPTS", "BASH_XTRACEFD"],
	...[runMark, callMark],
]);

/** A session that begins with `values`. */
export function createSessionState(values: SessionValues): SessionState {
	let current = values;
	return {
		get values() {
			return current;
		},
		merge(started, captured) {
			current = merged(current, started, captured);
		},
		moveTo(cwd) {
			current = { ...current, cwd };
		},
		adopt(first, last) {
			const variables = mergedVariables(current, first, last.variables);
			const definitions = last.definitions === first.definitions ? current.definitions : last.definitions;
			current = { cwd: last.cwd, variables, definitions };
		},
	};
}

/** Splits the bytes that the capture script wrote; undefined when they are not complete. */
export function readCapture(bytes: Buffer): CapturedState | undefined {
	// Three texts, each ended by NUL: a full disk, or a kill while it wrote, leaves less.
	const [cwd, exportList, definitions, rest] = bytes.toString("latin1").split("\0");
	if (cwd === undefined || exportList === undefined || definitions === undefined || rest !== "") return undefined;
	// `pwd` ends its line; a folder's own name may end with newlines too.
	return { cwd: Buffer.from(cwd.replace(/\n$/, ""), "latin1").toString("utf8"), exportList, definitions };
}

/** The variables of an export list that a session carries. */
export function carriedVariables(exportList: string): ReadonlyMap<string, string> {
	return new Map([...parseExports(exportList)].filter(([name]) => !notCarried.has(name)));
}

function merged(current: SessionValues, started: SessionValues, captured: CapturedState): SessionValues {
	const cwd = captured.cwd !== "" && captured.cwd !== started.cwd ? captured.cwd : current.cwd;
	const definitions = captured.definitions === started.definitions ? current.definitions : captured.definitions;
	if (captured.exportList === started.exportList) return { ...current, cwd, definitions };
	const variables = mergedVariables(current, started, carriedVariables(captured.exportList));
	// With a parallel call in between, the list is no longer what the variables were read from.
	if (current.variables !== started.variables) return { cwd, variables, definitions };
	return { cwd, variables, definitions, exportList: captured.exportList };
}

function mergedVariables(
	current: SessionValues,
	started: SessionValues,
	left: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
	const variables = new Map(current.variables);
	for (const [name, value] of left) {
		if (started.variables.get(name) !== value) variables.set(name, value);
	}
	for (const name of started.variables.keys()) {
		// bash hands on names it cannot hold (`a.b`) but does not list them.
		if (!left.has(name) && /^[A-Za-z_]\w*$/.test(name)) variables.delete(name);
	}
	return variables;
}
