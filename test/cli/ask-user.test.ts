/** Questions of a backend, put to the person at the terminal. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { requireService, serviceVariable } from "../support/required-service.ts";
import { runHermes, startOnTerminal } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const account = () => ({
	TERMINAL_SSH_HOST: serviceVariable("HERMES_TEST_SSH_HOST"),
	TERMINAL_SSH_PORT: serviceVariable("HERMES_TEST_SSH_PASSWORD_PORT"),
	TERMINAL_SSH_USER: serviceVariable("HERMES_TEST_SSH_PASSWORD_USER"),
	TERMINAL_SSH_KEY: "",
});
const hasAccount = await requireService("ssh", async () => account());

test.skipIf(!hasAccount)("a password is asked for, not shown, and used", async () => {
	using home = temporaryFolder();
	const password = serviceVariable("HERMES_TEST_SSH_PASSWORD");
	await using hermes = startOnTerminal(["exec", "--backend", "ssh", "echo in as $USER"], {
		home: home.path,
		env: account(),
	});
	await hermes.shows("assword");
	hermes.type(`${password}\r`);
	await hermes.shows(`in as ${serviceVariable("HERMES_TEST_SSH_PASSWORD_USER")}`);
	expect(await hermes.exitCode).toBe(0);
	expect(hermes.shown()).not.toContain(password);
});

test.skipIf(!hasAccount)("Ctrl-C at the question ends the run", async () => {
	using home = temporaryFolder();
	await using hermes = startOnTerminal(["exec", "--backend", "ssh", "echo in"], { home: home.path, env: account() });
	await hermes.shows("assword");
	hermes.type("\u0003");
	expect(await hermes.exitCode).toBe(130);
});

test.skipIf(!hasAccount)("without a terminal nobody is asked, and the reason is said", async () => {
	using home = temporaryFolder();
	const ran = await runHermes(["exec", "--backend", "ssh", "echo in"], { home: home.path, env: account() });
	expect({ stdout: ran.stdout, exitCode: ran.exitCode }).toEqual({ stdout: "", exitCode: 1 });
	expect(ran.stderr).toMatch(/^New host .* is now known\nhermes: Cannot connect to .*nobody is here to answer.*\n$/);
});
