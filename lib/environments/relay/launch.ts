/** Starts the relay in a sandbox: its text goes in over standard input, so that nothing of it is left on a disk. */

import type { Running, Sandbox } from "../backend.ts";
import relaySource from "./relay.py" with { type: "text" };

/** A relay's process, which has been given its text. */
export interface LaunchedRelay {
	readonly running: Running;
	readonly stdin: WritableStream<Uint8Array>;
	/** What it says on standard error, so far. */
	complaint(): string;
}

/** What a relay can be told to do without; for places that lack it, and tests. */
export type Disabled = "posix_spawn" | "subreaper" | "epoll" | "proc";

/** How the relay is started. */
export interface LaunchOptions {
	/** Where programs are looked for; what the sandbox has by itself when left out. */
	readonly path?: string | undefined;
	/** A Python to use instead of those on the path. */
	readonly python?: string | undefined;
	readonly disabled?: readonly Disabled[] | undefined;
	readonly signal: AbortSignal;
}

/** Where Python is on systems that keep it off the path. */
const usualPythons = ["python3", "/usr/bin/python3", "/usr/local/bin/python3", "/usr/libexec/platform-python"];

/** Looks for the first of the named Pythons; what follows `--` is for it. */
const find = `PATH=\${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}; code=$1; shift
while [ "$1" != -- ]; do command -v "$1" >/dev/null 2>&1 && { p=$1; while [ "$1" != -- ]; do shift; done; shift
exec "$p" -I -S -c "$code" "\${LC_CTYPE+ctype}" "$@"; }; shift; done
echo "there is no python3" >&2; exit 127`;

const longestComplaint = 2_000;

/** Starts it. @throws {BackendUnavailable} */
export async function launchRelay(sandbox: Sandbox, options: LaunchOptions): Promise<LaunchedRelay> {
	const source = Buffer.from(relaySource);
	const load = `import os\ns=b''\nwhile len(s)<${source.length}:\n d=os.read(0,${source.length}-len(s))\n if not d:os._exit(1)\n s+=d\nexec(compile(s,'relay','exec'))`;
	const pythons = options.python === undefined ? usualPythons : [options.python];
	const running = await sandbox.start(
		["/bin/sh", "-c", find, "sh", load, ...pythons, "--", ...(options.disabled ?? [])],
		{
			env: options.path === undefined ? {} : { PATH: options.path },
			cwd: "/",
			stdin: "pipe",
			control: true,
			signal: options.signal,
		},
	);
	const { stdin, control } = running;
	if (stdin === undefined) throw new Error(`Cannot start the relay on ${sandbox.ranOn}: its input cannot be reached`);
	let said = "";
	void control
		?.pipeTo(
			new WritableStream({
				write(chunk) {
					said = (said + Buffer.from(chunk).toString("utf8")).slice(-longestComplaint);
				},
			}),
		)
		.catch(() => undefined);
	const writer = stdin.getWriter();
	// A program that is not Python reads nothing; its end is told by its output.
	writer.write(source).catch(() => undefined);
	writer.releaseLock();
	return { running, stdin, complaint: () => said.trim() };
}
