/** Containers that are shared, kept, replaced and thrown away, on a real engine. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import type Docker from "dockerode";
import { BackendUnavailable, type Sandbox } from "../../../lib/environments/backend.ts";
import { labelFilter, profileLabels, throwawayLabels } from "../../../lib/environments/docker/container/labels.ts";
import { reapOrphans } from "../../../lib/environments/docker/container/reaper.ts";
import { connectEngine, type Engine } from "../../../lib/environments/docker/engine/connect.ts";
import type { DockerSettings } from "../../../lib/environments/docker/settings.ts";
import { execute } from "../../../lib/environments/shell/execute.ts";
import { type DockerOptions, hostVariables, openDocker, openDockerShell } from "../../support/docker-sandbox.ts";
import { requireService, serviceVariable } from "../../support/required-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const signal = new AbortController().signal;
const limitMs = 60_000;
const isThere = await requireService("docker", async () => (await openDocker())[Symbol.asyncDispose]());

/** What a user would be told while a sandbox opens or goes on, and everything of ours that is left at the end. */
function place(settings: Partial<DockerSettings> = {}) {
	const home = temporaryFolder();
	const told: string[] = [];
	const open = (further: Partial<DockerSettings> = {}, options: DockerOptions = {}) =>
		openDocker({
			home: home.path,
			onProgress: (line) => void told.push(line),
			settings: { ...settings, ...further },
			...options,
		});
	return {
		home: home.path,
		told,
		open,
		openKept: (further: Partial<DockerSettings> = {}) => open({ docker_persist_across_processes: true, ...further }),
		containers: () => ours(home.path),
		async [Symbol.asyncDispose]() {
			await Promise.all(
				(await ours(home.path)).map(({ Id }) => docker().getContainer(Id).remove({ force: true, v: true })),
			);
			home[Symbol.dispose]();
		},
	};
}

let engine: Engine | undefined;
function docker(): Docker {
	if (engine === undefined) throw new Error("Cannot test: there is no engine");
	return engine.docker;
}

function ours(home: string): Promise<Docker.ContainerInfo[]> {
	return docker().listContainers({ all: true, filters: labelFilter(profileLabels(home)) });
}

function containerOf(sandbox: Sandbox): Docker.Container {
	return docker().getContainer(sandbox.ranOn.replace(/^docker:/, ""));
}

async function say(sandbox: Sandbox, command: string) {
	await using shell = await openDockerShell(sandbox);
	return (await execute(shell, command, { signal, timeoutSeconds: 50 })).output;
}

/** A slow way to the engine: tells of a request for `path` before it is passed on, which it is whatever becomes of the client. */
async function slowWay(engine: string, path: string, onRequest: () => void) {
	const folder = temporaryFolder();
	const socket = join(folder.path, "engine.sock");
	const answered = Promise.withResolvers<void>();
	const server = createServer((client) => {
		const upstream = connect(engine.replace("unix://", ""));
		let passing = Promise.resolve();
		client.on("data", (bytes) => {
			const isAwaited = bytes.includes(path);
			if (isAwaited) {
				onRequest();
				for (const event of ["data", "close"]) upstream.once(event, answered.resolve);
			}
			passing = passing.then(() => Bun.sleep(isAwaited ? 100 : 0)).then(() => void upstream.write(bytes));
		});
		client.on("error", () => undefined);
		client.on("close", () => void passing.then(() => upstream.resume().end()));
		upstream.on("error", () => client.destroy());
		upstream.pipe(client);
	});
	await new Promise<void>((resolve) => void server.listen(socket, resolve));
	return {
		engine: `unix://${socket}`,
		/** The engine has done what was asked for. */
		answered: answered.promise,
		async [Symbol.asyncDispose]() {
			server.close();
			folder[Symbol.dispose]();
		},
	};
}

function thrownBy(promise: Promise<unknown>): Promise<unknown> {
	return promise.then(
		() => undefined,
		(cause: unknown) => cause,
	);
}

describe.skipIf(!isThere)("a container", () => {
	beforeAll(async () => {
		engine = await connectEngine(hostVariables(), signal);
	});
	afterAll(() => engine?.[Symbol.asyncDispose]());

	const concurrently = (name: string, run: () => Promise<void>) => test.concurrent(name, run, limitMs);

	concurrently("is one for two processes that open it at the same moment, and outlives both", async () => {
		await using here = place();
		const [first, second] = await Promise.all([here.openKept(), here.openKept()]);
		expect(second.ranOn).toBe(first.ranOn);
		expect(await say(first, "echo one >/etc/f; (sleep 60 >/dev/null 2>&1 &); cat /etc/f")).toBe("one\n");
		expect(await say(second, "cat /etc/f")).toBe("one\n");
		await first[Symbol.asyncDispose]();
		expect(await say(second, "cat /etc/f; pgrep -fc '^sleep 60'")).toBe("one\n1\n");
		await second[Symbol.asyncDispose]();
		expect((await here.containers()).map(({ State }) => State)).toEqual(["running"]);
	});

	concurrently("is started again after it was stopped, with its files, and that is told", async () => {
		await using here = place();
		await using sandbox = await here.openKept();
		await say(sandbox, "echo kept >/etc/f");
		await containerOf(sandbox).stop({ t: 0 });
		await using again = await here.openKept();
		expect({ ranOn: again.ranOn, file: await say(again, "cat /etc/f") }).toEqual({
			ranOn: sandbox.ranOn,
			file: "kept\n",
		});
		expect(here.told).toEqual([expect.stringMatching(/^Started the container hermes-\w{8} again, which was exited$/)]);
	});

	concurrently("that cannot be started again is an error, never a new one in its place", async () => {
		await using here = place();
		const source = join(here.home, "source");
		mkdirSync(source);
		const settings = { docker_extra_args: [`--mount=type=bind,src=${source},dst=/mnt`] };
		await using sandbox = await here.openKept(settings);
		await containerOf(sandbox).stop({ t: 0 });
		rmSync(source, { recursive: true });
		const cause = await thrownBy(here.openKept(settings));
		expect(cause).toBeInstanceOf(BackendUnavailable);
		expect(String(cause)).toMatch(/Cannot start the container (hermes-\w{8}) again: .*; `docker rm -f \1` gives it up/);
		expect((await here.containers()).map(({ Id }) => `docker:${Id.slice(0, 12)}`)).toEqual([sandbox.ranOn]);
	});

	concurrently("gives way to one with other settings, and that is told", async () => {
		await using here = place();
		await using old = await here.openKept();
		await using other = await here.openKept({ docker_env: { A: "1" } });
		expect(await say(other, "echo $A")).toBe("1\n");
		expect((await here.containers()).map(({ Id }) => `docker:${Id.slice(0, 12)}`)).toEqual([other.ranOn]);
		expect(here.told).toEqual([expect.stringMatching(/made with other settings; a new one takes its place$/)]);
		expect(old.ranOn).not.toBe(other.ranOn);
	});

	concurrently("in use stays when another one with other settings is made", async () => {
		await using here = place();
		await using old = await here.openKept();
		const running = await old.start(["sleep", "30"], { env: {}, cwd: "/", stdin: "none", signal });
		await using _other = await here.openKept({ docker_env: { A: "1" } });
		expect((await here.containers()).length).toBe(2);
		expect(here.told).toEqual([expect.stringMatching(/is in use; a new one is made beside it$/)]);
		await running.kill();
	});

	concurrently("removed between two commands is replaced, and the session goes on with its state", async () => {
		await using here = place();
		await using sandbox = await here.openKept();
		await using shell = await openDockerShell(sandbox);
		await execute(shell, "export A=1; f() { echo F; }; cd /usr", { signal });
		const before = shell.ranOn;
		await containerOf(sandbox).remove({ force: true });
		const { output, ranOn } = await execute(shell, "echo $A; f; pwd", { signal });
		expect(output).toBe("1\nF\n/usr\n");
		expect(ranOn).not.toBe(before);
		expect(here.told).toEqual([expect.stringMatching(/^the container hermes-\w{8} .*is gone; commands now run in/)]);
	});

	concurrently("to be thrown away that was removed between two commands fails, and is not replaced", async () => {
		await using here = place();
		await using sandbox = await here.open();
		await using shell = await openDockerShell(sandbox);
		await containerOf(sandbox).remove({ force: true });
		const cause = await thrownBy(execute(shell, "echo $A", { signal }));
		expect(cause).toBeInstanceOf(BackendUnavailable);
		expect(await here.containers()).toEqual([]);
	});

	for (const how of ["remove", "stop"] as const) {
		concurrently(`that is gone during a command (${how}) fails it, and does not run it again`, async () => {
			await using here = place();
			await using sandbox = await here.openKept({ docker_volumes: [`${here.home}:/host`] });
			await using shell = await openDockerShell(sandbox);
			const output = Promise.withResolvers<void>();
			const running = execute(shell, "echo ran >>/host/ran; echo up; sleep 40", {
				signal,
				onOutput: () => output.resolve(),
			});
			const thrown = thrownBy(running);
			await output.promise;
			if (how === "stop") await containerOf(sandbox).stop({ t: 0 });
			else await containerOf(sandbox).remove({ force: true });
			const cause = await thrown;
			expect(cause).toBeInstanceOf(BackendUnavailable);
			expect(String(cause)).toContain("Cannot finish the command: the container hermes-");
			expect((await execute(shell, "cat /host/ran", { signal })).output).toBe("ran\n");
		});
	}

	concurrently("is not suspected when a command only says that it is gone", async () => {
		await using here = place();
		await using sandbox = await here.openKept();
		expect(
			await say(sandbox, "echo 'Error: No such container: x is not running'; echo x >>/etc/n; cat /etc/n; exit 1"),
		).toBe("Error: No such container: x is not running\nx\n");
	});

	concurrently("of an image that cannot be pulled, or that cannot be started, does not stay behind", async () => {
		await using here = place();
		const missing = await thrownBy(here.open({ docker_image: "127.0.0.1:1/nope:1" }));
		expect(String(missing)).toContain('BackendUnavailable: Cannot pull "127.0.0.1:1/nope:1": ');
		const refused = await thrownBy(here.open({ docker_extra_args: ["--network=container:nope"] }));
		expect(String(refused)).toContain('BackendUnavailable: Cannot start a container of "');
		const ended = await thrownBy(here.open({ docker_extra_args: ["--entrypoint=/bin/false"] }));
		expect(String(ended)).toContain("it ended at once");
		expect(await here.containers()).toEqual([]);
	});

	concurrently("whose opening is interrupted does not stay behind", async () => {
		await using here = place();
		const interrupt = new AbortController();
		// The engine goes on making what it was asked for.
		await using way = await slowWay(serviceVariable("DOCKER_HOST"), "/containers/create", () => interrupt.abort());
		const cause = await thrownBy(here.open({}, { signal: interrupt.signal, engine: way.engine }));
		expect(cause).toHaveProperty("name", "AbortError");
		await way.answered;
		expect(await here.containers()).toEqual([]);
	});

	concurrently("with a user that the image does not know has a home and a temporary folder to write to", async () => {
		await using here = place({ docker_extra_args: ["--user=12345:12345"] });
		await using sandbox = await here.open();
		await using shell = await openDockerShell(sandbox, { cwd: "~" });
		const { output } = await execute(shell, 'id -u; echo a >"$HOME/f" && cat ~/f; mktemp >/dev/null && pwd', {
			signal,
		});
		expect(output).toBe("12345\na\n/tmp/home-12345\n");
	});

	concurrently("has no rights to gain, limits, and the variables that were given to it", async () => {
		await using here = place();
		const settings = { docker_env: { SET: "1 2" }, docker_forward_env: ["GIVEN", "BLANK", "FROM_FILE"] };
		await Bun.write(join(here.home, ".env"), "FROM_FILE=file\nGIVEN=file\n");
		await using sandbox = await here.open(settings, { variables: { GIVEN: "host", BLANK: "", OTHER: "x" } });
		const command = `grep -E 'NoNewPrivs|CapEff' /proc/self/status | tr -s '\\t' ' '; echo "$SET,$GIVEN,\${BLANK-unset},$FROM_FILE,\${OTHER-unset}"`;
		expect(await say(sandbox, command)).toBe("CapEff: 00000000000000cb\nNoNewPrivs: 1\n1 2,host,unset,file,unset\n");
	});

	concurrently("without bash runs commands with sh, and says so", async () => {
		await using here = place({ docker_image: process.env.HERMES_TEST_DOCKER_IMAGE_SH ?? "" });
		await using sandbox = await here.open();
		const warnings: string[] = [];
		await using shell = await openDockerShell(sandbox, { onWarning: (text) => void warnings.push(text) });
		await execute(shell, 'export A="it\'s"; cd /usr', { signal });
		const { output, exitCode } = await execute(shell, 'echo "$A"; pwd; exit 3', { signal });
		expect({ output, exitCode, warnings }).toEqual({
			output: "it's\n/usr\n",
			exitCode: 3,
			warnings: [`There is no bash on ${sandbox.ranOn}: commands run with sh, and functions do not outlive a command`],
		});
		const killed = await execute(shell, "sleep 30", { signal, timeoutSeconds: 1 });
		expect(killed.exitCode).toBe(124);
		expect((await execute(shell, "ps | grep -c '[s]leep 30'", { signal })).output).toBe("0\n");
	});

	concurrently("with a full disk still says what commands did", async () => {
		await using here = place();
		await using sandbox = await here.open();
		await using shell = await openDockerShell(sandbox);
		await execute(shell, "cat /dev/zero >/dev/shm/full 2>/dev/null; cat /dev/zero >/tmp/full 2>/dev/null", { signal });
		const { output, exitCode } = await execute(shell, "export LOST=1; echo said; exit 3", { signal });
		expect({ output, exitCode }).toEqual({ output: "said\n", exitCode: 3 });
		await execute(shell, "rm /dev/shm/full /tmp/full", { signal });
		await execute(shell, "export KEPT=1", { signal });
		expect((await execute(shell, "echo $KEPT", { signal })).output).toBe("1\n");
	});

	concurrently("gives a terminal of the size that was asked for", async () => {
		await using here = place();
		await using sandbox = await here.open();
		const pty = { columns: 91, rows: 33 };
		const script = "until [ \"$(stty size)\" = '33 91' ]; do :; done; tty >/dev/null && stty size";
		const running = await sandbox.start(["bash", "-c", script], { env: {}, cwd: "/", stdin: "none", pty, signal });
		expect(await new Response(running.output).text()).toBe("33 91\r\n");
		expect(await running.exited).toBe(0);
	});

	concurrently("left behind is removed later when it was to be thrown away, and only then", async () => {
		await using here = place();
		await using kept = await here.openKept();
		const left = await here.open({}, { taskId: "left" });
		await Promise.all([containerOf(kept).stop({ t: 0 }), containerOf(left).stop({ t: 0 })]);
		await reapOrphans(docker(), { home: here.home, lifetimeSeconds: 60 });
		expect((await here.containers()).length).toBe(2);
		await reapOrphans(docker(), { home: here.home, lifetimeSeconds: 60, now: Date.now() + 121_000 });
		expect((await here.containers()).map(({ Id }) => `docker:${Id.slice(0, 12)}`)).toEqual([kept.ranOn]);
	});

	concurrently("with what a sub-agent of a killed process has made stays for a week, and its end is told", async () => {
		await using here = place();
		const dead = Bun.spawn(["true"]);
		await dead.exited;
		const [[label = "", value = ""] = []] = Object.entries(throwawayLabels(false));
		const process = { [label]: value.replace(/-\d+/, `-${dead.pid}`) };
		const Labels = { ...profileLabels(here.home), ...throwawayLabels(true), ...process };
		await docker().createContainer({ Image: serviceVariable("HERMES_TEST_DOCKER_IMAGE"), Labels });
		const told: string[] = [];
		const reap = (days: number) =>
			reapOrphans(docker(), {
				...{ home: here.home, lifetimeSeconds: 60, now: Date.now() + days * 86_400_000 },
				tell: (line) => void told.push(line),
			});
		await reap(6);
		expect([(await here.containers()).length, told]).toEqual([1, []]);
		await reap(8);
		expect((await here.containers()).length).toBe(0);
		expect(told).toEqual([
			expect.stringMatching(/^Removed the container \S+ of a sub-agent: nobody took over in 7 days/),
		]);
	});

	concurrently("that a sub-agent of a living process has is not said to be gone", async () => {
		await using here = place();
		await using _busy = await here.open({ life: "own" }, { taskId: "sa-1" });
		const found = here.open({ life: "found" }, { taskId: "sa-1" }).catch((cause: unknown) => cause);
		expect(await found).toMatchObject({ name: "BackendUnavailable", message: expect.stringMatching(/still runs/) });
	});

	concurrently("of a process that was killed is removed by the next one", async () => {
		await using here = place();
		const module = join(import.meta.dir, "../../support/docker-sandbox.ts");
		const script = `const { openDocker } = await import(${JSON.stringify(module)});
			await openDocker({ home: ${JSON.stringify(here.home)} }); process.kill(process.pid, "SIGKILL");`;
		await Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "ignore", "inherit"], env: process.env })
			.exited;
		expect((await here.containers()).length).toBe(1);
		await using next = await here.open();
		expect((await here.containers()).map(({ Id }) => `docker:${Id.slice(0, 12)}`)).toEqual([next.ranOn]);
	});

	concurrently(
		"goes on in the folders of this machine when they were removed and made again, with what else is in it",
		async () => {
			await using here = place({ container_persistent: true });
			{
				await using first = await here.openKept();
				await say(first, "echo old >~/f; echo kept >/usr/g");
			}
			rmSync(join(here.home, "sandboxes"), { recursive: true });
			await using next = await here.openKept();
			expect(await say(next, "ls ~; cat /usr/g; echo new >~/h && cd ~ && pwd")).toBe("kept\n/root\n");
			expect(readFileSync(join(here.home, "sandboxes/docker/test/home/h"), "utf8")).toBe("new\n");
			expect(here.told).toEqual([expect.stringContaining("is started again: its /root is a folder of this machine")]);
		},
	);

	concurrently("keeps home and workspace of a task on this machine", async () => {
		await using here = place({ container_persistent: true });
		await using sandbox = await here.open();
		await say(sandbox, "echo a >~/f; echo b >/workspace/g");
		const folder = join(here.home, "sandboxes/docker/test");
		expect([existsSync(join(folder, "home/f")), existsSync(join(folder, "workspace/g"))]).toEqual([true, true]);
	});
});
