/** The route through a helper inside the sandbox: the shell is started as it is, and its state comes back with its end. */

import { BackendUnavailable, ProcessLost, type Sandbox } from "../backend.ts";
import { FileError, type HelperFiles, type SandboxHelper, type ShellStart } from "../sandbox-helper.ts";
import { noFolderCode, type Route, type RouteCall, type RouteRun, type SessionFiles } from "./route.ts";
import { readCapture } from "./session-state.ts";

/** What is longer goes over the wire once, as a file, and not with every call. */
const inlineBytes = 2_048;

/** A route that uses the helper of `sandbox` for as long as there is one, and `fallback` in the same `folder` from then on. */
export function openHelperRoute(sandbox: Sandbox, folder: string, fallback: Route): Route {
	return {
		files: sessionFiles(sandbox, fallback.files),
		inlineBytes,
		async start(call) {
			const { helper } = sandbox;
			return helper === undefined ? fallback.start(call) : startCall(helper, call, { sandbox, files: fallback.files });
		},
		async [Symbol.asyncDispose]() {
			const isRemoved = await withHelper(sandbox, (files) => files.remove(folder, { recursive: true }));
			if (!isRemoved) await fallback[Symbol.asyncDispose]();
		},
	};
}

function sessionFiles(sandbox: Sandbox, fallback: SessionFiles): SessionFiles {
	return {
		reserve: () => fallback.reserve(),
		async place(content) {
			const path = fallback.reserve();
			const isPlaced = await withHelper(sandbox, (files) => placeNew(files, path, content));
			return isPlaced ? path : fallback.place(content);
		},
		async remove(path) {
			const isRemoved = await withHelper(sandbox, (files) => files.remove(path));
			if (!isRemoved) await fallback.remove(path);
		},
	};
}

async function placeNew(files: HelperFiles, path: string, content: Uint8Array): Promise<void> {
	const options = { how: "new", mode: 0o600 } as const;
	try {
		await files.write(path, content, options);
	} catch (cause) {
		if (!(cause instanceof FileError) || cause.code !== "ENOENT") throw cause;
		// A cleaning job may have removed the session's folder.
		await files.makeFolder(path.slice(0, path.lastIndexOf("/")), 0o700);
		await files.write(path, content, options);
	}
}

/** Whether the helper did it; a refusal of the file system is left to the fallback to find out and explain. */
async function withHelper({ helper }: Sandbox, act: (files: HelperFiles) => Promise<unknown>): Promise<boolean> {
	if (helper === undefined) return false;
	try {
		await act(helper.files);
		return true;
	} catch (cause) {
		if (cause instanceof FileError || cause instanceof ProcessLost) return false;
		throw cause;
	}
}

async function startCall(
	helper: SandboxHelper,
	call: RouteCall,
	{ sandbox, files }: { readonly sandbox: Sandbox; readonly files: SessionFiles },
): Promise<RouteRun> {
	const { env, stdin, signal, find, needs, deadlineSeconds } = call;
	const statePath = files.reserve();
	const started = await helper.startShell(call.argv(statePath), {
		...{ env, stdin, signal, find, statePath, cwd: call.folder },
		...(needs !== undefined && { needs }),
		...(deadlineSeconds !== undefined && { deadlineSeconds }),
	});
	if (started.is === "missing") return notStarted();
	if (started.is === "lost") {
		throw new BackendUnavailable(`Cannot run the command: the session's files are gone from ${sandbox.ranOn}`);
	}
	return follow(started);
}

function follow({ running, folder, isAskedFolder }: Extract<ShellStart, { is: "started" }>): RouteRun {
	const { output, exited, control } = running;
	// Read at once: it would hold up nothing but itself.
	const state = new Response(control).arrayBuffer();
	return {
		output,
		exited,
		kill: (signal) => running.kill(signal),
		left: async () => ({ folder, isAsked: isAskedFolder, captured: readCapture(Buffer.from(await state)) }),
	};
}

function notStarted(): RouteRun {
	return {
		output: new Blob([]).stream(),
		exited: Promise.resolve(noFolderCode),
		kill: async () => undefined,
		left: async () => ({ folder: undefined, isAsked: false, captured: undefined }),
	};
}
