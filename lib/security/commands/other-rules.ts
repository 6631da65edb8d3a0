/** Commands against databases, against hermes itself, and against the user's credentials. */

import type { Sight } from "../shell/sight.ts";
import { operandsOf } from "./arguments.ts";
import type { Category, Danger } from "./categories.ts";
import { holdsCredentials, isProjectFile } from "./file-places.ts";
import type { DangerPlace, Rule, Rules } from "./rule.ts";

const databaseClients = new Set([
	...[
		"psql",
		"mysql",
		"mariadb",
		"sqlite3",
		"sqlite",
		"sqlcmd",
		"duckdb",
		"clickhouse-client",
		"clickhouse",
		"cockroach",
	],
	...["bq", "mycli", "pgcli", "litecli", "usql", "isql", "sqlplus", "trino", "presto", "snowsql", "cqlsh"],
]);

/** What a client of a database is told to do, by its arguments or its input. */
export function sqlDangers({ program, input = "" }: Sight): Danger[] {
	if (!databaseClients.has(program.name)) return [];
	const found = new Set<Category>();
	for (const statement of [...program.args, input].join("\n").split(/[;\n]/)) {
		const category = sqlCategory(statement);
		if (category !== undefined) found.add(category);
	}
	return [...found].map((category) => ({ category }));
}

/** Statements are judged line by line: a WHERE of another line is none that anybody has read. */
function sqlCategory(statement: string): Category | undefined {
	if (/\bdrop\s{1,16}(?:table|database|schema)\b/i.test(statement)) return "sql-drop";
	if (/\btruncate\s{1,16}(?:table\s{1,16})?["`[\w]/i.test(statement)) return "sql-truncate";
	const isDelete = /\bdelete\s{1,16}from\b/i.test(statement);
	return isDelete && !/\bwhere\b/i.test(statement) ? "sql-delete-all" : undefined;
}

/** By the name of the program. */
export const selfRules: Rules = {
	hermes({ program: { args, through }, inBackground }) {
		const words = operandsOf(args);
		const [first = "", second = ""] = words;
		const found: Category[] = [];
		const isDetached = inBackground || through.some(({ name }) => name === "nohup" || name === "setsid");
		const isStop = first === "gateway" && /^(?:stop|restart|uninstall)$/.test(second);
		const isDetachedGateway = first === "gateway" && second === "run" && isDetached;
		if (isStop || first === "update" || first === "uninstall" || isDetachedGateway) found.push("stop-hermes");
		const isSetting = first === "config" && /^(?:set|edit|unset)$/.test(second);
		if (isSetting || args.includes("--yolo") || first === "approvals") found.push("hermes-settings");
		return found.map((category) => ({ category }));
	},
};

/** Variables that would take hermes off its leash, for a command or for all that follow. */
export function leashDangers({ assigned }: Sight): Danger[] {
	return assigned.some((name) => /^HERMES_(?:YOLO_MODE|HOME|CONFIG|PROFILE)$/.test(name))
		? [{ category: "hermes-settings" }]
		: [];
}

/** Programs that name files without showing what is in them. */
const namesOnly = new Set([
	...["echo", "printf", "ls", "stat", "test", "[", "[[", "file", "chmod", "chown", "rm", "mkdir", "touch", "which"],
	...[
		"type",
		"man",
		"ssh",
		"ssh-keygen",
		"ssh-add",
		"git",
		"basename",
		"dirname",
		"realpath",
		"readlink",
		"cd",
		"pushd",
	],
	...[
		"for",
		"case",
		"true",
		"false",
		":",
		"export",
		"unset",
		"read",
		"local",
		"declare",
		"find",
		"du",
		"wc",
		"tee",
		"exit",
	],
]);
const senders = new Set(["curl", "wget", "scp", "rsync", "nc", "ncat", "sftp", "ftp", "http", "https"]);
/** Options that name a key for logging in, not a file to send. */
const keyOptions = /^(?:-i|--key|--cert|--cacert|-E|--netrc-file)$/;

/** Keys and password files of the user that `sight` shows or sends. */
export const credentialDangers: Rule = (sight, place) => {
	const { program, redirections, cwd } = sight;
	if (program.args.length === 0 && redirections.length === 0) return [];
	const read = redirections.flatMap(({ operator, target }) => (operator === "<" || operator === "<>" ? [target] : []));
	const named = program.name === "" || namesOnly.has(program.name) ? [] : namedFiles(program.args);
	const isShown = [...read, ...named].some((path) => holdsCredentials(path, cwd, place));
	const isSent = senders.has(program.name) && [...named, ...read].some((path) => isProjectFile(path));
	return isShown || isSent ? [{ category: "read-credentials" }] : [];
};

/** Arguments as paths: bare, behind `@`, and as the value of `name=`. */
function namedFiles(args: readonly string[]): string[] {
	return args.flatMap((arg, index) => {
		// A sentence is no path; one that names a path from the root may be.
		if (arg.length > 4_096 || (/\s/.test(arg) && !arg.startsWith("/")) || keyOptions.test(args[index - 1] ?? ""))
			return [];
		const path = /^(?:[\w-]{0,64}=)?@?([^;]*)/.exec(arg)?.[1] ?? "";
		return path === arg ? [arg] : [arg, path];
	});
}

/** `sudo -S`, `-A`, `-s`, `-a` and their long forms: a password that nobody types, or a shell of root. */
export const sudoDangers: Rule = ({ program: { through } }: Sight, _place: DangerPlace) => {
	const isUnattended = through.some(({ name, options }) => name === "sudo" && options.some(isUnattendedOption));
	return isUnattended ? [{ category: "sudo-unattended" }] : [];
};

const sudoValued = "ughpCRrtTUDc";

function isUnattendedOption(option: string): boolean {
	if (/^--(?:std|askp|shell|auth)/.test(option)) return true;
	if (!/^-[A-Za-z]/.test(option)) return false;
	for (const letter of option.slice(1)) {
		if ("SAsa".includes(letter)) return true;
		if (sudoValued.includes(letter)) return false;
	}
	return false;
}
