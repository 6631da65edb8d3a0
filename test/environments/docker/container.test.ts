/** The life of a container: many who want it at once, and one that is taken away. */

import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { BackendUnavailable, type Sandbox } from "../../../lib/environments/backend.ts";
import { execute } from "../../../lib/environments/shell/execute.ts";
import { openDocker, openDockerShell } from "../../support/docker-sandbox.ts";
import { requireService, serviceVariable } from "../../support/required-service.ts";
import { runProgram } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

setDefaultTimeout(120_000);

const isThere = await requireService("docker", async () => (await openDocker())[Symbol.asyncDispose]());

async function docker(...words: string[]) {
	const env = { PATH: process.env.PATH ?? "", DOCKER_HOST: serviceVariable("DOCKER_HOST") };
	return (await runProgram(["docker", ...words], { cwd: "/", env })).stdout.trim();
}

const kept = { docker_persist_across_processes: true, container_persistent: true };

/** What is kept of a container. */
const home = temporaryFolder();
afterAll(() => home[Symbol.dispose]());

/** Opens what a process of its own would; nothing is shared but the engine. */
const openKept = (taskId: string) => openDocker({ taskId, home: home.path, settings: kept });

async function removeKept(taskId: string): Promise<void> {
	const ids = await docker("ps", "-aq", "--filter", `label=hermes-task-id=${taskId}`);
	if (ids !== "") await docker("rm", "-fv", ...ids.split("\n"));
}

const idOf = ({ ranOn }: Pick<Sandbox, "ranOn">) => ranOn.replace("docker:", "");
const signal = new AbortController().signal;

/** A socket that passes everything on to `engine`, save connections that `isSilent` says are never answered. */
function listenInFront(path: string, engine: string, isSilent: () => boolean): Disposable {
	const server = createServer((client) => {
		client.on("error", () => undefined);
		if (isSilent()) return;
		const upstream = connect(engine);
		upstream.on("error", () => client.destroy());
		client.pipe(upstream).pipe(client);
	}).listen(path);
	return { [Symbol.dispose]: () => void server.close() };
}

describe.skipIf(!isThere)("docker", () => {
	test.concurrent("open() gives the same container to all who want it at the same moment", async () => {
		for (let round = 0; round < 3; round++) {
			const taskId = `race-${crypto.randomUUID()}`;
			const opened = await Promise.allSettled(Array.from({ length: 3 }, () => openKept(taskId)));
			const places = opened.map((one) => (one.status === "fulfilled" ? one.value.ranOn : String(one.reason)));
			for (const one of opened) if (one.status === "fulfilled") await one.value[Symbol.asyncDispose]();
			await removeKept(taskId);
			expect([...new Set(places)]).toEqual([expect.stringMatching(/^docker:[0-9a-f]{12}$/)]);
		}
	});

	test.concurrent("open() asks an engine again that was silent once (#63356)", async () => {
		using folder = temporaryFolder();
		const unix = join(folder.path, "engine.sock");
		let connections = 0;
		using _ = listenInFront(unix, serviceVariable("DOCKER_HOST").replace("unix://", ""), () => connections++ === 0);
		await using sandbox = await openDocker({ engine: `unix://${unix}` });
		expect({ ranOn: sandbox.ranOn, isAskedAgain: connections > 1 }).toEqual({
			ranOn: expect.stringMatching(/^docker:/),
			isAskedAgain: true,
		});
	});

	test.concurrent("open() leaves a container of somebody else alone that has the name it would use (#12011)", async () => {
		const taskId = `name-${crypto.randomUUID()}`;
		await using first = await openKept(taskId);
		const name = (await docker("inspect", "--format", "{{.Name}}", idOf(first))).slice(1);
		await removeKept(taskId);
		const foreign = await docker("create", "--name", name, serviceVariable("HERMES_TEST_DOCKER_IMAGE"), "true");
		await using second = await openKept(taskId);
		await using third = await openKept(taskId);
		const state = await docker("inspect", "--format", "{{.State.Status}}", foreign);
		await removeKept(taskId);
		await docker("rm", "-f", foreign);
		expect({ state, isForeign: foreign.startsWith(idOf(second)), third: third.ranOn }).toEqual({
			state: "created",
			isForeign: false,
			third: second.ranOn,
		});
	});

	test.concurrent.each([
		{ is: "kept", how: kept },
		{ is: "thrown away", how: {} },
	])("a container ($is) removed during a command: it fails as unavailable, not as exit 137", async ({ how }) => {
		const taskId = `removed-${crypto.randomUUID()}`;
		await using sandbox = await openDocker({ taskId, home: home.path, settings: how });
		const shell = await openDockerShell(sandbox);
		const begun = Promise.withResolvers<void>();
		const running = execute(shell, "echo begun; sleep 60", { signal, onOutput: () => begun.resolve() });
		const ended = running.catch((cause: unknown) => cause);
		await begun.promise;
		await docker("rm", "-f", idOf(sandbox));
		const cause = await ended;
		await removeKept(taskId);
		expect(cause).toBeInstanceOf(BackendUnavailable);
		expect(String(cause)).toMatch(/Cannot finish the command: .* (?:stopped|was removed) while it ran/);
	});

	test.concurrent("a process that somebody kills with SIGKILL in a living container ends with 137", async () => {
		await using sandbox = await openDocker();
		await using shell = await openDockerShell(sandbox);
		expect(await execute(shell, "kill -9 $$", { signal })).toMatchObject({ exitCode: 137, ended: "exited" });
	});
});
