/** Commander commands made from actions. */

import { type Command, Option } from "commander";
import type { ZodObject, ZodType } from "zod";
import { commonFlags, profileFlag } from "../common-flags.ts";
import type { Action, ActionGroup } from "../subcommand.ts";

/** Gives `command` the flags, operands and help text of `action`. */
export function configureAction(command: Command, action: Action): void {
	command.summary(action.summary).description(action.summary);
	if (action.details !== undefined) command.addHelpText("after", `\n${action.details}`);
	for (const operand of action.operands?.split(" ") ?? []) command.argument(operand);
	// What follows a command to run belongs to that command, with or without `--`.
	if (action.operands?.includes("...") && !action.flagsAnywhere) command.passThroughOptions();
	for (const option of optionsOf(action.flags)) command.addOption(option);
	addProfileOption(command);
}

/** Gives `command` the help text of a group; the common flags may also stand before the verb. */
export function configureGroup(command: Command, group: ActionGroup): void {
	command.summary(group.summary).description(group.summary);
	if (group.details !== undefined) command.addHelpText("after", `\n${group.details}`);
	for (const option of optionsOf(commonFlags)) command.addOption(option.hideHelp());
	addProfileOption(command);
}

/** Every command has it; the help of `hermes` itself is enough to say so. */
function addProfileOption(command: Command): void {
	for (const option of optionsOf(profileFlag)) command.addOption(option.hideHelp(command.parent !== null));
}

/** `maxTurns` is `--max-turns`. */
export function longFlag(key: string): string {
	return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function optionsOf(flags: ZodObject): Option[] {
	return Object.entries(flags.shape).map(([key, schema]) => optionOf(key, schema));
}

function optionOf(key: string, schema: ZodType): Option {
	const { description, short, value, repeats } = schema.meta() ?? {};
	const names = typeof short === "string" ? `-${short}, ${longFlag(key)}` : longFlag(key);
	if (typeof value !== "string") return plainSwitch(new Option(names, description));
	const option = new Option(`${names} ${value.startsWith("[") ? value : `<${value}>`}`, description);
	return repeats === true ? option.argParser((typed, before) => [...listOf(before), typed]) : option;
}

function listOf(before: unknown): readonly unknown[] {
	return Array.isArray(before) ? before : [];
}

/** `--no-wait` is a flag of that name, and not the opposite of one that nobody has. */
function plainSwitch(option: Option): Option {
	option.negate = false;
	return option;
}
