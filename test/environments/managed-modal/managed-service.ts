/** Managed sandboxes for tests: a gateway of our own, and what a user has to set for it. */

import { join } from "node:path";
import type { OpenContext, Sandbox } from "../../../lib/environments/backend.ts";
import { openManaged } from "../../../lib/environments/managed-modal/open.ts";
import type { ManagedSettings } from "../../../lib/environments/managed-modal/settings.ts";
import { type OpenShellOptions, openShell, type Shell } from "../../../lib/environments/shell/shell.ts";
import { type ManagedGateway, startManagedGateway } from "../../support/managed-gateway/gateway.ts";
import { requireService } from "../../support/required-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** What the settings are when nothing is set. */
export const usualSettings: ManagedSettings = {
	modal_image: "python:3.11",
	container_cpu: 1,
	container_memory: 5120,
	container_disk: 51200,
	container_persistent: true,
};

/** What a test may choose. */
export interface ManagedOptions extends Partial<OpenContext> {
	readonly settings?: Partial<ManagedSettings>;
}

/** A gateway and its folder. */
export interface TestGateway extends AsyncDisposable {
	readonly gateway: ManagedGateway;
	/** Variables that lead to it. */
	readonly variables: Readonly<Record<string, string>>;
	/** A HERMES_HOME, not made yet. */
	readonly home: string;
	open(options?: ManagedOptions): Promise<Sandbox>;
}

/** Starts a gateway. */
export async function startTestGateway(): Promise<TestGateway> {
	const folder = temporaryFolder();
	const gateway = await startManagedGateway(folder.path);
	const home = join(folder.path, "hermes");
	const variables = { MODAL_GATEWAY_URL: gateway.url, TOOL_GATEWAY_USER_TOKEN: gateway.token };
	return {
		gateway,
		variables,
		home,
		open({ settings, ...context } = {}) {
			const signal = new AbortController().signal;
			const usual = { signal, taskId: "test", home, hostEnvironment: variables };
			return openManaged({ ...usualSettings, ...settings }, { ...usual, ...context });
		},
		async [Symbol.asyncDispose]() {
			await gateway[Symbol.asyncDispose]();
			folder[Symbol.dispose]();
		},
	};
}

/** Whether sandboxes can be made here: they need namespaces. */
export function hasManagedModal(): Promise<boolean> {
	return requireService("managed-modal", async () => {
		await using started = await startTestGateway();
		await using _sandbox = await started.open();
	});
}

/** A session in `sandbox`. */
export function openManagedShell(sandbox: Sandbox, options: Partial<OpenShellOptions> = {}): Promise<Shell> {
	const signal = new AbortController().signal;
	return openShell({ sandbox, files: "sync", cwd: "/tmp", environment: {}, signal, ...options });
}
