/** The command router of sandboxes: starts processes in them, moves their input and output, and saves their files. */

import { ServerError, Status } from "nice-grpc";
import { type Conduct, header, readToken } from "./conduct.ts";
import { type Exec, Gone, longestWrite } from "./exec.ts";
import type { Method } from "./server-impl.ts";
import type { World, WorldSandbox } from "./world.ts";

/** What an answer may hold. */
const chunkBytes = 64 * 1024;

/** Modal takes so many bytes of arguments. */
const longestArguments = 65_536;

const notFound = 5;

interface Named {
	readonly taskId: string;
	readonly execId: string;
}

/** The methods that the library calls. `limits` gets the limit of every exec. */
export function router(world: World, conduct: Conduct, limits: number[]): Record<string, Method> {
	const sandboxOf = ({ taskId }: { taskId: string }): WorldSandbox => {
		const sandbox = world.byTask(taskId);
		if (sandbox === undefined || sandbox.ended !== undefined) throw gone(conduct);
		return sandbox;
	};
	const execOf = (request: Named): Exec => {
		const exec = sandboxOf(request).execs.get(request.execId);
		if (exec === undefined) throw new ServerError(Status.NOT_FOUND, `no exec ${request.execId}`);
		return exec;
	};
	const cut = new Set<string>();
	const methods: Record<string, Method> = {
		taskExecStart(request) {
			const sandbox = sandboxOf(request);
			const { execId, commandArgs, workdir, timeoutSecs = 0, secretSources, ptyInfo } = request;
			const bytes = commandArgs.reduce((sum: number, word: string) => sum + Buffer.byteLength(word), 0);
			if (bytes > longestArguments) throw new ServerError(Status.INVALID_ARGUMENT, "too many arguments");
			// A request that is made again has started its process already.
			if (sandbox.execs.has(execId)) return {};
			limits.push(timeoutSecs);
			const env = Object.assign(
				{},
				...secretSources.map((source: { env?: { contents: object } }) => source.env?.contents),
			);
			const how = {
				argv: commandArgs,
				cwd: workdir ?? "/",
				env,
				limitSeconds: timeoutSecs,
				hasTerminal: ptyInfo !== undefined,
			};
			sandbox.execs.set(execId, world.start(sandbox, how));
			return {};
		},
		async taskExecStdinWrite(request) {
			if (request.data.length > longestWrite) throw new ServerError(Status.INVALID_ARGUMENT, "too much input at once");
			await execOf(request).write(request.offset, request.data, request.eof);
			return {};
		},
		taskExecStdinStatus(request) {
			const { written, isClosed } = execOf(request);
			return { numBytesWritten: written, closed: isClosed };
		},
		async taskExecWait(request) {
			const sandbox = sandboxOf(request);
			const code = await Promise.race([execOf(request).exited, sandbox.end.then(() => undefined)]);
			if (code === undefined) throw gone(conduct);
			return code > 128 ? { signal: code - 128 } : { code };
		},
		async taskSnapshotFilesystem(request) {
			return { imageId: await world.snapshot(sandboxOf(request)) };
		},
	};
	const check: Method = (request, { metadata }) => {
		const token = readToken(header(metadata, "authorization").replace(/^Bearer /, ""));
		if (token?.task !== request.taskId || (token?.exp ?? 0) < conduct.now)
			throw new ServerError(Status.UNAUTHENTICATED, "the token of the sandbox has expired");
		return undefined;
	};
	const read = conduct.wrapStream(
		"taskExecStdioRead",
		async function* (request, { signal }) {
			const exec = execOf(request);
			const spool = request.fileDescriptor === 1 ? exec.errors : exec.output;
			const name = `${request.execId} ${request.fileDescriptor}`;
			let sent = 0;
			for await (const data of pieces(spool.from(request.offset, signal), () => gone(conduct))) {
				yield { data };
				sent += data.length;
				const limit = conduct.switches.cutStreamsAfter;
				if (limit === 0 || sent < limit || cut.has(name)) continue;
				cut.add(name);
				throw new ServerError(Status.UNAVAILABLE, "the connection was lost");
			}
		},
		check,
	);
	const wrapped = Object.entries(methods).map(([name, method]) => [name, conduct.wrap(name, method, check)]);
	return { ...Object.fromEntries(wrapped), taskExecStdioRead: read };
}

async function* pieces(source: AsyncIterable<Uint8Array>, lost: () => ServerError): AsyncGenerator<Uint8Array> {
	try {
		for await (const data of source)
			for (let at = 0; at < data.length; at += chunkBytes) yield data.subarray(at, at + chunkBytes);
	} catch (cause) {
		throw cause instanceof Gone ? lost() : cause;
	}
}

function gone({ switches: { goneCode } }: Conduct): ServerError {
	return new ServerError(goneCode as Status, goneCode === notFound ? "no such task" : "the worker is gone");
}
