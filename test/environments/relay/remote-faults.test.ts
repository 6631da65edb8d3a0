/** What is left in docker, ssh and singularity when the relay there, or this program, is killed. */

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { execute } from "../../../lib/environments/shell/execute.ts";
import { countProcesses, firstLineOf, holdsWithin, sh } from "./programs.ts";
import { hasPlace, openRelayed, openRemoteShell, remotePlaces } from "./remote-places.ts";

const limitMs = 120_000;
const { signal } = new AbortController();

for (const [index, place] of remotePlaces.entries()) {
	describe.skipIf(!(await hasPlace(place)))(`in ${place.name}`, () => {
		test(
			"16 commands end as interrupted when the relay is killed; none is left or run twice, and the next one works",
			async () => {
				const lines: string[] = [];
				await using opened = await openRelayed(place, (line) => lines.push(line));
				const { sandbox } = opened;
				await using shell = await openRemoteShell(sandbox, place);
				const run = (command: string) => execute(shell, command, { signal });
				const marker = (await run("mktemp")).output.trim();
				const sleep = `sleep 31.${index}`;
				const running = Array.from({ length: 16 }, () => run(`echo x >>${marker}; setsid ${sleep} & ${sleep}`));
				// A shell and two others each.
				expect(await holdsWithin(30, () => countProcesses(sleep) === 48)).toBe(true);
				await sh(sandbox, "kill -9 $PPID").catch(() => undefined);
				const outcomes = await Promise.all(running);
				expect(new Set(outcomes.map(({ ended, output }) => `${ended} ${output}`))).toEqual(
					new Set(["interrupted [Command interrupted: relay lost: its output has ended]"]),
				);
				expect(countProcesses(sleep)).toBe(0);
				const { output, exitCode } = await run(`wc -l <${marker}; exit 3`);
				expect({ output, exitCode, lines: lines.length }).toEqual({ output: "16\n", exitCode: 3, lines: 1 });
			},
			limitMs,
		);

		test(
			"nothing of a running command is left two seconds after this program is killed",
			async () => {
				const sleep = `32.${index}`;
				const program = [process.execPath, join(import.meta.dir, "run-and-hang.ts"), place.name, sleep];
				const child = Bun.spawn(program, { stdout: "pipe", stderr: "inherit" });
				const [said, ranOn = ""] = (await firstLineOf(child.stdout)).split(" ");
				try {
					expect(said).toBe("up");
					// The two in the background may still be on their way to their program.
					expect(await holdsWithin(30, () => countProcesses(`sleep ${sleep}`) === 3)).toBe(true);
					child.kill("SIGKILL");
					expect(await holdsWithin(2, () => countProcesses(`sleep ${sleep}`) === 0)).toBe(true);
				} finally {
					child.kill("SIGKILL");
					// Nobody else removes the container of a killed program so soon.
					const [kind, id = ""] = ranOn.split(":");
					if (kind === "docker") Bun.spawnSync(["docker", "rm", "-f", id]);
				}
			},
			limitMs,
		);
	});
}
