/** Sudo in the background. */

import { expect, test } from "bun:test";
import { hasSsh } from "../environments/ssh/ssh-service.ts";
import { openProcessScene, printed } from "../support/process-scene.ts";
import { requireService, serviceVariable } from "../support/required-service.ts";

const hasSudo = await requireService("sudo", async () => serviceVariable("HERMES_TEST_SUDO_PASSWORD"));
const canLogIn = hasSudo && (await hasSsh());
const { signal } = new AbortController();

test.skipIf(!canLogIn)(
	"a background process gets a password that is known, and never asks for one",
	async () => {
		const password = serviceVariable("HERMES_TEST_SUDO_PASSWORD");
		let asked = 0;
		const ask = async () => {
			asked++;
			return password;
		};
		await using scene = await openProcessScene("ssh", { sudo: { ask } });
		const before = await scene.start("sudo id -u");
		expect([(await before.ended).exitCode, asked]).toEqual([1, 0]);
		expect((await scene.shell.execute("sudo id -u", { signal })).output).toBe("0\n");
		const after = await scene.start("sleep 0.2; sudo id -u; echo in | sudo cat; env | grep -c SUDO");
		await after.ended;
		expect([printed(after), asked]).toEqual([["0", "in", "0"], 1]);
		const look = async () =>
			(await scene.shell.execute("ls -d /dev/shm/hermes-sudo-?????? 2>/dev/null", { signal })).output;
		for (let tries = 200; tries > 0 && (await look()) !== ""; tries--) await Bun.sleep(50);
		expect(await look()).toBe("");
	},
	60_000,
);
