/** The singularity backend: commands run in an instance of Apptainer (or Singularity, its old name) on this machine. */

import { type Backend, defineBackend } from "../backend.ts";
import { createSharedLocalHost } from "../local/local-host.ts";
import { findProgram } from "./program.ts";
import { noProgram, openSandbox } from "./sandbox.ts";
import { type SingularitySettings, settings } from "./settings.ts";

/** One for the process, like the clients it watches over; it holds nothing until a sandbox opens. */
const shared = createSharedLocalHost();

const singularity: Backend<SingularitySettings> = defineBackend({
	name: "singularity",
	description: "An Apptainer or Singularity instance on this machine, with files of its own",
	config: settings,
	files: "bind",
	pty: false,
	available: async (_config, { PATH = "" }) => (findProgram(PATH) === undefined ? noProgram : true),
	throwaway: (config, life) => ({
		...config,
		life,
		container_persistent: false,
		singularity_mount_cwd_to_workspace: false,
		singularity_volumes: config.singularity_volumes.map((volume) => `${volume.replace(/:r[ow]$/, "")}:ro`),
	}),
	open: (config, context) => openSandbox(config, context, shared),
});

export default singularity;
