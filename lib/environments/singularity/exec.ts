/** Starts one process in an instance. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { untilAborted } from "../../base/abort.ts";
import { quoteWord } from "../../base/shell-quoting.ts";
import { BackendUnavailable, type Running, type StartOptions } from "../backend.ts";
import { environmentText } from "../environment-text.ts";
import { startLocal } from "../local/start-local.ts";
import { type MarkedStream, markedStream } from "../marked-stream.ts";
import type { Instance } from "./instance.ts";
import { environmentFolder } from "./plan.ts";
import type { Program } from "./program.ts";

/** An instance, as far as starting processes in it goes. */
export interface ExecPlace {
	readonly program: Program;
	readonly instance: Instance;
	/** Variables that every process there gets. */
	readonly inherited: readonly string[];
	readonly environments: EnvironmentFolder;
}

/** Files of variables: arguments and their values would be seen by every user of the machine. */
export interface EnvironmentFolder {
	/** The path inside of a file with this text. */
	place(text: string): string;
}

/** How many files of variables are kept: a call that starts reads its own at once. */
const keptFiles = 16;

/** Files in `folder`, the same text once; the oldest go. */
export function createEnvironmentFolder(folder: string): EnvironmentFolder {
	const names = new Map<string, string>();
	let count = 0;
	return {
		place(text) {
			const name = names.get(text) ?? String(count++);
			if (!names.has(text)) writeFileSync(join(folder, name), text, { mode: 0o600, flag: "wx" });
			// The last one used is the youngest.
			names.delete(text);
			names.set(text, name);
			const [oldest] = names;
			if (names.size > keptFiles && oldest !== undefined) {
				names.delete(oldest[0]);
				rmSync(join(folder, oldest[1]), { force: true });
			}
			return `${environmentFolder}/${name}`;
		},
	};
}

/**
 * Starts `argv`. One that is not there is a process that says so and exits 127.
 * @throws {BackendUnavailable} When the instance runs nothing.
 */
export async function startExec(place: ExecPlace, argv: readonly string[], options: StartOptions): Promise<Running> {
	const { program, instance } = place;
	if (options.pty !== undefined) throw new Error("Cannot start a process on a terminal: singularity has none");
	const mark = `hermes-${crypto.randomUUID()}`;
	// A script for the shell that we start anyway goes on in it, which saves a start.
	const goesOn = argv[0] === "/bin/sh" && argv[1] === "-c" && argv[3] === "sh";
	const script = launchScript(place, mark, { argv, options, goesOn });
	const words = [program.path, "-s", "exec", "--pwd", "/", `instance://${instance.name}`, "/bin/sh", "-c", script];
	const client = startLocal(program.host, [...words, "sh", ...(goesOn ? argv.slice(4) : argv)], {
		...options,
		env: clientEnvironment(program),
		cwd: "/",
		control: true,
	});
	const started = Promise.withResolvers<void>();
	const stream = (source: ReadableStream<Uint8Array>, onLine: () => void) =>
		markedStream({ source, mark, lines: "first", onLine });
	const output = stream(client.output, started.resolve);
	const errors = stream(client.control ?? new Blob([]).stream(), () => undefined);
	failWithoutStart(place, client, [errors, output]).catch(started.reject);
	try {
		await untilAborted(started.promise, options.signal);
	} catch (cause) {
		// Nobody waits for it: it may be at any point of its start.
		void client.kill();
		throw cause;
	}
	const exited = endOf(place, client);
	exited.catch(() => undefined);
	return {
		...(client.stdin && { stdin: client.stdin }),
		output: output.stream,
		...(options.control && { control: errors.stream }),
		exited,
		kill: (signal) => client.kill(signal),
	};
}

interface LaunchParts {
	readonly argv: readonly string[];
	readonly options: StartOptions;
	readonly goesOn: boolean;
}

/** What comes before the mark on either stream is apptainer's own. */
function launchScript(
	{ environments, inherited }: ExecPlace,
	mark: string,
	{ argv, options, goesOn }: LaunchParts,
): string {
	const text = environmentText(options.env, inherited);
	const load = text === "" ? "" : `. ${quoteWord(environments.place(text))}; `;
	const start = `printf '${mark}\\n'; printf '${mark}\\n' >&2; `;
	const gone = `{ ${start}printf 'Cannot start "%s": its folder is gone\\n' ${quoteWord(argv[0] ?? "")}; exit 127; }`;
	// First, since it sets OLDPWD, which the session has its own idea of.
	const folder = `cd -- ${quoteWord(options.cwd)} 2>/dev/null || ${gone}; `;
	const redirect = options.control ? "" : " 2>&1";
	if (!goesOn) return `${folder}${load}${start}exec "$@"${redirect}`;
	return `${folder}${load}${start}${redirect === "" ? "" : `exec${redirect}`}\n${argv[2]}`;
}

/** Only what apptainer itself needs: everything it has, the process gets. */
function clientEnvironment({ env }: Program): Record<string, string> {
	const needed = /^(?:PATH|HOME|(?:APPTAINER|SINGULARITY)_\w+)$/;
	return Object.fromEntries(Object.entries(env).filter(([name]) => needed.test(name)));
}

async function failWithoutStart(
	{ instance }: ExecPlace,
	client: Running,
	streams: readonly MarkedStream[],
): Promise<void> {
	const code = await client.exited;
	const noise = await Promise.all(streams.map(({ sourceEnded }) => sourceEnded));
	const said = noise.filter((part) => part !== "").join("; ");
	throw new BackendUnavailable(
		`Cannot start a process in ${instance.name}: ${said || `apptainer ended with code ${code}`}`,
	);
}

/** An instance that ends takes its processes with it: that is no end of the command's own. */
async function endOf({ instance }: ExecPlace, client: Running): Promise<number> {
	const code = await client.exited;
	if (code === 0 || instance.isAlive()) return code;
	throw new BackendUnavailable(`Cannot finish the command: the instance ${instance.name} ended while it ran`);
}
