/** Starts a process with what Bun has for pipes, on a system whose C library could not be loaded. */

import type { StartOptions } from "../backend.ts";
import { readUntilEnd } from "./read-until-end.ts";
import type { Started } from "./start-local.ts";

/** Everything works but `> /dev/stdout` in the child: its output is a socket. */
export function startWithoutPipes(
	argv: readonly string[],
	{ cwd, env, stdin, control: isApart }: StartOptions,
): Started {
	// Two sockets would lose the order of output and errors.
	const merged = ["/bin/sh", "-c", 'exec "$@" 2>&1', "sh", ...argv];
	const child = Bun.spawn(isApart ? [...argv] : merged, {
		stdio: [stdin === "none" ? "ignore" : "pipe", "pipe", isApart ? "pipe" : "ignore"],
		cwd,
		env,
		detached: true,
	});
	const writer = child.stdin === undefined ? undefined : writableOf(child.stdin);
	if (writer !== undefined && stdin instanceof Uint8Array) void feed(writer, stdin);
	const { pid, exited } = child;
	const read = (stream: ReadableStream<Uint8Array>) =>
		readUntilEnd({ stream, descriptor: undefined, release() {} }, exited);
	const control = child.stderr && { control: read(child.stderr) };
	return { pid, exited, stdin: stdin === "pipe" ? writer : undefined, output: read(child.stdout), ...control };
}

function writableOf(sink: Bun.FileSink): WritableStream<Uint8Array> {
	return new WritableStream<Uint8Array>({
		async write(chunk) {
			await sink.write(chunk);
			await sink.flush();
		},
		close: async () => void (await sink.end()),
	});
}

async function feed(writable: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
	const writer = writable.getWriter();
	// A command may end without reading its input.
	await writer.write(bytes).then(
		() => writer.close(),
		() => undefined,
	);
}
