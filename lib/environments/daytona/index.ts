/** The daytona backend: commands run in a sandbox of Daytona's, in the user's own account. */

import { type Backend, defineBackend } from "../backend.ts";
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

	throwaway: (config) => ({ ...config, container_persistent: false }),

	async open(config, context) {
		const { openSandbox } = await import("./sandbox.ts");
		return openSandbox(config, context);
	},
});

export default daytona;
