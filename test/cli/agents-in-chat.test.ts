/** Sub-agents of a chat, as its user sees and ends them there. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { startOnTerminal } from "../support/run-hermes.ts";
import { calls, cassette, homeWith, processesWith, recordsOf } from "../support/taped-agents.ts";

setDefaultTimeout(60_000);

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
