/** What dispatch adds to a command: parsing, validation, the hard line, approval and the answer. */

import { loadPlugins } from "../lib/base/plugins.ts";
import { backends } from "../lib/environments/all.ts";
import { execute } from "../lib/environments/shell/execute.ts";
import { openShell } from "../lib/environments/shell/shell.ts";
import { dispatch } from "../lib/registry/dispatch.ts";
import { createRegistry } from "../lib/registry/registry.ts";
import type { ToolContext } from "../lib/registry/tool.ts";
import { createApprover } from "../lib/security/approval.ts";
import { childEnvironment } from "../lib/security/child-environment.ts";
import { createRedactor } from "../lib/security/redact.ts";
import { tools } from "../lib/tools/all.ts";
import { defineBench } from "./bench.ts";

export default defineBench({
	operation: 'dispatch of terminal {"command":"true"} on local',
	floor: 'execute("true") in the same shell',
	samples: 300,
	target: 1.1,

	async open() {
		await using opening = new AsyncDisposableStack();
		const { signal } = new AbortController();
		const { local } = backends;
		if (local === undefined) throw new Error('Cannot open backend "local": it is not in the list');
		const backend = (await local()).default;
		const environment = childEnvironment(variablesOf(process.env));
		const cwd = process.cwd();
		const options = { signal, taskId: "bench", home: cwd, hostEnvironment: environment };
		const sandbox = opening.use(await backend.open(backend.config.parse({}), options));
		const shell = opening.use(await openShell({ sandbox, files: backend.files, cwd, environment, signal }));
		const registry = createRegistry((await loadPlugins(tools)).loaded);
		const approve = createApprover({ mode: "yolo" });
		const context: ToolContext = {
			sessionId: "bench",
			taskId: "bench",
			signal,
			execute: (command, more) => execute(shell, command, { signal, ...more }),
			cwd: shell.cwd,
			ranOn: shell.ranOn,
			redact: createRedactor(),
		};
		const call = { name: "terminal", arguments: '{"command":"true"}' };
		const opened = opening.move();
		return {
			operation: () => dispatch({ registry, call, context, approve }),
			floor: () => execute(shell, "true", { signal, timeoutSeconds: 180 }),
			[Symbol.asyncDispose]: () => opened.disposeAsync(),
		};
	},
});

function variablesOf(environment: NodeJS.ProcessEnv): Record<string, string> {
	return Object.fromEntries(
		Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
	);
}
