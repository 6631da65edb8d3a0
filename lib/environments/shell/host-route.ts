/** The route of backends whose files are the host's own: state goes through a file that the host reads itself. */

import type { Sandbox } from "../backend.ts";
import { openHostStateFolder } from "./host-state-folder.ts";
import { noFolderCode, type Route, type RouteRun } from "./route.ts";
import { readCapture } from "./session-state.ts";

/** Opens the session's folder on this machine. */
export function openHostRoute(sandbox: Sandbox, environment: Readonly<Record<string, string>>): Route {
	const files = openHostStateFolder(environment);
	return {
		files,
		inlineBytes: 0,
		async start({ argv, folder: wanted, find, env, stdin, signal }) {
			const { path: folder, isAsked } = files.nearestFolder(wanted);
			if (find === "exact" && !isAsked) return neverStarted();
			const statePath = files.reserve();
			const running = await sandbox.start(argv(statePath), { env, cwd: folder, stdin, signal });
			return {
				...running,
				async left() {
					const bytes = files.take(statePath);
					return { folder, isAsked, captured: bytes && readCapture(bytes) };
				},
			};
		},
		[Symbol.asyncDispose]: async () => files[Symbol.dispose](),
	};
}

function neverStarted(): RouteRun {
	return {
		output: new Blob([]).stream(),
		exited: Promise.resolve(noFolderCode),
		kill: async () => undefined,
		left: async () => ({ folder: undefined, isAsked: false, captured: undefined }),
	};
}
