/** The contract of a conformance case: one promise that every backend keeps, checked without a test framework. */

import type { ExecuteOptions, Outcome } from "../outcome.ts";
import type { OpenShellOptions, Shell } from "../shell/shell.ts";

/**
 * What a case needs besides a shell. `escapees`: processes that left their group are found again (Linux). `own-process`: the
 * descriptors and children of this process can be counted (/proc on the host). `own-memory`: nothing else fills the memory of
 * this process, so that its growth says something (a test runner with a large heap collects late).
 */
export type Capability = "escapees" | "own-process" | "own-memory";

/** What an opened session of a case may differ in. */
export type SessionOptions = Partial<
	Pick<OpenShellOptions, "cwd" | "environment" | "onWarning" | "loginTimeoutSeconds">
>;

/** What a case is given besides its shell. */
export interface CaseContext {
	readonly signal: AbortSignal;
	/** An empty folder inside the sandbox, where the shell starts; removed afterwards. */
	readonly folder: string;
	/** Another session in the same sandbox, disposed of by the case. */
	openShell(options?: SessionOptions): Promise<Shell>;
	/** Runs a command in the case's shell with a generous time limit. */
	run(command: string, options?: Partial<ExecuteOptions>): Promise<Outcome>;
	/** Runs a command and gives what a user would see of it. */
	say(command: string, options?: Partial<ExecuteOptions>): Promise<Said>;
}

/** The part of an outcome that most cases are about. */
export interface Said {
	readonly output: string;
	readonly exitCode: number;
}

/** One promise. `run` throws when it is broken. */
export interface ConformanceCase {
	/** `execute() does what when`, in plain words. */
	readonly name: string;
	readonly needs?: readonly Capability[];
	/** It measures this process, so no other case may run beside it. */
	readonly alone?: true;
	run(shell: Shell, context: CaseContext): Promise<void>;
}
