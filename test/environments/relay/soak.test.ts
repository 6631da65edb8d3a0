/** Many commands through one relay: none is lost, and neither side grows. */

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { execute } from "../../../lib/environments/shell/execute.ts";
import type { Shell } from "../../../lib/environments/shell/shell.ts";
import { openDocker } from "../../support/docker-sandbox.ts";
import { sh } from "./programs.ts";
import { hasPlace, openRelayed, openRemoteShell, remotePlaces, withRelayIn } from "./remote-places.ts";

const limitMs = 900_000;
const { signal } = new AbortController();
const commands = process.env.HERMES_TEST_SOAK === "1" ? 10_000 : 1_000;
const docker = remotePlaces.find(({ name }) => name === "docker");
const hasDocker = docker !== undefined && (await hasPlace(docker));

/** Runs numbered commands, so many at a time, and gives the numbers whose answer was wrong. */
async function runMany(
	shell: Shell,
	{ count, atOnce }: { readonly count: number; readonly atOnce: number },
	command: (index: number) => string,
) {
	const wrong: unknown[] = [];
	let next = 0;
	const worker = async () => {
		for (let index = next++; index < count; index = next++) {
			const { output, exitCode, ended } = await execute(shell, command(index), { signal, timeoutSeconds: 300 });
			if (output !== `${index}\n` || exitCode !== index % 7 || ended !== "exited")
				wrong.push({ index, output, exitCode, ended });
		}
	};
	await Promise.all(Array.from({ length: atOnce }, worker));
	return wrong;
}

/** Kilobytes and descriptors of the relay and of this process. */
async function sizes(sandbox: Sandbox) {
	const [kilobytes = "", descriptors = ""] = (
		await sh(sandbox, "sed -n 's/VmRSS: *\\([0-9]*\\).*/\\1/p' /proc/$PPID/status; ls /proc/$PPID/fd | wc -l")
	).split("\n");
	Bun.gc(true);
	const ownKilobytes = /VmRSS:\s*(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
	return {
		relay: { kilobytes: Number(kilobytes), descriptors: Number(descriptors) },
		own: { kilobytes: Number(ownKilobytes), descriptors: readdirSync("/proc/self/fd").length },
	};
}

describe.skipIf(!hasDocker)("the relay in docker", () => {
	test(
		`answers ${commands} commands, 16 at once, and grows on neither side`,
		async () => {
			if (docker === undefined) return;
			await using opened = await openRelayed(docker);
			const { sandbox } = opened;
			await using shell = await openRemoteShell(sandbox, docker);
			const command = (index: number) =>
				index % 50 === 0 ? `sleep 9 & echo ${index}; exit ${index % 7}` : `echo ${index}; exit ${index % 7}`;
			expect(await runMany(shell, { count: 200, atOnce: 16 }, command)).toEqual([]);
			const before = await sizes(sandbox);
			expect(await runMany(shell, { count: commands, atOnce: 16 }, command)).toEqual([]);
			const after = await sizes(sandbox);
			// What the commands have left in the background still holds one pipe each.
			const left = commands / 50 + 10;
			expect(after.relay.descriptors).toBeLessThanOrEqual(before.relay.descriptors + left);
			expect(after.own.descriptors).toBeLessThanOrEqual(before.own.descriptors + 5);
			expect(after.relay.kilobytes).toBeLessThan(before.relay.kilobytes + 4_000);
			expect(after.own.kilobytes).toBeLessThan(before.own.kilobytes + 120_000);
		},
		limitMs,
	);

	test(
		"answers 300 commands at once where there may be 256 processes",
		async () => {
			if (docker === undefined) return;
			const plain = await openDocker({ settings: { docker_extra_args: ["--pids-limit", "256"] } });
			await using sandbox = await withRelayIn(plain);
			await using shell = await openRemoteShell(sandbox, docker);
			expect(
				await runMany(shell, { count: 300, atOnce: 300 }, (index) => `sleep 0.2; echo ${index}; exit ${index % 7}`),
			).toEqual([]);
			expect(sandbox.helper).toBeDefined();
		},
		limitMs,
	);
});
