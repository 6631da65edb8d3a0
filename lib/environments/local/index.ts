/** The local backend: commands run on this machine, as the user who runs the program. */

import { z } from "zod";
import { type Backend, defineBackend, type Running } from "../backend.ts";
import { createSharedLocalHost } from "./local-host.ts";
import { type FenceKind, fenceMissing } from "./sandbox/fence.ts";
import { type Start, startFenced } from "./sandbox/fenced.ts";
import { startLocal } from "./start-local.ts";

/** One for the process, like the processes it watches over; it holds nothing until a sandbox opens. */
const shared = createSharedLocalHost();

/** What a user may set. */
interface Settings {
	readonly local_sandbox?: "off" | FenceKind | undefined;
}

const local: Backend<Settings> = defineBackend({
	name: "local",
	description: "This machine, with the rights of the user who runs hermes",
	config: z.object({
		local_sandbox: z
			.enum(["off", "write", "full"])
			.default("off")
			.describe(
				"A fence around commands on this machine: write lets them change only the start folder and temporary folders, full cuts the network off too",
			),
	}),
	files: "host",
	pty: false,
	available: async ({ local_sandbox: fence = "off" }, hostEnvironment) =>
		(fence === "off" ? undefined : fenceMissing(hostEnvironment)) ?? true,

	async open({ local_sandbox: fence = "off" }, { hostEnvironment, signal, home, cwd: folder }) {
		signal.throwIfAborted();
		await using opening = new AsyncDisposableStack();
		const host = opening.use(await shared.use(hostEnvironment.PATH ?? ""));
		const place = { folder, home, hostEnvironment };
		const start: Start =
			fence === "off"
				? (argv, options) => startLocal(host, argv, options)
				: await startFenced(host, { ...place, kind: fence }, signal);
		opening.move();
		const alive = new Set<Running>();
		return {
			ranOn: "local",
			async start(argv, options) {
				const running = start(argv, options);
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
