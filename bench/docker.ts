/** A command that does nothing, in a session in a container, against the docker client. */

import docker from "../lib/environments/docker/index.ts";
import { settings } from "../lib/environments/docker/settings.ts";
import { execute } from "../lib/environments/shell/execute.ts";
import { openShell } from "../lib/environments/shell/shell.ts";
import { defineBench } from "./bench.ts";

/** What `scripts/test-services.sh start` prints. */
function service(name: string): string {
	const value = process.env[name];
	if (value) return value;
	throw new Error(`Cannot measure docker: ${name} is not set; scripts/test-services.sh start prints it`);
}

export default defineBench({
	operation: 'execute("true") in a container',
	floor: "docker exec CONTAINER true",
	samples: 60,
	target: 0.85,

	async open() {
		const { signal } = new AbortController();
		await using opened = new AsyncDisposableStack();
		const hostEnvironment = {
			PATH: process.env.PATH ?? "/usr/bin:/bin",
			HOME: "/nonexistent",
			DOCKER_HOST: service("DOCKER_HOST"),
		};
		const config = settings.parse({
			docker_image: service("HERMES_TEST_DOCKER_IMAGE"),
			docker_persist_across_processes: false,
			container_persistent: false,
			container_cpu: 0,
		});
		const context = { signal, taskId: "bench", home: "/nonexistent/hermes", hostEnvironment };
		const sandbox = opened.use(await docker.open(config, context));
		const shell = opened.use(await openShell({ sandbox, files: "bind", cwd: "/tmp", environment: {}, signal }));
		const client = ["docker", "exec", sandbox.ranOn.replace(/^docker:/, ""), "true"];
		const kept = opened.move();
		return {
			operation: () => execute(shell, "true", { signal }),
			floor: () => Bun.spawn(client, { stdio: ["ignore", "ignore", "ignore"], env: hostEnvironment }).exited,
			[Symbol.asyncDispose]: () => kept.disposeAsync(),
		};
	},
});
