/** A tool call that does nothing, from a script in docker without a relay, by files that are looked for. */

import { openShell } from "../lib/environments/shell/shell.ts";
import { defineBench } from "./bench.ts";
import { openSessions } from "./relayed.ts";
import { openCallPair } from "./script-bench.ts";

export default defineBench({
	operation: "no-op tool call of a script in docker, by polled files",
	floor: "60 bytes to a Python and back over a Unix socket on this machine",
	samples: 30,

	async open() {
		await using opened = new AsyncDisposableStack();
		const sessions = opened.use(await openSessions("docker"));
		const { signal } = new AbortController();
		const options = { files: "bind", cwd: "/tmp", environment: {}, signal } as const;
		const shell = opened.use(await openShell({ sandbox: sessions.plain, ...options }));
		const kept = opened.move();
		return openCallPair(shell, { [Symbol.asyncDispose]: () => kept.disposeAsync() });
	},
});
