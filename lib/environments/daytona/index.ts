/** The daytona backend: commands run in a sandbox of Daytona's, in the user's own account. */

import { type Backend, defineBackend, SandboxGone } from "../backend.ts";
import { findAccount } from "./account.ts";
import { type DaytonaSettings, settings } from "./settings.ts";

const daytona: Backend<DaytonaSettings> = defineBackend({
	name: "daytona",
	description: "A sandbox of Daytona, in your own account",
	config: settings,
	files: "sync",
	pty: false,

	async available(_config, hostEnvironment) {
		const account = findAccount(hostEnvironment);
		return typeof account === "string" ? account : true;
	},

	throwaway(config, life) {
		if (life === "own") return { ...config, container_persistent: false };
		throw new SandboxGone("Cannot find the sandbox of a killed process again: the service ends it when its time is up");
	},

	async open(config, context) {
		const { openSandbox } = await import("./sandbox.ts");
		return openSandbox(config, context);
	},
});

export default daytona;
