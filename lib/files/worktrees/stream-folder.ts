/** Carrying the files of a folder from one sandbox to another, without this machine's disk in between. */

import type { PooledShell } from "../../environments/pool/task-shell.ts";

/** A folder in the sandbox of a session. */
export interface FarFolder {
	readonly shell: PooledShell;
	/** Absolute, and there. */
	readonly folder: string;
}

/** How it is carried. */
export interface StreamOptions {
	/** Files and folders of these names stay behind. */
	readonly skip?: readonly string[];
	readonly mostBytes: number;
	readonly signal: AbortSignal;
}

const path = "PATH=/usr/bin:/bin:/usr/local/bin:$PATH; export PATH LC_ALL=C";
/** Some tars, such as that of a small busybox, cannot leave anything behind; whoever unpacks it has to do that then. */
const packScript = `${path}; cd "$1" || exit; shift; tar -cf /dev/null "$@" /dev/null >/dev/null 2>&1 || set --; exec tar -cf - "$@" .`;
const unpackScript = `${path}; cd "$1" && exec tar -xf -`;

/**
 * Packs `from` with the `tar` there and unpacks it in `to` with the one there.
 * @throws {BackendUnavailable} When a sandbox is broken.
 * @throws {Error} When it is too much, or one of them cannot do it; what has arrived by then stays.
 */
export async function streamFolder(from: FarFolder, to: FarFolder, options: StreamOptions): Promise<void> {
	const { skip = [], mostBytes, signal } = options;
	const left = new AbortController();
	const either = AbortSignal.any([signal, left.signal]);
	const env = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
	const common = { cwd: "/", env, control: true, signal: either } as const;
	await from.shell.use(signal, ({ sandbox: source }) =>
		to.shell.use(signal, async ({ sandbox: target }) => {
			const exclude = skip.map((name) => `--exclude=${name}`);
			const packing = await source.start(["/bin/sh", "-c", packScript, "sh", from.folder, ...exclude], {
				...common,
				stdin: "none",
			});
			const unpacking = await target.start(["/bin/sh", "-c", unpackScript, "sh", to.folder], {
				...common,
				stdin: "pipe",
			});
			const ending = () => void Promise.allSettled([packing.kill(), unpacking.kill()]);
			either.addEventListener("abort", ending, { once: true });
			try {
				const said = Promise.all([textOf(packing.control), textOf(unpacking.control), textOf(unpacking.output)]);
				const carried = await pour(packing.output, unpacking.stdin, mostBytes);
				if (carried > mostBytes) left.abort(new Error(`it is more than ${Math.round(mostBytes / 1_000_000)} MB`));
				const [packed, unpacked] = await Promise.all([packing.exited, unpacking.exited]);
				either.throwIfAborted();
				const [complaint, otherComplaint] = await said;
				if (unpacked !== 0)
					throw new Error(`tar in ${target.ranOn} says: ${otherComplaint || `exit code ${unpacked}`}`);
				// 1 of GNU's: a file changed while it was read, as files of programs that still run do.
				if (packed > 1) throw new Error(`tar in ${source.ranOn} says: ${complaint || `exit code ${packed}`}`);
			} finally {
				either.removeEventListener("abort", ending);
				if (either.aborted) await Promise.allSettled([packing.kill(), unpacking.kill()]);
			}
		}),
	);
}

/** Bytes that went through; stops soon after the limit, or when nobody takes them any more. */
async function pour(
	source: ReadableStream<Uint8Array>,
	target: WritableStream<Uint8Array> | undefined,
	mostBytes: number,
): Promise<number> {
	if (target === undefined) throw new Error("the sandbox takes no input");
	const writer = target.getWriter();
	let carried = 0;
	try {
		for await (const chunk of source) {
			carried += chunk.byteLength;
			if (carried > mostBytes) break;
			await writer.write(chunk);
		}
		await writer.close();
	} catch {
		// One of them has ended early; its exit code and its words say why.
		await writer.abort().catch(() => undefined);
	}
	return carried;
}

const mostSaid = 500;

async function textOf(stream: ReadableStream<Uint8Array> | undefined): Promise<string> {
	if (stream === undefined) return "";
	const text = await new Response(stream).text().catch(() => "");
	return text.replace(/\s+/g, " ").trim().slice(0, mostSaid);
}
