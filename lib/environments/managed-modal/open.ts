/**
 * Modal sandboxes through the tool gateway. The modal backend asks `managedStatus` whether the gateway can be used, and calls
 * `openManaged` when it is to be; `modal/choose-mode.ts` decides.
 */

import { BackendUnavailable, type OpenContext, type Sandbox } from "../backend.ts";
import type { ModalSettings } from "../modal/settings.ts";

/** `true`, or one sentence with the reason why the gateway cannot be used. Cheap: it refreshes no token and asks nobody. */
export async function managedStatus(_variables: OpenContext["hostEnvironment"]): Promise<true | string> {
	return "there is no token for the tool gateway";
}

/** Opens the sandbox of a task. @throws {BackendUnavailable} */
export async function openManaged(_settings: ModalSettings, { hostEnvironment }: OpenContext): Promise<Sandbox> {
	throw new BackendUnavailable(`Cannot use modal through the tool gateway: ${await managedStatus(hostEnvironment)}`);
}
