/** Programs in an instance: what they see, what is kept, and what ends with them. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BackendUnavailable } from "../../../lib/environments/backend.ts";
import singularity from "../../../lib/environments/singularity/index.ts";
import { settings } from "../../../lib/environments/singularity/settings.ts";
import { serviceVariable } from "../../support/required-service.ts";
import { runProgram } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { hasSingularity, openSingularity, type SingularityPlace, said, saidBy } from "./singularity-service.ts";

const env = { PATH: "/usr/bin:/bin" };
const limitMs = 60_000;

/** Names of the instances that run now. */
async function instances(home: string): Promise<string> {
	const { PATH = "" } = process.env;
	return (await runProgram(["apptainer", "instance", "list"], { cwd: "/", env: { PATH, HOME: home } })).stdout;
}

describe.skipIf(!(await hasSingularity()))("singularity", () => {
	let place: SingularityPlace;
	beforeAll(async () => {
		place = await openSingularity();
	}, limitMs);
	afterAll(() => place[Symbol.asyncDispose](), limitMs);

	test("start() gives exactly the variables it is given, and none of the host's", async () => {
		const seen = await saidBy(place.sandbox, "/usr/bin/env | sort", { env: { ...env, A: "it's" }, cwd: "/usr" });
		const lines = seen.split("\n").map((line) => line.replace(/^(HERMES_\w+)=.+/, "$1"));
		expect(lines.filter((line) => line !== "")).toEqual([
			"A=it's",
			"HERMES_CALL",
			"HERMES_RUN",
			"PATH=/usr/bin:/bin",
			"PWD=/usr",
			"SHLVL=1",
			"_=/usr/bin/env",
		]);
	});

	test("start() keeps variables out of the process lists", async () => {
		const running = await place.sandbox.start(["sleep", "5"], {
			env: { ...env, TOKEN: "s3cr3t-word" },
			cwd: "/",
			stdin: "none",
			signal: new AbortController().signal,
		});
		const lists = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
		const seen = lists.filter((pid) => {
			try {
				return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("s3cr3t-word");
			} catch {
				return false;
			}
		});
		await running.kill();
		expect(seen).toEqual([]);
	});

	test("start() keeps output and control stream apart when asked to, with nothing of apptainer's own", async () => {
		const running = await place.sandbox.start(["sh", "-c", "echo out; echo err >&2; exit 4"], {
			env,
			cwd: "/",
			stdin: "none",
			control: true,
			signal: new AbortController().signal,
		});
		const [output, control, exitCode] = await Promise.all([
			new Response(running.output).text(),
			new Response(running.control).text(),
			running.exited,
		]);
		expect({ output, control, exitCode }).toEqual({ output: "out\n", control: "err\n", exitCode: 4 });
	});

	test("start() hands input over, and says 127 for what is not there and 137 after a SIGKILL", async () => {
		const bytes = Buffer.from("x".repeat(300_000));
		expect((await said(place.sandbox, ["wc", "-c"], { env, stdin: bytes })).output).toBe("300000\n");
		expect((await said(place.sandbox, ["no-such-program"], { env })).exitCode).toBe(127);
		expect(await said(place.sandbox, ["true"], { env, cwd: "/no/such" })).toEqual({
			output: 'Cannot start "true": its folder is gone\n',
			exitCode: 127,
		});
		expect((await said(place.sandbox, ["bash", "-c", "kill -9 $$"], { env })).exitCode).toBe(137);
	});

	test(
		"kill() ends everything inside, also what left the group and ignores being asked",
		async () => {
			const script = `trap '' TERM; setsid sleep 414 & (setsid sh -c "trap '' TERM; sleep 415; :" &); echo up; sleep 416; :`;
			const running = await place.sandbox.start(["bash", "-c", script], {
				env,
				cwd: "/",
				stdin: "none",
				signal: new AbortController().signal,
			});
			await running.output.getReader().read();
			const count = "pgrep -fc '^sleep 41[4-6]'";
			while ((await saidBy(place.sandbox, count, { env })) !== "3\n") await Bun.sleep(20);
			await running.kill();
			expect(await saidBy(place.sandbox, count, { env })).toBe("0\n");
		},
		limitMs,
	);

	test("start() gives room for temporary files on the disk, not in memory", async () => {
		expect(
			await saidBy(place.sandbox, "head -c 100000000 /dev/zero >/tmp/big && stat -c %s /tmp/big; rm /tmp/big", { env }),
		).toBe("100000000\n");
	});

	test(
		"an instance that ends during a command: it fails as unavailable; without kept files so does the next",
		async () => {
			await using lost = await openSingularity();
			const running = await lost.sandbox.start(["sleep", "417"], {
				env,
				cwd: "/",
				stdin: "none",
				signal: new AbortController().signal,
			});
			const ended = running.exited.catch((cause) => cause);
			const name = lost.sandbox.ranOn.replace("singularity:", "");
			const { PATH = "" } = process.env;
			await runProgram(["apptainer", "instance", "stop", name], { cwd: "/", env: { PATH, HOME: lost.home } });
			expect(await ended).toBeInstanceOf(BackendUnavailable);
			expect(said(lost.sandbox, ["true"])).rejects.toThrow("is gone, and its files with it");
		},
		limitMs,
	);

	test(
		"kept files: they outlive the instance, one process at a time uses them, and a lost instance is replaced",
		async () => {
			using home = temporaryFolder();
			const options = { settings: { container_persistent: true }, context: { home: home.path, taskId: "a task/1" } };
			{
				await using first = await openSingularity(options);
				await saidBy(first.sandbox, "echo kept >/root/file; echo gone >/tmp/file", { env });
				expect(openSingularity(options)).rejects.toThrow("another process uses them");
				const name = first.sandbox.ranOn.replace("singularity:", "");
				const { PATH = "" } = process.env;
				await runProgram(["apptainer", "instance", "stop", name], { cwd: "/", env: { PATH, HOME: home.path } });
				expect(await saidBy(first.sandbox, "cat /root/file", { env })).toBe("kept\n");
				expect(first.sandbox.ranOn).not.toContain(name);
			}
			await using second = await openSingularity(options);
			expect(await saidBy(second.sandbox, "cat /root/file; ls /tmp", { env })).toBe("kept\n");
			const overlay = join(home.path, "sandboxes/singularity/hermes-overlays/overlay-a_task_1");
			expect(JSON.parse(readFileSync(join(home.path, "singularity_snapshots.json"), "utf8"))).toEqual({
				"a task/1": overlay,
			});
			expect(existsSync(join(overlay, "upper"))).toBe(true);
		},
		limitMs,
	);

	test(
		"disposing leaves no instance, no process and no folder",
		async () => {
			using home = temporaryFolder();
			const gone = await openSingularity({ context: { home: home.path } });
			await gone.sandbox.start(["sleep", "418"], {
				env,
				cwd: "/",
				stdin: "none",
				signal: new AbortController().signal,
			});
			expect(await instances(home.path)).toContain("hermes_");
			await gone[Symbol.asyncDispose]();
			expect(await instances(home.path)).not.toContain("hermes_");
			const left = readdirSync(join(home.path, "sandboxes/singularity"));
			expect(left.filter((name) => name.startsWith("hermes-work-"))).toEqual([]);
		},
		limitMs,
	);

	test(
		"open() mounts volumes and the folder to work in, and leaves out what cannot be mounted",
		async () => {
			using home = temporaryFolder();
			mkdirSync(join(home.path, "here"));
			writeFileSync(join(home.path, "here/file"), "content\n");
			await using mounted = await openSingularity({
				settings: {
					cwd: join(home.path, "here"),
					singularity_mount_cwd_to_workspace: true,
					singularity_volumes: [`${home.path}/here:/there:ro`, "/no/such:/x", "nonsense"],
				},
			});
			const script =
				"cat /there/file /workspace/file; echo x 2>/dev/null >/there/new || echo read-only; echo y >/workspace/new";
			expect(await saidBy(mounted.sandbox, script, { env })).toBe("content\ncontent\nread-only\n");
			expect(readFileSync(join(home.path, "here/new"), "utf8")).toBe("y\n");
			expect(mounted.told.map((line) => line.replace(/^.*"(\S+)".*$/, "$1"))).toEqual(["/no/such", "nonsense"]);
		},
		limitMs,
	);

	test("open() builds a file of an image in a registry once, and says when it cannot", async () => {
		using home = temporaryFolder();
		const scratch_dir = join(home.path, "scratch");
		const hostEnvironment = { PATH: process.env.PATH ?? "", HOME: home.path, APPTAINER_NO_HTTPS: "1" };
		const context = { hostEnvironment, home: home.path };
		const image = `oras://${serviceVariable("HERMES_TEST_REGISTRY")}/hermes-test-sif:1`;
		const push = ["apptainer", "push", "--no-https", serviceVariable("HERMES_TEST_APPTAINER_IMAGE"), image];
		expect((await runProgram(push, { cwd: "/", env: hostEnvironment })).exitCode).toBe(0);
		const options = { settings: { singularity_image: image, scratch_dir }, context };
		{
			await using place = await openSingularity(options);
			expect(await saidBy(place.sandbox, "echo up", { env })).toBe("up\n");
			expect(place.told.filter((line) => line.startsWith("Building"))).toHaveLength(1);
		}
		const files = readdirSync(join(scratch_dir, ".apptainer")).filter((name) => /\.(sif|partial)$/.test(name));
		expect(files).toEqual([`${image.replace(/[^\w.-]+/g, "-")}.sif`]);
		const builtAt = statSync(join(scratch_dir, ".apptainer", files[0] ?? "")).mtimeMs;
		await using again = await openSingularity(options);
		expect(again.told.filter((line) => line.startsWith("Building"))).toEqual([]);
		expect(statSync(join(scratch_dir, ".apptainer", files[0] ?? "")).mtimeMs).toBe(builtAt);
	}, 120_000);

	test(
		"open() falls back to the address when the image cannot be built, and leaves no part of a file",
		async () => {
			using home = temporaryFolder();
			const told: string[] = [];
			const opening = openSingularity({
				settings: { singularity_image: "docker://127.0.0.1:1/nothing:here" },
				context: { home: home.path, onProgress: (line) => told.push(line) },
			});
			expect(opening).rejects.toThrow('Cannot start an instance of "docker://127.0.0.1:1/nothing:here"');
			await opening.catch(() => undefined);
			expect(told.some((line) => line.startsWith('Cannot keep "docker://127.0.0.1:1/nothing:here" as a file'))).toBe(
				true,
			);
			const images = readdirSync(join(home.path, "sandboxes/singularity/.apptainer"));
			expect(images.filter((name) => /sif$|partial$/.test(name))).toEqual([]);
		},
		limitMs,
	);

	test("open() says what is missing", async () => {
		const config = settings.parse({});
		expect(await singularity.available(config, { PATH: "/nonexistent" })).toContain(
			"neither apptainer nor singularity",
		);
		expect(await singularity.available(config, { PATH: process.env.PATH ?? "" })).toBe(true);
		const missing = openSingularity({ settings: { singularity_image: "/no/such.sif" } });
		expect(missing).rejects.toThrow('Cannot use the image "/no/such.sif": there is no such file');
		const without = openSingularity({ context: { hostEnvironment: { PATH: "/nonexistent" } } });
		expect(without).rejects.toThrow("neither apptainer nor singularity is on PATH");
	});
});
