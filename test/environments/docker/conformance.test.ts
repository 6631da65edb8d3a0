/** The docker backend keeps every promise, on Docker's engine and on Podman's. */

import { afterAll, beforeAll, describe, test } from "bun:test";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { conformanceCases } from "../../../lib/environments/conformance/cases.ts";
import type { Capability, SessionOptions } from "../../../lib/environments/conformance/conformance-case.ts";
import { missingNeeds, runCase } from "../../../lib/environments/conformance/run-conformance.ts";
import { openDocker, openDockerShell } from "../../support/docker-sandbox.ts";
import { requireService, serviceVariable } from "../../support/required-service.ts";

const limitMs = 120_000;

/** Engine 20.10 handles the ends of a container's processes one after the other; Podman grows slower with each one. */
const containers = 4;

const engines = [
	{ name: "docker", variable: "DOCKER_HOST", image: () => serviceVariable("HERMES_TEST_DOCKER_IMAGE") },
	{ name: "podman", variable: "HERMES_TEST_PODMAN_HOST", image: () => "localhost/hermes-test:host" },
] as const;

for (const { name, variable, image } of engines) {
	const open = () => openDocker({ engine: serviceVariable(variable), settings: { docker_image: image() } });
	const isThere = await requireService(name, async () => (await open())[Symbol.asyncDispose]());

	describe.skipIf(!isThere)(name, () => {
		let sandboxes: Sandbox[] = [];
		beforeAll(async () => {
			sandboxes = await Promise.all(Array.from({ length: containers }, open));
		}, limitMs);
		afterAll(async () => {
			await Promise.all(sandboxes.map((sandbox) => sandbox[Symbol.asyncDispose]()));
		}, limitMs);

		for (const [index, item] of conformanceCases.entries()) {
			const target = {
				capabilities: new Set<Capability>(["escapees", "own-process"]),
				signal: new AbortController().signal,
				openShell: async (options: SessionOptions) => {
					const sandbox = sandboxes[index % containers];
					if (sandbox === undefined) throw new Error("Cannot test: the container was not opened");
					return openDockerShell(sandbox, options);
				},
			};
			const runner = item.alone ? test : test.concurrent;
			runner.skipIf(missingNeeds(item, target).length > 0)(item.name, () => runCase(item, target), limitMs);
		}
	});
}
