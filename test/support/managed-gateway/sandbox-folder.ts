/** A sandbox of the far side: a folder with a home and temporary files, and processes that see nothing else of their kind. */

import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A running sandbox. */
export interface SandboxFolder {
	/** Starts a command as the service does: in a shell, with input that ends. */
	run(command: string, options: { readonly cwd: string; readonly stdin: string | undefined }): FolderProcess;
	/** Copies its files to `target`. */
	snapshot(target: string): void;
	/** Ends every process in it and removes its files. */
	end(): Promise<void>;
}

/** A command that runs. */
export interface FolderProcess {
	/** What it said so far. */
	readonly output: string;
	/** Settles when it has ended and said everything; processes it left behind are not waited for. */
	readonly exited: Promise<number>;
	kill(): void;
}

/** What is mounted over the same folder of this machine. */
const ownFolders = ["root", "tmp"] as const;

/** Backgrounded processes hold the output; they have this long. */
const drainMs = 50;

/** Opens a sandbox in `folder`, with the files of `snapshot` in it. @throws {Error} Where there are no namespaces. */
export async function openSandboxFolder(folder: string, snapshot: string | undefined): Promise<SandboxFolder> {
	for (const name of ownFolders)
		mkdirSync(join(folder, name), { recursive: true, mode: name === "tmp" ? 0o1777 : 0o700 });
	if (snapshot !== undefined && existsSync(snapshot))
		cpSync(snapshot, folder, { recursive: true, preserveTimestamps: true });
	const mounts = ownFolders.map((name) => `mount --bind ${join(folder, name)} /${name}`).join(" && ");
	// The first process buries what the others leave.
	const script = `${mounts} && mount -t tmpfs none /dev/shm && echo up && exec bash -c 'while :; do sleep 1000 & wait; done'`;
	const asRoot = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
	const words = [
		"unshare",
		...asRoot,
		"--mount",
		"--pid",
		"--fork",
		"--kill-child",
		"--mount-proc",
		"sh",
		"-c",
		script,
	];
	const keeper = Bun.spawn(words, { stdin: "ignore", stdout: "pipe", stderr: "pipe", detached: true });
	const { value } = await keeper.stdout.getReader().read();
	if (value === undefined)
		throw new Error(`Cannot make a sandbox: ${(await new Response(keeper.stderr).text()).trim()}`);
	const init = (await Bun.file(`/proc/${keeper.pid}/task/${keeper.pid}/children`).text()).trim();
	const inside = ["nsenter", "-t", init, "-m", "-p", ...(asRoot.length === 0 ? [] : ["-U", "--preserve-credentials"])];
	return {
		run: (command, { cwd, stdin }) =>
			start([...inside, "bash", "-c", 'cd -- "$1" && eval "$2"', "bash", cwd, command], stdin),
		snapshot(target) {
			rmSync(target, { recursive: true, force: true });
			for (const name of ownFolders)
				cpSync(join(folder, name), join(target, name), { recursive: true, filter: isPlain });
		},
		async end() {
			keeper.kill("SIGKILL");
			await keeper.exited;
			// What is being ended may still write for a moment.
			await Bun.sleep(50);
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** Pipes and sockets are no files to keep. */
function isPlain(path: string): boolean {
	return !/\/hermes-[a-z]+-[^/]*$/.test(path);
}

function start(words: readonly string[], stdin: string | undefined): FolderProcess {
	const child = Bun.spawn([...words], {
		stdin: stdin === undefined ? "ignore" : Buffer.from(stdin),
		stdout: "pipe",
		stderr: "pipe",
		env: { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: "/root", SERVICE_SESSION: "yes" },
		cwd: "/",
	});
	const decoder = new TextDecoder();
	const pieces: string[] = [];
	const read = async (stream: ReadableStream<Uint8Array>) => {
		for await (const chunk of stream) pieces.push(decoder.decode(chunk, { stream: true }));
	};
	const drained = Promise.all([read(child.stdout), read(child.stderr)]);
	return {
		get output() {
			if (pieces.length > 1) pieces.splice(0, pieces.length, pieces.join(""));
			return pieces[0] ?? "";
		},
		exited: child.exited.then(async (code) => {
			await Promise.race([drained, Bun.sleep(drainMs)]);
			return code;
		}),
		kill: () => child.kill("SIGKILL"),
	};
}
