/** The modal backend, opened for one test on a server of our own. */

import type { OpenContext, Sandbox } from "../../../lib/environments/backend.ts";
import modal from "../../../lib/environments/modal/index.ts";
import { type ModalSettings, settings } from "../../../lib/environments/modal/settings.ts";
import { type ModalServer, startModalServer } from "../../support/modal-server/start-server.ts";
import { requireService } from "../../support/required-service.ts";

/** What a test may choose. */
export interface ModalOptions extends Partial<Omit<OpenContext, "hostEnvironment">> {
	readonly settings?: Partial<ModalSettings>;
	/** Further variables of the host. */
	readonly variables?: Readonly<Record<string, string>>;
}

/** Whether the server's sandboxes can be had here: they need root and a file system in layers. */
export function hasModalServer(): Promise<boolean> {
	return requireService("modal", async () => {
		await using server = await startModalServer();
		await using _sandbox = await openModal(server);
	});
}

/** A sandbox whose files are not kept, unless the settings say otherwise. */
export function openModal(server: ModalServer, options: ModalOptions = {}): Promise<Sandbox> {
	const { settings: chosen, variables, ...context } = options;
	return modal.open(settings.parse({ modal_mode: "direct", container_persistent: false, ...chosen }), {
		signal: new AbortController().signal,
		taskId: "test",
		home: "/nonexistent/hermes",
		hostEnvironment: { ...server.variables, HOME: "/nonexistent", ...variables },
		...context,
	});
}
