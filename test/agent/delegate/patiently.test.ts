/** Work of a sub-agent whose engine is away for a moment. */

import { expect, test } from "bun:test";
import { patiently } from "../../../lib/agent/delegate/places/patiently.ts";
import { BackendUnavailable, SandboxGone } from "../../../lib/environments/backend.ts";

function failing(...causes: readonly Error[]) {
	let tries = 0;
	return {
		async work() {
			const cause = causes[tries++];
			if (cause !== undefined) throw cause;
			return "brought back";
		},
		tries: () => tries,
	};
}

const away = new BackendUnavailable("Cannot reach the engine");

test("patiently() does it again while the engine is away", async () => {
	const engine = failing(away, away);
	expect(await patiently(engine.work, [1, 1])).toBe("brought back");
	expect(engine.tries()).toBe(3);
});

test("patiently() gives up at last, with the last reason", async () => {
	const engine = failing(away, away, new BackendUnavailable("Cannot reach it at all"));
	await expect(patiently(engine.work, [1, 1])).rejects.toThrow("Cannot reach it at all");
});

test("patiently() does not repeat what another try would not mend", async () => {
	for (const cause of [new SandboxGone("the sandbox is gone"), new Error("no space left")]) {
		const engine = failing(cause);
		await expect(patiently(engine.work, [1, 1])).rejects.toBe(cause);
		expect(engine.tries()).toBe(1);
	}
});
