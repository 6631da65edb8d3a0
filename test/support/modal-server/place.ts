/** A folder that is a machine of its own to what runs in it: its own root, processes and mounts. Needs root and overlayfs. */

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { quoteWord } from "../../../lib/base/shell-quoting.ts";
import type { Running } from "../../../lib/environments/backend.ts";
import type { LocalHost } from "../../../lib/environments/local/local-host.ts";
import { startLocal } from "../../../lib/environments/local/start-local.ts";
import type { ExecRequest } from "./exec.ts";

/** Where a sandbox's processes run. */
export interface Place {
	/** The layer that holds what was changed. */
	readonly upper: string;
	start(request: Omit<ExecRequest, "limitSeconds">): Running;
	/** Ends everything in it. */
	stop(): Promise<void>;
}

/** What every process of an image gets. */
const imageEnvironment = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/root" };

/** `$1` lower layers, `$2` upper, `$3` work, `$4` where it is put together. Process 1 has to reap what others leave; whoever enters before its root is the sandbox's is on this machine. */
const initScript = `mount -t overlay overlay -o "lowerdir=$1,upperdir=$2,workdir=$3" "$4" && mount -t proc proc "$4/proc" &&
mount --rbind /dev "$4/dev" && mount -t tmpfs shm "$4/dev/shm" && exec chroot "$4" /usr/bin/python3 -I -S -c '
import os
if not os.fork(): os.execvp("sleep", ["sleep", "infinity"])
os.write(1, b"ready\\n")
while 1: os.wait()'`;

/** Starts a place whose files are `layers`, uppermost first. @throws {Error} With what the system says. */
export async function startPlace(
	host: LocalHost,
	{ folder, layers }: { readonly folder: string; readonly layers: readonly string[] },
): Promise<Place> {
	const [upper, work, root] = [join(folder, "upper"), join(folder, "work"), join(folder, "root")] as const;
	for (const path of [upper, work, root]) mkdirSync(path, { recursive: true });
	const words = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"];
	const init = run(host, [...words, "sh", "-c", initScript, "sh", layers.join(":"), upper, work, root]);
	const said = await firstLine(init.output);
	if (said !== "ready") throw new Error(`Cannot start a sandbox: ${said || "it says nothing"}`);
	const pid = await insidePid(init.pid);
	return {
		upper,
		start: ({ argv, cwd, env, hasTerminal }) =>
			startLocal(
				host,
				[
					...["nsenter", "-t", pid, "-m", "-p", "-r", "/usr/bin/setsid", "/usr/bin/env", "-C", cwd],
					...(hasTerminal ? onTerminal(argv) : argv),
				],
				{ ...anywhere, env: { ...imageEnvironment, ...env }, stdin: "pipe", control: true },
			),
		async stop() {
			await init.kill("SIGKILL");
			await init.exited;
		},
	};
}

/** A terminal of its own; util-linux has a program for that. */
function onTerminal(argv: readonly string[]): string[] {
	return ["/usr/bin/script", "-qec", argv.map(quoteWord).join(" "), "/dev/null"];
}

/** Copies what a sandbox has changed. */
export async function copyLayer(host: LocalHost, from: string, to: string): Promise<void> {
	const copying = run(host, ["cp", "-a", "--", from, to]);
	if ((await copying.exited) !== 0) throw new Error(`Cannot copy ${from}`);
}

const anywhere = { cwd: "/", signal: new AbortController().signal };

function run(host: LocalHost, argv: readonly string[]) {
	const marked = startLocal(host, ["sh", "-c", 'echo $$; exec "$@"', "sh", ...argv], {
		...anywhere,
		env: { PATH: process.env.PATH ?? "/usr/sbin:/usr/bin:/sbin:/bin" },
		stdin: "none",
	});
	const [pids, rest] = splitFirstLine(marked.output);
	return Object.assign(marked, { pid: pids, output: rest });
}

function splitFirstLine(source: ReadableStream<Uint8Array>): [Promise<string>, ReadableStream<Uint8Array>] {
	const pid = Promise.withResolvers<string>();
	let head: Buffer | undefined = Buffer.alloc(0);
	const rest = source.pipeThrough(
		new TransformStream<Uint8Array, Uint8Array>({
			transform(chunk, controller) {
				if (head === undefined) return controller.enqueue(chunk);
				head = Buffer.concat([head, chunk]);
				const newline = head.indexOf("\n");
				if (newline === -1) return;
				pid.resolve(head.toString("utf8", 0, newline));
				const left = head.subarray(newline + 1);
				head = undefined;
				if (left.length > 0) controller.enqueue(left);
			},
		}),
	);
	return [pid.promise, rest];
}

async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
	let text = "";
	const reader = output.getReader();
	for (;;) {
		const { done, value } = await reader.read();
		if (value !== undefined) text += Buffer.from(value).toString("utf8");
		if (done || text.includes("\n")) return text.split("\n")[0] ?? "";
	}
}

/** The process number, on this machine, of the first process inside. */
async function insidePid(unshare: Promise<string>): Promise<string> {
	const outer = await unshare;
	return readFileSync(`/proc/${outer}/task/${outer}/children`, "utf8").trim();
}
