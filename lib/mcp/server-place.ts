/** Where the servers of one run live: processes of this machine that end with us, and sandboxes of other backends. */

import type { Sandbox } from "../environments/backend.ts";
import { createSharedLocalHost, type LocalHost } from "../environments/local/local-host.ts";
import type { OpenServersOptions } from "./open-servers.ts";
import type { ServerPlace } from "./transports/open-transport.ts";

/** A place that holds nothing until a server is started; closing it closes what was opened. */
export function openServerPlace({
	variables,
	cwd = process.cwd(),
	openSandbox,
}: Pick<OpenServersOptions, "variables" | "cwd" | "openSandbox">): ServerPlace & AsyncDisposable {
	const shared = createSharedLocalHost();
	let host: Promise<LocalHost & Disposable> | undefined;
	const sandboxes = new Map<string, Promise<Sandbox>>();
	return {
		variables,
		cwd,
		localHost() {
			host ??= shared.use(variables.PATH ?? "");
			return host;
		},
		async sandboxOf({ name, settings: { backend = "" } }, signal) {
			if (openSandbox === undefined) throw new Error(`Cannot start it on ${backend}: nothing can be opened here`);
			const opening = sandboxes.get(name) ?? openSandbox({ backend, taskId: `mcp-${name}` }, signal);
			sandboxes.set(name, opening);
			try {
				return await opening;
			} catch (cause) {
				// The next try opens another one.
				if (sandboxes.get(name) === opening) sandboxes.delete(name);
				throw cause;
			}
		},
		async [Symbol.asyncDispose]() {
			await Promise.all([...sandboxes.values()].map(close));
			(await host)?.[Symbol.dispose]();
		},
	};
}

async function close(opening: Promise<Sandbox>): Promise<void> {
	const sandbox = await opening.catch(() => undefined);
	await sandbox?.[Symbol.asyncDispose]();
}
