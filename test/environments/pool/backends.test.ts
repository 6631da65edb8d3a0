/** The pool on real backends: idle closing never moves a session, and one task has one container. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { requireService, serviceVariable } from "../../support/required-service.ts";
import { runHermes, startHermes } from "../../support/run-hermes.ts";
import { runProgram } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

setDefaultTimeout(120_000);

/** What the settings of the backend are on a machine with the test services. */
const variables: Readonly<Record<string, () => Record<string, string>>> = {
	ssh: () => ({
		TERMINAL_SSH_HOST: serviceVariable("HERMES_TEST_SSH_HOST"),
		TERMINAL_SSH_PORT: serviceVariable("HERMES_TEST_SSH_PORT"),
		TERMINAL_SSH_USER: serviceVariable("HERMES_TEST_SSH_USER"),
		TERMINAL_SSH_KEY: serviceVariable("HERMES_TEST_SSH_KEY"),
	}),
	docker: () => ({
		DOCKER_HOST: serviceVariable("DOCKER_HOST"),
		TERMINAL_DOCKER_IMAGE: serviceVariable("HERMES_TEST_DOCKER_IMAGE"),
		TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES: "false",
		TERMINAL_CONTAINER_PERSISTENT: "false",
	}),
};

/** Where hermes runs `exec true`, or the reason why it cannot. */
async function tryOut(backend: string): Promise<void> {
	using home = temporaryFolder();
	const env = variables[backend]?.() ?? {};
	const ran = await runHermes(["exec", "--backend", backend, "true"], { home: home.path, env });
	if (ran.exitCode !== 0) throw new Error(ran.stderr.trim());
}

for (const backend of ["ssh", "docker"]) {
	const isThere = await requireService(backend, () => tryOut(backend));
	describe.skipIf(!isThere)(backend, () => {
		test.concurrent("commands run where they ran before, or nowhere, after the idle sandbox was closed", async () => {
			using home = temporaryFolder();
			const env = { ...variables[backend]?.(), TERMINAL_LIFETIME_SECONDS: "1" };
			const call = (id: number, command: string) =>
				`${JSON.stringify({ id, name: "terminal", arguments: { command } })}\n`;
			const pipe = startHermes(["tools", "pipe", "--yolo", "--backend", backend], {
				home: home.path,
				env,
				stdin: "open",
			});
			pipe.write(call(1, "export KEPT=yes; cd /usr; uname -n"));
			await pipe.shows('"id":1');
			await Bun.sleep(2_500);
			pipe.write(call(2, 'echo "$KEPT"; pwd'));
			await pipe.shows('"id":2');
			pipe.write();
			const { stdout, exitCode } = await pipe.ended;
			const [first, second] = stdout
				.trim()
				.split("\n")
				.map((line) => JSON.parse(JSON.parse(line).result));
			expect({ exitCode, output: second.output }).toEqual({ exitCode: 0, output: "yes\n/usr" });
			for (const { ran_on } of [first, second]) expect(ran_on).toStartWith(`${backend}:`);
			// A container whose files are not kept is another one, and whoever works there is told.
			if (backend === "ssh") expect(second.ran_on).toBe(first.ran_on);
			else expect(second.notice).toBe(`The sandbox ${first.ran_on} is gone; this ran in a new one, ${second.ran_on}`);
		});
	});

	test.concurrent.skipIf(!isThere)(`${backend}: the user is not blamed for a command that lost its relay`, async () => {
		using home = temporaryFolder();
		const call = ["terminal", JSON.stringify({ command: "kill -9 $PPID; sleep 20" })];
		const args = ["tools", "call", "--yolo", "--backend", backend, ...call];
		const { stdout } = await runHermes(args, { home: home.path, env: variables[backend]?.() ?? {} });
		expect(JSON.parse(stdout)).toEqual({
			output: expect.stringContaining("[Command interrupted: relay lost"),
			exit_code: 130,
			error: expect.stringContaining("not by the user"),
			status: "interrupted",
			ran_on: expect.stringMatching(/^(?:ssh|docker):/),
		});
	});

	test.concurrent.skipIf(!isThere)(
		`${backend}: a folder that the user names and that is not there is an error`,
		async () => {
			using home = temporaryFolder();
			const env = variables[backend]?.() ?? {};
			const exec = (cwd: string) =>
				runHermes(["exec", "--backend", backend, "--cwd", cwd, "pwd"], { home: home.path, env });
			const { stdout, stderr, exitCode } = await exec("/nope");
			expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
			expect(stderr).toMatch(/Cannot start in "\/nope" on (?:ssh|docker):\S+: there is no such folder/);
			expect(await exec("/usr/../etc")).toMatchObject({ stdout: "/etc\n", exitCode: 0 });
		},
	);

	if (backend !== "docker") continue;
	test.concurrent.skipIf(!isThere)("a container is given the same whichever tool comes first (#100444)", async () => {
		const firsts = [
			{ name: "read_file", arguments: { path: "/etc/passwd" } },
			{ name: "search_files", arguments: { pattern: "root", path: "/etc/passwd" } },
			{ name: "terminal", arguments: { command: "true" } },
		];
		const look = {
			name: "terminal",
			arguments: { command: "env | grep -v ^HERMES_ | sort; cut -d' ' -f5,6 /proc/1/mountinfo | sort" },
		};
		const env = {
			...variables.docker?.(),
			TERMINAL_DOCKER_ENV: '{"SET":"1"}',
			TERMINAL_DOCKER_FORWARD_ENV: '["GIVEN"]',
		};
		const given = await Promise.all(
			firsts.map(async (first) => {
				using home = temporaryFolder();
				const calls = [first, look].map((call, id) => `${JSON.stringify({ id, ...call })}\n`).join("");
				const args = ["tools", "pipe", "--yolo", "--backend", "docker"];
				const { stdout } = await runHermes(args, { home: home.path, env: { ...env, GIVEN: "2" }, stdin: calls });
				const answer = JSON.parse(JSON.parse(stdout.trim().split("\n")[1] ?? "").result);
				return answer.output.replaceAll(answer.ran_on.replace("docker:", ""), "ID");
			}),
		);
		expect(given[0].split("\n")).toEqual(expect.arrayContaining(["GIVEN=2", "SET=1"]));
		expect(given).toEqual([given[0], given[0], given[0]]);
	});

	test.concurrent.skipIf(!isThere)("a session has exactly one container, and none is left", async () => {
		using home = temporaryFolder();
		const env = variables.docker?.() ?? {};
		const docker = async (...words: string[]) => {
			const options = { cwd: home.path, env: { PATH: process.env.PATH ?? "", ...env } };
			return (await runProgram(["docker", ...words], options)).stdout.trim();
		};
		const pipe = startHermes(["tools", "pipe", "--yolo", "--backend", "docker"], {
			home: home.path,
			env,
			stdin: "open",
		});
		const calls = [
			{ id: 1, name: "terminal", arguments: { command: "echo x >/tmp/x; hostname" } },
			{ id: 2, name: "search_files", arguments: { pattern: "x", path: "/tmp/x" } },
			{ id: 3, name: "read_file", arguments: { path: "/tmp/x" } },
		];
		for (const call of calls) {
			pipe.write(`${JSON.stringify(call)}\n`);
			await pipe.shows(`"id":${call.id}`);
		}
		// Everything of this home, whatever task it is for; other tests have homes of their own.
		const all = (await docker("ps", "-a", "--no-trunc", "--format", '{{.ID}} {{.Label "hermes-home"}}')).split("\n");
		pipe.write();
		const { stdout } = await pipe.ended;
		const lines = stdout.trim().split("\n");
		const places = new Set(lines.map((line) => JSON.parse(JSON.parse(line).result).ran_on.replace("docker:", "")));
		const [place = "none"] = places;
		const [, owner] = all.find((line) => line.startsWith(String(place)))?.split(" ") ?? [];
		expect({ places: places.size, ofThisHome: all.filter((line) => line.endsWith(` ${owner}`)).length }).toEqual({
			places: 1,
			ofThisHome: 1,
		});
		expect(await docker("ps", "-aq", "--filter", `label=hermes-home=${owner}`)).toBe("");
	});
}
