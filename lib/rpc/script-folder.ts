/** The private folder of one script: made on this machine, through the sandbox's helper, or by a process there. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { attemptAsync } from "../base/attempt.ts";
import { settledWithin } from "../base/settled-within.ts";
import type { SandboxHelper } from "../environments/sandbox-helper.ts";
import { runToEnd } from "../environments/shell/run-to-end.ts";
import type { Shell } from "../environments/shell/shell.ts";
import { shellEnvironment } from "./script-environment.ts";
import { longestSocketPath } from "./transports/local-socket.ts";

/** What is written: names to texts. One of them may be long. */
export interface FolderContent {
	/** The script. */
	readonly main: { readonly name: string; readonly text: string };
	/** Everything else, each below 100 KB. */
	readonly others: Readonly<Record<string, string>>;
	/** Empty folders. */
	readonly folders: readonly string[];
}

/** A folder that only its user can enter. Disposing it removes it, with all that the script left there. */
export interface ScriptFolder extends AsyncDisposable {
	readonly path: string;
}

const removeLimitMs = 15_000;
const makeLimitMs = 60_000;

/** Reads the script from standard input, since an argument holds 128 KB at most. */
const makeScript = `umask 077
mkdir -p "$1" && cd "$1" || exit 3
main=$2 folders=$3; shift 3
for folder in $folders; do mkdir "$folder" || exit 3; done
while [ "$#" -gt 1 ]; do printf %s "$2" >"$1" || exit 3; shift 2; done
cat >"$main"`;

/**
 * Makes the folder in the session's own, where it is gone at the latest when the session ends.
 * @throws {Error} When it cannot be written.
 */
export async function makeScriptFolder(shell: Shell, content: FolderContent): Promise<ScriptFolder> {
	const path = shortEnough(shell.route.files.reserve());
	if (shell.files === "host") return makeHere(path, content);
	const { helper } = shell.sandbox;
	return helper === undefined ? makeThere(shell, path, content) : makeThrough(helper, path, content);
}

/** A socket has to have room in it. */
function shortEnough(reserved: string): string {
	if (Buffer.byteLength(`${reserved}/rpc.sock`) <= longestSocketPath) return reserved;
	return `/tmp/hermes-script-${crypto.randomUUID()}`;
}

function makeHere(path: string, { main, others, folders }: FolderContent): ScriptFolder {
	mkdirSync(path, { mode: 0o700 });
	for (const name of folders) mkdirSync(join(path, name), { mode: 0o700 });
	for (const [name, text] of [[main.name, main.text], ...Object.entries(others)]) {
		if (name !== undefined) writeFileSync(join(path, name), text ?? "", { mode: 0o600 });
	}
	return { path, [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true, force: true }) };
}

async function makeThrough(helper: SandboxHelper, path: string, content: FolderContent): Promise<ScriptFolder> {
	const { files } = helper;
	await files.makeFolder(path, 0o700);
	const texts = Object.entries({ ...content.others, [content.main.name]: content.main.text });
	await Promise.all([
		...content.folders.map((name) => files.makeFolder(`${path}/${name}`, 0o700)),
		...texts.map(([name, text]) => files.write(`${path}/${name}`, Buffer.from(text), { how: "new", mode: 0o600 })),
	]);
	return { path, [Symbol.asyncDispose]: () => removed(files.remove(path, { recursive: true })) };
}

async function makeThere(shell: Shell, path: string, { main, others, folders }: FolderContent): Promise<ScriptFolder> {
	const { sandbox } = shell;
	const env = shellEnvironment(shell);
	const rest = Object.entries(others).flat();
	const argv = ["/bin/sh", "-c", makeScript, "sh", path, main.name, folders.join(" "), ...rest];
	const stdin = Buffer.from(main.text);
	const { exitCode, output } = await runToEnd(sandbox, argv, { env, stdin, signal: AbortSignal.timeout(makeLimitMs) });
	if (exitCode !== 0) {
		const why = output.toString("utf8").trim().slice(0, 300) || `exit code ${exitCode}`;
		throw new Error(`Cannot write a script to ${dirname(path)} on ${sandbox.ranOn}: ${why}`);
	}
	const remove = () =>
		runToEnd(sandbox, ["/bin/rm", "-rf", "--", path], { env, signal: AbortSignal.timeout(removeLimitMs) });
	return { path, [Symbol.asyncDispose]: () => removed(remove()) };
}

/** The session's folder goes with the session; that one script's stays until then is no reason to lose its output. */
async function removed(removing: Promise<unknown>): Promise<void> {
	await attemptAsync(() => settledWithin(removing, removeLimitMs));
}
