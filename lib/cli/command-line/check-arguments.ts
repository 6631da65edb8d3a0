/** Checks words before commander reads them: unknown flags, values glued to a short flag, names that are no subcommand. */

import type { Command } from "commander";
import { nearestName } from "../../base/nearest-name.ts";
import { UsageError } from "../exit-codes.ts";

/**
 * Checks the flags of `args`, which is what follows `command`, up to the first operand, and returns that operand.
 * @throws {UsageError} For a flag that is unknown or has its value glued on: `-tui` would silently mean `-t ui` (#35618).
 */
export function firstOperand(command: Command, args: readonly string[]): string | undefined {
	for (let index = 0; index < args.length; index++) {
		const arg = args[index] ?? "";
		if (arg === "--") return args[index + 1];
		if (!isFlag(arg)) return arg;
		if (takesNextWord(command, arg)) index++;
	}
	return undefined;
}

/** `-` is standard input and `-3` a number. */
function isFlag(arg: string): boolean {
	return /^-\D/.test(arg);
}

/** @throws {UsageError} When there is no such flag. */
function takesNextWord(command: Command, arg: string): boolean {
	if (arg === "-h" || arg === "--help") return false;
	const [name = arg] = arg.startsWith("--") ? arg.split("=", 1) : [arg];
	const option = command.options.find(({ long, short }) => long === name || short === name);
	if (option === undefined) throw unknownFlag(command, name);
	return option.required && name === arg;
}

/**
 * Checks that `name`, the word after `command`, is one of its subcommands.
 * @throws {UsageError} With the nearest name.
 */
export function checkSubcommand(command: Command, name: string): void {
	const known = command.commands.map((child) => child.name());
	if (known.includes(name) || name === "help") return;
	const near = nearestName(name, known);
	const path = commandPath(command);
	const advice = near === undefined ? `see "${path} --help"` : `did you mean "${path} ${near}"?`;
	throw new UsageError(`Cannot run "${path} ${name}": unknown subcommand; ${advice}`);
}

/** `hermes tools call`. */
export function commandPath(command: Command): string {
	return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}

function unknownFlag(command: Command, flag: string): UsageError {
	const meant = splitFlag(command, flag) ?? nearestName(flag, longFlags(command));
	const advice = meant === undefined ? `see "${commandPath(command)} --help"` : `did you mean "${meant}"?`;
	return new UsageError(`Cannot understand "${flag}": unknown flag; ${advice}`);
}

/** `-model` as `--model`, else `-tui` as `-t ui`. */
function splitFlag(command: Command, flag: string): string | undefined {
	if (flag.startsWith("--")) return undefined;
	if (longFlags(command).includes(`-${flag}`)) return `-${flag}`;
	const short = command.options.find((option) => option.short === flag.slice(0, 2));
	if (short === undefined) return nearestName(`-${flag}`, longFlags(command));
	return short.required ? `${short.short} ${flag.slice(2)}` : `${short.short} -${flag.slice(2)}`;
}

function longFlags(command: Command): string[] {
	return command.options.flatMap((option) => option.long ?? []);
}
