/** The local backend: commands run on this machine, as the user who runs the program. */

import { z } from "zod";
import { type Backend, defineBackend, type Running } from "../backend.ts";
import { createSharedLocalHost } from "./local-host.ts";
import { startLocal } from "./start-local.ts";

/** One for the process, like the processes it watches over; it holds nothing until a sandbox opens. */
const shared = createSharedLocalHost();

const local: Backend<Record<string, never>> = defineBackend({
	name: "local",
	description: "This machine, with the rights of the user who runs hermes",
	config: z.strictObject({}),
	files: "host",
	pty: false,
	available: async () => true,

	async open(_config, { hostEnvironment, signal }) {
		signal.throwIfAborted();
		const host = await shared.use(hostEnvironment.PATH ?? "");
		const alive = new Set<Running>();
		return {
			ranOn: "local",
			async start(argv, options) {
				const running = startLocal(host, argv, options);
				alive.add(running);
				void running.exited.then(() => alive.delete(running));
				return running;
			},
			async [Symbol.asyncDispose]() {
				await Promise.all([...alive].map((running) => running.kill()));
				host[Symbol.dispose]();
			},
		};
	},
});

export default local;
