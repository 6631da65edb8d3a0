/** The modal backend: commands run in a sandbox of Modal, in the user's own account or through the tool gateway. */

import { type Backend, BackendUnavailable, defineBackend, type OpenContext, SandboxGone } from "../backend.ts";
import { chooseMode } from "./choose-mode.ts";
import { findAccount } from "./credentials.ts";
import { closeLimitSeconds } from "./limits.ts";
import { type ModalSettings, settings } from "./settings.ts";

const modal: Backend<ModalSettings> = defineBackend({
	name: "modal",
	description: "A sandbox of Modal, in your own account or through the tool gateway",
	config: settings,
	files: "sync",
	pty: true,
	closeLimitSeconds,
	loginLimitSeconds: 60,

	async available(config, hostEnvironment) {
		const mode = await modeFor(config, hostEnvironment);
		return mode.use === "none" ? mode.reason : true;
	},

	throwaway(config, life) {
		if (life === "own") return { ...config, container_persistent: false };
		throw new SandboxGone("Cannot find the sandbox of a killed process again: the service ends it when its time is up");
	},

	async open(config, context) {
		const mode = await modeFor(config, context.hostEnvironment);
		if (mode.use === "none") throw new BackendUnavailable(`Cannot use modal: ${mode.reason}`);
		if (mode.use === "managed") {
			const { openManaged } = await import("../managed-modal/open.ts");
			return openManaged(config, context);
		}
		const { openDirect } = await import("./sandbox.ts");
		return openDirect(config, context);
	},
});

function modeFor(config: ModalSettings, variables: OpenContext["hostEnvironment"]) {
	return chooseMode({
		mode: config.modal_mode,
		direct() {
			const account = findAccount(variables);
			return typeof account === "string" ? account : true;
		},
		async managed() {
			const { managedReadiness } = await import("../managed-modal/open.ts");
			return managedReadiness(config, variables);
		},
	});
}

export default modal;
