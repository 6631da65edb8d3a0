/** The relay where little is allowed: no capabilities, a read-only root, a noexec /tmp, another user, another encoding. */

import { describe, expect, test } from "bun:test";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { openDocker } from "../../support/docker-sandbox.ts";
import { openLocal, plainEnvironment } from "../../support/local-sandbox.ts";
import { openLocalRelayIn } from "./open-local-relay.ts";
import { firstLine, said, sh, start } from "./programs.ts";
import { hasPlace, remotePlaces, withRelayIn } from "./remote-places.ts";

const limitMs = 120_000;
const docker = remotePlaces.find(({ name }) => name === "docker");
const hasDocker = docker !== undefined && (await hasPlace(docker));

/** The usual things, and that there is a relay which does them. */
async function works(sandbox: Sandbox): Promise<void> {
	expect(sandbox.helper).toBeDefined();
	const stdin = Buffer.from([0xff, 0xe4, 0, 10]);
	const bytes = await said(sandbox, ["od", "-An", "-tx1"], { stdin });
	expect(bytes).toEqual({ output: " ff e4 00 0a\n", exitCode: 0 });
	expect(await sh(sandbox, "printf '%s' \"$A\"; exit 3", { env: { PATH: "/usr/bin:/bin", A: "ä€" } })).toBe("ä€");
	const running = await start(sandbox, ["bash", "-c", "trap '' TERM; setsid sleep 41.5 & echo up; sleep 41.5"]);
	expect(await firstLine(running)).toBe("up");
	await running.kill();
	expect(await running.exited).toBe(137);
	const pty = await start(sandbox, ["bash", "-c", "tty >/dev/null && echo yes"], { pty: { columns: 80, rows: 24 } });
	expect(await new Response(pty.output).text()).toBe("yes\r\n");
	await sandbox.helper?.files.write("/dev/shm/ä", stdin, { how: "replace" });
	const file = await sandbox.helper?.files.read("/dev/shm/ä");
	expect(Buffer.from(await new Response(file?.content).arrayBuffer())).toEqual(stdin);
	await sandbox.helper?.files.remove("/dev/shm/ä");
}

const containers: readonly { name: string; args: readonly string[] }[] = [
	{ name: "as another user", args: ["--user", "12345:12345"] },
	{ name: "without capabilities", args: ["--cap-drop", "ALL"] },
	{
		name: "with a read-only root and a noexec /tmp",
		args: ["--read-only", "--tmpfs", "/tmp:rw,noexec,nosuid,size=8m"],
	},
	{ name: "in the C locale", args: ["--env", "LC_ALL=C", "--env", "LANG=C"] },
	{ name: "with a latin1 locale that is not there", args: ["--env", "LC_ALL=de_DE.ISO-8859-1"] },
	{
		name: "with a Python that is told to behave otherwise",
		args: ["--env", "PYTHONHOME=/nonexistent", "--env", "PYTHONPATH=/tmp", "--env", "PYTHONSTARTUP=/x"],
	},
];

describe.skipIf(!hasDocker)("the relay in a container", () => {
	test.concurrent.each(containers.map(({ name, args }) => ({ name, args })))(
		"works $name",
		async ({ args }) => {
			await using sandbox = await withRelayIn(await openDocker({ settings: { docker_extra_args: [...args] } }));
			await works(sandbox);
		},
		limitMs,
	);

	test(
		"is left out where there is no python3",
		async () => {
			const image = process.env.HERMES_TEST_DOCKER_IMAGE_NOPYTHON ?? "";
			const lines: string[] = [];
			const plain = await openDocker({ settings: { docker_image: image } });
			await using sandbox = await withRelayIn(plain, (line) => lines.push(line));
			expect(lines).toEqual([
				`No relay runs in ${sandbox.ranOn} (there is no python3); commands are started without it`,
			]);
			expect((await said(sandbox, ["/bin/sh", "-c", "echo on"])).output).toBe("on\n");
		},
		limitMs,
	);
});

test(
	"the relay works as it is without epoll, posix_spawn, /proc and subreaper",
	async () => {
		const disabled = ["epoll", "posix_spawn", "proc", "subreaper"] as const;
		await using sandbox = await openLocalRelayIn(openLocal(), { disabled, path: plainEnvironment.PATH });
		expect(await sh(sandbox, "sleep 30 & echo now")).toBe("now\n");
		const running = await start(sandbox, ["bash", "-c", "trap '' TERM; sleep 41.6 & echo up; wait; sleep 41.6"]);
		expect(await firstLine(running)).toBe("up");
		await running.kill();
		expect(await running.exited).toBe(137);
	},
	limitMs,
);
