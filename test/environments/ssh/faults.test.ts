/** What becomes of commands when server or network go away. */

import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { BackendUnavailable, type Running } from "../../../lib/environments/backend.ts";
import { type PrivateSshd, privateSshd } from "./private-sshd.ts";
import { hasSsh, openSsh, saidBy, serviceAccount, start } from "./ssh-service.ts";
import { tcpProxy } from "./tcp-proxy.ts";

const env = { PATH: "/usr/bin:/bin" };

/** Waits for the first output of a program. */
async function firstOutput(running: Running): Promise<string> {
	const reader = running.output.getReader();
	const { value } = await reader.read();
	reader.releaseLock();
	return new TextDecoder().decode(value);
}

afterEach(() => {
	setSystemTime();
});

/** Closing a sandbox whose network hangs takes five seconds. */
const limitMs = 30_000;

describe.skipIf(!(await hasSsh()))("ssh", () => {
	let server: PrivateSshd;
	beforeAll(async () => {
		server = await privateSshd();
	}, limitMs);
	afterAll(() => server[Symbol.asyncDispose](), limitMs);

	for (const ssh_transport of ["builtin", "openssh"] as const) {
		test(`${ssh_transport}: sshd killed during a command: it fails as unavailable, and is not run again`, async () => {
			await using place = await openSsh({ account: server.account, settings: { ssh_transport } });
			const file = (await saidBy(place.sandbox, "mktemp")).trim();
			const running = await start(place.sandbox, ["sh", "-c", `echo ran >>${file}; echo up; sleep 5`], { env });
			expect(await firstOutput(running)).toBe("up\n");
			const ended = running.exited.catch((cause) => cause);
			await server.kill();
			const cause = await ended;
			expect(cause).toBeInstanceOf(BackendUnavailable);
			expect(cause.message).toContain("while a command ran there");
			await server.start();
			expect(await saidBy(place.sandbox, `cat ${file}; rm ${file}`)).toBe("ran\n");
		});

		test(`${ssh_transport}: sshd restarted between commands: the next one connects again`, async () => {
			await using place = await openSsh({ account: server.account, settings: { ssh_transport } });
			await server.kill();
			await server.start();
			expect(await saidBy(place.sandbox, "whoami")).toBe("sshuser\n");
		});

		test(`${ssh_transport}: sshd gone between commands: the next one fails as unavailable, and runs nowhere else`, async () => {
			await using place = await openSsh({ account: server.account, settings: { ssh_transport } });
			await server.kill();
			const cause = await saidBy(place.sandbox, "whoami").catch((error) => error);
			expect(cause).toBeInstanceOf(BackendUnavailable);
			await server.start();
		});

		test(`${ssh_transport}: network cut during a command: a keepalive error, not a hang`, async () => {
			await using proxy = await tcpProxy(serviceAccount().port);
			await using place = await openSsh({
				account: { ...serviceAccount(), port: proxy.port },
				config: "UserKnownHostsFile ~/known_hosts\nUserKnownHostsFile /dev/null\n",
				settings: {
					ssh_transport,
					ssh_keepalive_interval: ssh_transport === "builtin" ? 0.2 : 1,
					ssh_keepalive_count: 1,
				},
			});
			const running = await start(place.sandbox, ["sh", "-c", "echo up; sleep 5"], { env });
			expect(await firstOutput(running)).toBe("up\n");
			proxy.freeze();
			const cause = await running.exited.catch((error) => error);
			// The end of the network, so that closing the sandbox does not wait for it.
			await proxy[Symbol.asyncDispose]();
			expect(cause).toBeInstanceOf(BackendUnavailable);
			if (ssh_transport === "builtin")
				expect(cause.message).toContain("the server did not answer 1 times within 0.4 s");
		});
	}

	test("network closed while programs start: each one runs once or fails as unavailable", async () => {
		await using proxy = await tcpProxy(serviceAccount().port);
		await using place = await openSsh({
			account: { ...serviceAccount(), port: proxy.port },
			config: "UserKnownHostsFile /dev/null\n",
		});
		const file = (await saidBy(place.sandbox, "mktemp")).trim();
		const ended: string[] = [];
		for (let round = 0; round < 30; round++) {
			const running = saidBy(place.sandbox, `echo ${round} >>${file}; echo ok`).catch((error) => error.name);
			// Somewhere between the first packet and the last.
			await Bun.sleep(round / 5);
			proxy.cut();
			ended.push(await running);
		}
		const ran = (await saidBy(place.sandbox, `sort -n ${file}; rm ${file}`)).trim().split("\n");
		expect(new Set(ran).size).toBe(ran.length);
		expect(ended.filter((one) => one !== "ok\n" && one !== "BackendUnavailable")).toEqual([]);
		expect(
			ended.flatMap((one, round) => (one === "ok\n" ? [String(round)] : [])).filter((round) => !ran.includes(round)),
		).toEqual([]);
	});

	test("clock set an hour forward and a day back: connection and time limits do not notice", async () => {
		await using place = await openSsh({ settings: { ssh_keepalive_interval: 0.2, ssh_keepalive_count: 2 } });
		const slow = saidBy(place.sandbox, "sleep 1; echo whole");
		setSystemTime(Date.now() + 3_600_000);
		expect(await saidBy(place.sandbox, "echo later")).toBe("later\n");
		setSystemTime(Date.now() - 86_400_000);
		expect(await saidBy(place.sandbox, "echo earlier")).toBe("earlier\n");
		expect(await slow).toBe("whole\n");
	});
});
