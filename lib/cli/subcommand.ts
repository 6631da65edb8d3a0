/** The contract of a subcommand: what a file in `lib/cli/` exports by default, and what its `run` is given. */

import type { ZodObject, z } from "zod";
import type { Plugins } from "../base/plugins.ts";
import type { Command } from "../commands/command.ts";
import type { Environment } from "../config/environment.ts";
import type { PolicySource } from "../config/policy.ts";
import type { Backend } from "../environments/backend.ts";
import type { Provider } from "../providers/provider.ts";
import type { Tool } from "../registry/tool.ts";
import type { Interruption } from "./interruption.ts";
import type { Output } from "./output.ts";
import type { EarlyFrame } from "./terminal/early-frame.ts";

/** Every plug-in list of the product. Only `main.ts` reads the folders. */
export interface PluginLists {
	readonly tools: Plugins<Tool>;
	readonly backends: Plugins<Backend>;
	readonly providers: Plugins<Provider>;
	readonly subcommands: Plugins<Subcommand>;
	/** Slash commands of a chat. */
	readonly commands: Plugins<Command>;
}

/** The process as a subcommand sees it. */
export interface Cli {
	/** `0.1.0 (abc1234)`. */
	readonly version: string;
	readonly plugins: PluginLists;
	readonly environment: Environment;
	/** Where the policy of the machine is; only tests have one of their own. */
	readonly policy?: PolicySource;
	readonly stdout: Output;
	readonly stderr: Output;
	readonly stdinIsTerminal: boolean;
	/** All of standard input as text. Nothing reads it unless the user said so with `-`. */
	readStdin(): Promise<string>;
	/** Standard input as it comes, for what is no text for people. */
	stdin(): ReadableStream<Uint8Array>;
	/** Standard input line by line, without the line ends. */
	stdinLines(): AsyncIterable<string>;
	readonly interruption: Interruption;
	/** The frame of a chat, where it was drawn before anything else. */
	readonly early?: EarlyFrame | undefined;
}

/** What the user typed. */
export interface Invocation<F> {
	readonly flags: F;
	/** What is no flag, in order; everything after `--` included. */
	readonly operands: readonly string[];
}

/** Words that a shell can offer: these, the names of something that is part of hermes, or of something that a user has. */
export type Completes = readonly string[] | BuiltInWords | UsersWords;

/** They are the same as long as the executable is: a completion script has them in it. */
export type BuiltInWords = "backends" | "providers" | "settings" | "subcommands" | "tools" | "toolsets";

/** What there is changes every day: a completion script asks hermes when the key is pressed. */
export const usersWords = ["approvals", "mcp-servers", "models", "plug-ins", "profiles", "sessions"] as const;

/** One of them. */
export type UsersWords = (typeof usersWords)[number];

/** One thing that can be run: a subcommand, or a verb of one. */
export interface Action<F extends ZodObject = ZodObject> {
	/** One line for the list of subcommands. */
	readonly summary: string;
	/** Further text under the flags in its help. */
	readonly details?: string;
	/** In commander's form: `NAME [JSON]`, `[COMMAND...]`; missing means none. */
	readonly operands?: string;
	/** Flags may also stand behind `NAME...`; without it what follows the first of these is no flag of ours. */
	readonly flagsAnywhere?: boolean;
	/** What the first operand may be, for the completion of shells. */
	readonly completes?: Completes;
	/** Runs also when the profile that was chosen is not there, in the default one: what mends that. */
	readonly needsNoProfile?: boolean;
	/**
	 * One field a flag: `maxTurns` is `--max-turns`. `meta` carries `description`, `short` (one letter) and `value` (the
	 * placeholder; in brackets the flag may stand alone); a flag without `value` is a switch; one that `repeats` is a list.
	 * Values arrive as text: coerce them. `completes` is what a shell offers.
	 */
	readonly flags: F;
	/**
	 * Returns the exit code.
	 * @throws {UsageError} When flags or operands make no sense together.
	 */
	run(invocation: Invocation<z.output<F>>, cli: Cli): Promise<number>;
}

/** A subcommand that only groups its verbs (`hermes tools list`). */
export interface ActionGroup {
	readonly summary: string;
	readonly details?: string;
	readonly verbs: Readonly<Record<string, Action>>;
}

/** What a file in `lib/cli/` exports by default. */
export type Subcommand = Action | ActionGroup;

/** Checks `run` against the flags and lets plug-in lists hold actions of any flags. */
export function defineAction<F extends ZodObject>(action: Action<F>): Action {
	return action as unknown as Action;
}
