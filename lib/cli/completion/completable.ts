/** The command line as a list of places: what may follow each path of subcommands. */

import { z } from "zod";
import { loadPlugins } from "../../base/plugins.ts";
import { longFlag } from "../command-line/build-command.ts";
import { commonFlags, profileFlag } from "../common-flags.ts";
import { rootAction } from "../conversation/root.ts";
import type { Action, Cli, Subcommand } from "../subcommand.ts";
import { type Offered, openWordLists, type WordLists } from "./words.ts";

/** A flag as a shell completes it. */
export interface CompletableFlag {
	readonly long: string;
	readonly short: string | undefined;
	readonly about: string;
	readonly takesValue: boolean;
	/** The words its value may be; empty when it may be anything. */
	readonly values: Offered;
}

/** One place: `""` is hermes itself, `/tools/list` is `hermes tools list`. */
export interface Place {
	readonly path: string;
	readonly children: readonly { readonly name: string; readonly about: string }[];
	readonly flags: readonly CompletableFlag[];
	/** The words its first operand may be; empty when it may be anything. */
	readonly operands: Offered;
}

/** Every place of the command line, from the same actions that run it. */
export async function completablePlaces(cli: Cli): Promise<Place[]> {
	const [{ loaded }, words] = await Promise.all([loadPlugins(cli.plugins.subcommands), openWordLists(cli)]);
	const top = [...loaded].map(([name, { summary }]) => ({ name, about: summary }));
	const help = { name: "help", about: "Show the help of a subcommand" };
	return [
		{ path: "", children: [...top, help], flags: flagsOf(rootAction.flags, words), operands: [] },
		{ path: "/help", children: [], flags: [], operands: words("subcommands") },
		...[...loaded].flatMap(([name, subcommand]) => placesOf(name, subcommand, words)),
	];
}

function placesOf(name: string, subcommand: Subcommand, words: WordLists): Place[] {
	const path = `/${name}`;
	if (!("verbs" in subcommand)) return [placeOf(path, subcommand, words)];
	const verbs = Object.entries(subcommand.verbs);
	const children = verbs.map(([verb, { summary }]) => ({ name: verb, about: summary }));
	return [
		{ path, children, flags: flagsOf(commonFlags, words), operands: [] },
		...verbs.map(([verb, action]) => placeOf(`${path}/${verb}`, action, words)),
	];
}

function placeOf(path: string, { flags, completes = [] }: Action, words: WordLists): Place {
	return { path, children: [], flags: flagsOf(flags, words), operands: words(completes) };
}

function flagsOf(flags: Action["flags"], words: WordLists): CompletableFlag[] {
	return [...valuedFlags({ ...flags.shape, ...profileFlag.shape }, words), helpFlag];
}

function valuedFlags(shape: Action["flags"]["shape"], words: WordLists): CompletableFlag[] {
	const flags = z.object(shape);
	const shapes = z.toJSONSchema(flags, { io: "input", unrepresentable: "any" }).properties ?? {};
	return Object.entries(shape).map(([key, schema]): CompletableFlag => {
		const { description = "", short, value, completes } = schema.meta() ?? {};
		const shape = shapes[key];
		const choices = typeof shape === "object" ? (shape.enum ?? []).map(String) : [];
		return {
			long: longFlag(key),
			short: typeof short === "string" ? `-${short}` : undefined,
			about: description,
			takesValue: value !== undefined,
			values: completes === undefined ? choices : words(completes),
		};
	});
}

const helpFlag: CompletableFlag = {
	long: "--help",
	short: "-h",
	about: "Show the help",
	takesValue: false,
	values: [],
};
