/** The compiled binary speaks to the engine as the sources do: hijacked connections, and an engine over ssh. */

import { beforeAll, describe, expect, test } from "bun:test";
import { builtBinary } from "../support/built-binary.ts";
import { openDocker } from "../support/docker-sandbox.ts";
import { requireService, serviceVariable } from "../support/required-service.ts";
import { runProgram } from "../support/run-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const isThere = await requireService("docker", async () => (await openDocker())[Symbol.asyncDispose]());

describe.skipIf(!isThere)("hermes exec", () => {
	let hermes: string;
	beforeAll(async () => {
		hermes = await builtBinary();
	}, 120_000);

	test("runs a command in a container that is gone afterwards", async () => {
		using home = temporaryFolder();
		const env = {
			HOME: home.path,
			PATH: "/usr/local/bin:/usr/bin:/bin",
			DOCKER_HOST: serviceVariable("DOCKER_HOST"),
			TERMINAL_DOCKER_IMAGE: serviceVariable("HERMES_TEST_DOCKER_IMAGE"),
			TERMINAL_CONTAINER_PERSISTENT: "false",
			TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES: "false",
		};
		const command = "echo out; echo err >&2; seq 100000 | wc -l; [ -e /.dockerenv ] && exit 3";
		const ran = await runProgram([hermes, "exec", "--backend", "docker", command], { cwd: home.path, env });
		expect(ran).toEqual({ stdout: "out\nerr\n100000\n", stderr: "", exitCode: 3 });
	}, 60_000);

	test("names the socket of an engine that is not there", async () => {
		using home = temporaryFolder();
		const env = { HOME: home.path, PATH: "/usr/bin:/bin", DOCKER_HOST: "unix:///nope/docker.sock" };
		const { stderr, exitCode } = await runProgram([hermes, "exec", "--backend", "docker", "true"], {
			cwd: home.path,
			env,
		});
		expect(stderr).toContain("/nope/docker.sock failed: ENOENT, there is no such socket");
		expect(exitCode).not.toBe(0);
	});
});
