/** Sub-agents of a chat, as its user sees and ends them there. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { requireService, serviceVariable } from "../support/required-service.ts";
import { startOnTerminal } from "../support/run-hermes.ts";
import { calls, cassette, homeWith, processesWith, recordsOf } from "../support/taped-agents.ts";

setDefaultTimeout(60_000);

/** A machine where sudo asks for a password. */
function farMachine() {
	return {
		TERMINAL_SSH_HOST: serviceVariable("HERMES_TEST_SSH_HOST"),
		TERMINAL_SSH_PORT: serviceVariable("HERMES_TEST_SSH_PORT"),
		TERMINAL_SSH_USER: serviceVariable("HERMES_TEST_SUDO_USER"),
		TERMINAL_SSH_KEY: serviceVariable("HERMES_TEST_SSH_KEY"),
		TERMINAL_CWD: "/tmp",
	};
}

const hasSsh = await requireService("ssh", async () => farMachine());

test("/stop without a turn says that sub-agents go on, and /agents cancel ends one of them", async () => {
	const sleep = `sleep ${32_000 + Math.random() * 1_000}`;
	using home = homeWith([
		{ for: "sleep long", ...calls(["terminal", { command: sleep }]) },
		{ text: "Hello." },
		{ text: "I have heard of it." },
	]);
	await using hermes = startOnTerminal(["chat", ...cassette], { home: home.path });
	await hermes.answer("> ", "hi");
	await hermes.shows("Hello.");
	await hermes.answer("> ", "/background sleep long");
	await hermes.shows("works on it");
	while (processesWith(sleep).length === 0) await Bun.sleep(20);
	const id = recordsOf(home).list()[0]?.id ?? "";
	hermes.type("/stop\r");
	await hermes.shows("what works in the background goes on: /agents");
	hermes.type("/agents\r");
	await hermes.shows(`${id}  running`);
	hermes.type(`/agents cancel ${id}\r`);
	await hermes.shows(`${id} cancelled`);
	await hermes.shows("I have heard of it.");
	expect(recordsOf(home).get(id)?.status).toBe("cancelled");
	while (processesWith(sleep).length > 0) await Bun.sleep(20);
	hermes.type(`/agents ${id}\r`);
	await hermes.shows("interrupted");
	hermes.type("/quit\r");
	expect(await hermes.exitCode).toBe(0);
});

test.skipIf(!hasSsh)("nobody is asked for a password when a sub-agent calls sudo", async () => {
	using home = homeWith([
		{ for: "be root", ...calls(["terminal", { command: "sudo -k; sudo id -u" }]) },
		{ for: "be root", text: "I may not.", expect: { tool: "terminal", exit_code: 1, contains: "password" } },
		{ text: "Hello." },
		{ text: "I have heard of it." },
	]);
	const flags = ["--backend", "ssh", "--yolo"];
	await using hermes = startOnTerminal(["chat", ...cassette, ...flags], { home: home.path, env: farMachine() });
	await hermes.answer("> ", "hi");
	await hermes.shows("Hello.");
	await hermes.answer("> ", "/background be root");
	await hermes.shows("I have heard of it.");
	expect(recordsOf(home).list()[0]?.children).toMatchObject([{ status: "completed", summary: "I may not." }]);
	expect(hermes.shown()).not.toContain("needs your password");
	hermes.type("/quit\r");
	expect(await hermes.exitCode).toBe(0);
});
