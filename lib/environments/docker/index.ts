/** The docker backend: commands run in a container of Docker's or Podman's engine. */

import { BackendUnavailable, defineBackend } from "../backend.ts";
import { throwawaySettings } from "./container/throwaway.ts";
import { findEndpoints } from "./engine/endpoint.ts";
import { explainAbsence } from "./engine/explain.ts";
import { openSandbox } from "./sandbox.ts";
import { settings } from "./settings.ts";

export default defineBackend({
	name: "docker",
	description: "A container of a Docker or Podman engine, on this or another machine",
	config: settings,
	files: "bind",
	pty: true,
	open: openSandbox,
	throwaway: throwawaySettings,

	async available(_settings, hostEnvironment) {
		try {
			return explainAbsence(findEndpoints(hostEnvironment)) ?? true;
		} catch (cause) {
			if (cause instanceof BackendUnavailable) return cause.message;
			throw cause;
		}
	},
});
