/** What becomes of running commands when the process that started them dies. */

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { execute } from "../../../lib/environments/shell/execute.ts";
import { openHostStateFolder } from "../../../lib/environments/shell/host-state-folder.ts";
import { openLocal, openLocalShell } from "../../support/local-sandbox.ts";

const program = join(import.meta.dir, "../../support/local-session.ts");
const deadlineMs = 20_000;

/** Processes whose command line holds `text`, but for the host and the shell of its command; zombies have none. */
function processes(text: string): { pid: number; line: string }[] {
	return readdirSync("/proc").flatMap((name) => {
		const line = /^\d+$/.test(name) ? commandLine(name) : "";
		return line.includes(text) && !/local-session\.ts|builtin/.test(line) ? [{ pid: Number(name), line }] : [];
	});
}

const running = (text: string) => processes(text).map(({ line }) => line);

function commandLine(pid: string): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
	} catch {
		return "";
	}
}

function end(text: string): void {
	for (const { pid } of processes(text)) process.kill(pid, "SIGKILL");
}

async function untilEqual<T>(ask: () => T, wanted: T): Promise<void> {
	for (const giveUpAt = Date.now() + deadlineMs; Date.now() < giveUpAt; ) {
		if (Bun.deepEquals(ask(), wanted)) return;
		await Bun.sleep(50);
	}
	expect(ask()).toEqual(wanted);
}

/** Sleeps of a length that nobody else on this machine uses. */
const uniqueSeconds = (index: number) => `${31_000 + index}.${process.pid}${Math.floor(Math.random() * 1e6)}`;

test.skipIf(process.platform !== "linux")(
	"kill -9 of the host ends what it runs, setsid included, and leaves what an earlier command left",
	async () => {
		const [server, child, escaped, stubborn] = [1, 2, 3, 4].map(uniqueSeconds);
		const command = `sleep ${child} & (setsid sleep ${escaped} &); (trap '' TERM; setsid bash -c "trap '' TERM; sleep ${stubborn}; true" &); echo $HERMES_RUN; wait; sleep 30`;
		const host = Bun.spawn([process.execPath, program, `sleep ${server} & disown`, command], { stderr: "inherit" });
		try {
			const first = await host.stdout.getReader().read();
			const run = new TextDecoder().decode(first.value).trim();
			const commands = () => [child, escaped].flatMap((seconds) => running(`sleep ${seconds}`)).sort();
			await untilEqual(commands, [`sleep ${child}`, `sleep ${escaped}`]);
			await untilEqual(() => running(`sleep ${stubborn}`).length, 2);

			host.kill("SIGKILL");
			await host.exited;

			await untilEqual(() => [...commands(), ...running(`sleep ${stubborn}`)], []);
			await untilEqual(() => running(run), []);
			expect(running(`sleep ${server}`)).toEqual([`sleep ${server}`]);
		} finally {
			host.kill("SIGKILL");
			end(`sleep ${server}`);
		}
	},
	60_000,
);

/** The folders in which a process keeps the state of its sessions. */
const stateFolders = (pid: number) => readdirSync("/dev/shm").filter((name) => name.startsWith(`hermes-${pid}-`));

test.skipIf(process.platform !== "linux").each(["sleep 30", "idle"])(
	"kill -9 of the host (%s) removes the folder with its exported variables, and no other one",
	async (then) => {
		const own = openHostStateFolder({});
		const script = then === "idle" ? ["echo ready", "wait"] : [`echo ready; ${then}`];
		const host = Bun.spawn([process.execPath, program, "export A_TOKEN=secret", ...script], { stderr: "inherit" });
		try {
			await host.stdout.getReader().read();
			expect(stateFolders(host.pid)).toHaveLength(1);

			host.kill("SIGKILL");
			await host.exited;

			await untilEqual(() => stateFolders(host.pid), []);
			expect(stateFolders(process.pid).length).toBeGreaterThan(0);
		} finally {
			host.kill("SIGKILL");
			own[Symbol.dispose]();
		}
	},
	60_000,
);

test.skipIf(process.platform !== "linux")(
	"a sandbox that closes leaves the state of other sessions alone",
	async () => {
		using _own = openHostStateFolder({});
		const watchdogs = () => running(`hermes-${process.pid}-`);
		const others = watchdogs();
		const sandbox = await openLocal();
		const shell = await openLocalShell(sandbox);
		await execute(shell, "true", { signal: new AbortController().signal });
		const before = stateFolders(process.pid).length;
		await shell[Symbol.asyncDispose]();
		await sandbox[Symbol.asyncDispose]();
		await untilEqual(watchdogs, others);
		expect(stateFolders(process.pid)).toHaveLength(before - 1);
	},
);

test.skipIf(process.platform !== "linux").each(["exit", "dispose"])(
	"a host that ends by itself (%s) leaves no watchdog and what its commands left",
	async (then) => {
		const server = uniqueSeconds(5);
		const argv = [process.execPath, program, `sleep ${server} & disown`, "echo $HERMES_RUN", then];
		const host = Bun.spawn(argv, { stderr: "inherit" });
		const run = (await new Response(host.stdout).text()).trim();
		expect(await host.exited).toBe(0);
		await untilEqual(() => running(run), []);
		expect(running(`sleep ${server}`)).toEqual([`sleep ${server}`]);
		end(`sleep ${server}`);
	},
	60_000,
);
