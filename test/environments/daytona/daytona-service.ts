/** A server that speaks as Daytona does, and sandboxes on it. */

import type { OpenContext, Sandbox } from "../../../lib/environments/backend.ts";
import daytona from "../../../lib/environments/daytona/index.ts";
import { type DaytonaSettings, settings } from "../../../lib/environments/daytona/settings.ts";
import { type DaytonaServer, startDaytonaServer } from "../../support/daytona-server/server.ts";
import { requireService } from "../../support/required-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Whether sandboxes can be made here: they need namespaces. */
export function hasDaytona(): Promise<boolean> {
	return requireService("daytona", async () => {
		await using server = startDaytonaServer();
		await using _place = await openDaytona(server);
	});
}

/** How a test differs from the usual sandbox. */
export interface DaytonaOptions {
	readonly settings?: Partial<DaytonaSettings>;
	readonly context?: Partial<OpenContext>;
	readonly variables?: Readonly<Record<string, string>>;
}

/** A sandbox, and what its user was told. */
export interface DaytonaPlace extends AsyncDisposable {
	readonly sandbox: Sandbox;
	readonly told: readonly string[];
}

/** Opens the daytona backend. */
export async function openDaytona(server: DaytonaServer, options: DaytonaOptions = {}): Promise<DaytonaPlace> {
	using opening = new DisposableStack();
	const told: string[] = [];
	const sandbox = await daytona.open(settings.parse({ ...options.settings }), {
		signal: new AbortController().signal,
		taskId: "test",
		home: opening.use(temporaryFolder()).path,
		hostEnvironment: options.variables ?? server.variables,
		onProgress: (line) => told.push(line),
		...options.context,
	});
	const opened = opening.move();
	return {
		sandbox,
		told,
		async [Symbol.asyncDispose]() {
			await sandbox[Symbol.asyncDispose]();
			opened.dispose();
		},
	};
}
