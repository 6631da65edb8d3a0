/** Says no to commands that cannot work in the foreground, and how they would. */

import { expandWord } from "../../security/shell/fields.ts";
import { lexScript } from "../../security/shell/lexer.ts";
import { type Program, programOf } from "../../security/shell/program.ts";
import { scriptInside } from "../../security/shell/programs-inside.ts";
import { NestedTooDeep, type Script, type SimpleCommand } from "../../security/shell/syntax.ts";

/** A longer one is a script: whoever wrote it knows what it starts. */
const longestCommand = 16 * 1024;
const deepest = 4;

/** Subcommands after which the program serves until somebody stops it. */
const serving: Readonly<Record<string, RegExp>> = {
	npm: /^(?:dev|start|serve|watch)$/,
	pnpm: /^(?:dev|start|serve|watch)$/,
	yarn: /^(?:dev|start|serve|watch)$/,
	bun: /^(?:dev|start|serve|watch)$/,
	next: /^(?:dev|start)$/,
	vite: /^(?:dev|serve|preview)$/,
	"docker-compose": /^up$/,
};

/** Programs that always serve. */
const servers = new Set(["nodemon", "uvicorn", "gunicorn", "hypercorn", "daphne"]);

/** Programs that start others by their name. */
const runners = new Set(["npx", "bunx", "pnpx", "uvx"]);

/** Why `command` would only run into its time limit; undefined when it may end by itself. */
export function foregroundRefusal(command: string): string | undefined {
	if (command.length > longestCommand) return undefined;
	try {
		const name = serverIn(lexScript(command), 0);
		return name === undefined
			? undefined
			: `${name} is a server and would run until its time is up; start it with background=true, then check that it is ready (or pass on_timeout="background")`;
	} catch (cause) {
		if (cause instanceof NestedTooDeep) return undefined;
		throw cause;
	}
}

/** The first program of the script that would be waited for and never ends. */
function serverIn(script: Script, depth: number): string | undefined {
	if (depth > deepest) return undefined;
	for (const [at, item] of script.entries()) {
		if (item.kind !== "command" || isLetGo(script, at)) continue;
		const fields = fieldsOf(item);
		// It has a limit of its own.
		if (fields.some((field) => /(?:^|\/)timeout$/.test(field))) continue;
		const program = programOf(fields);
		if (isServer(program)) return program.name;
		const inside = scriptInside(program);
		const found = inside === undefined ? undefined : serverIn(lexScript(inside), depth + 1);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** The pipeline it stands in is put into the background by the script itself, and nobody waits for it. */
function isLetGo(script: Script, from: number): boolean {
	for (const item of script.slice(from + 1)) {
		if (item.kind !== "operator") continue;
		if (item.text === "&") return true;
		if (/^(?:;|\n|&&|\|\|)$/.test(item.text)) return false;
	}
	return false;
}

function fieldsOf({ words }: SimpleCommand): string[] {
	const knowledge = { variables: new Map<string, string>(), choices: new Map(), cwd: undefined };
	return words.flatMap((word) => expandWord(word, knowledge));
}

function isServer({ name, args }: Program): boolean {
	if (args.some((arg) => /^(?:--help|-h|--version|-V|-v|help|--detach|-d|--daemon|-D)$/.test(arg))) return false;
	if (runners.has(name)) return isServer(programOf(args.filter((arg) => !arg.startsWith("-"))));
	if (servers.has(name)) return true;
	const words = args.filter((arg) => !arg.startsWith("-"));
	if (name === "docker") return words[0] === "compose" && words.includes("up");
	if (/^python[\d.]*$/.test(name)) return isServingModule(args);
	if (name === "vite" && words.length === 0) return true;
	const pattern = Object.hasOwn(serving, name) ? serving[name] : undefined;
	const [first = "", second = ""] = words;
	return pattern?.test(first === "run" ? second : first) === true;
}

/** `python -m http.server` and its like. */
function isServingModule(args: readonly string[]): boolean {
	const at = args.indexOf("-m");
	return (
		at >= 0 && /^(?:http\.server|uvicorn|gunicorn|flask)$/.test(args[at + 1] ?? "") && isPlainFlask(args.slice(at + 1))
	);
}

function isPlainFlask([module, ...rest]: readonly string[]): boolean {
	return module !== "flask" || rest.includes("run");
}
