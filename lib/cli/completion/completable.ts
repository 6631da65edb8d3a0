/** The command line as a list of places: what may follow each path of subcommands. */

import { loadPlugins } from "../../base/plugins.ts";
import { longFlag } from "../command-line/build-command.ts";
import { commonFlags } from "../common-flags.ts";
import { rootAction } from "../conversation/root.ts";
import type { Action, Cli } from "../subcommand.ts";

/** A flag as a shell completes it. */
export interface CompletableFlag {
	readonly long: string;
	readonly short: string | undefined;
	readonly about: string;
	readonly takesValue: boolean;
	/** The words its value may be; empty when it may be anything. */
	readonly values: readonly string[];
}

/** One place: `""` is hermes itself, `/tools/list` is `hermes tools list`. */
export interface Place {
	readonly path: string;
	readonly children: readonly { readonly name: string; readonly about: string }[];
	readonly flags: readonly CompletableFlag[];
}

/** Every place of the command line, from the same actions that run it. */
export async function completablePlaces(cli: Cli): Promise<Place[]> {
	const { loaded } = await loadPlugins(cli.plugins.subcommands);
	const { toJSONSchema } = await import("zod");
	const flagsOf = (flags: Action["flags"]) => {
		const shapes = toJSONSchema(flags, { io: "input", unrepresentable: "any" }).properties ?? {};
		return Object.entries(flags.shape).map(([key, schema]): CompletableFlag => {
			const { description = "", short, value } = schema.meta() ?? {};
			const shape = shapes[key];
			return {
				long: longFlag(key),
				short: typeof short === "string" ? `-${short}` : undefined,
				about: description,
				takesValue: value !== undefined,
				values: typeof shape === "object" ? (shape.enum ?? []).map(String) : [],
			};
		});
	};
	const top = [...loaded].map(([name, { summary }]) => ({ name, about: summary }));
	const help = { name: "help", about: "Show the help of a subcommand" };
	const root: Place = {
		path: "",
		children: [...top, help],
		flags: [...flagsOf(rootAction.flags), helpFlag],
	};
	const below = [...loaded].flatMap(([name, subcommand]): Place[] => {
		const path = `/${name}`;
		if (!("verbs" in subcommand)) return [{ path, children: [], flags: [...flagsOf(subcommand.flags), helpFlag] }];
		const verbs = Object.entries(subcommand.verbs);
		return [
			{
				path,
				children: verbs.map(([verb, { summary }]) => ({ name: verb, about: summary })),
				flags: [...flagsOf(commonFlags), helpFlag],
			},
			...verbs.map(([verb, { flags }]) => ({
				path: `${path}/${verb}`,
				children: [],
				flags: [...flagsOf(flags), helpFlag],
			})),
		];
	});
	return [root, ...below];
}

const helpFlag: CompletableFlag = {
	long: "--help",
	short: "-h",
	about: "Show the help",
	takesValue: false,
	values: [],
};
