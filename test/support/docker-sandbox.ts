/** The docker backend, opened for one test on the engine of the test services. */

import { join } from "node:path";
import type { OpenContext, Sandbox } from "../../lib/environments/backend.ts";
import docker from "../../lib/environments/docker/index.ts";
import { type DockerSettings, settings } from "../../lib/environments/docker/settings.ts";
import { type OpenShellOptions, openShell, type Shell } from "../../lib/environments/shell/shell.ts";
import { serviceVariable } from "./required-service.ts";

/** What a test may choose. */
export interface DockerOptions extends Partial<Omit<OpenContext, "hostEnvironment">> {
	readonly settings?: Partial<DockerSettings>;
	/** `DOCKER_HOST`; the engine of the test services when left out. */
	readonly engine?: string;
	/** Further variables of the host. */
	readonly variables?: Readonly<Record<string, string>>;
}

/** The host's environment as the backend sees it: nothing of the user who runs the tests. */
export function hostVariables(engine = serviceVariable("DOCKER_HOST")): Record<string, string> {
	return { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: "/nonexistent", DOCKER_HOST: engine };
}

/** A container that is removed with its sandbox, unless the settings say otherwise; then a `home` has to be named. */
export function openDocker(options: DockerOptions = {}): Promise<Sandbox> {
	const { settings: chosen, engine, variables, ...context } = options;
	const config = settings.parse({
		docker_image: serviceVariable("HERMES_TEST_DOCKER_IMAGE"),
		docker_persist_across_processes: false,
		container_persistent: false,
		...chosen,
	});
	const { life } = chosen ?? {};
	return docker.open(
		{ ...config, ...(life !== undefined && { life }) },
		{
			signal: new AbortController().signal,
			taskId: "test",
			home: join("/nonexistent", "hermes"),
			hostEnvironment: { ...hostVariables(engine), ...variables },
			...context,
		},
	);
}

/** A session in `sandbox`. */
export function openDockerShell(sandbox: Sandbox, options: Partial<OpenShellOptions> = {}): Promise<Shell> {
	const signal = new AbortController().signal;
	return openShell({ sandbox, files: "bind", cwd: "/tmp", environment: {}, signal, ...options });
}
