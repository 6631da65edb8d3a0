/** createCallGate(): readers beside each other, writers alone, nobody passes anybody. */

import { expect, test } from "bun:test";
import { createCallGate } from "../../../lib/serve/mcp/call-gate.ts";

/** Runs calls whose ends the test decides, and notes when each begins. */
function scene() {
	const gate = createCallGate();
	const begun: string[] = [];
	const ends = new Map<string, () => void>();
	const { signal } = new AbortController();
	return {
		begun,
		call(name: string, kind: "reads" | "changes", by = signal) {
			return gate.run(kind, by, async () => {
				begun.push(name);
				await new Promise<void>((resolve) => ends.set(name, resolve));
				return name;
			});
		},
		async end(name: string) {
			ends.get(name)?.();
			await Bun.sleep(0);
		},
	};
}

test("run() lets calls that read run together, and one that changes something wait for them", async () => {
	const { call, begun, end } = scene();
	const all = [call("a", "reads"), call("b", "reads"), call("c", "changes"), call("d", "reads"), call("e", "changes")];
	await Bun.sleep(0);
	expect(begun).toEqual(["a", "b"]);
	await end("a");
	expect(begun).toEqual(["a", "b"]);
	await end("b");
	expect(begun).toEqual(["a", "b", "c"]);
	await end("c");
	expect(begun).toEqual(["a", "b", "c", "d"]);
	await end("d");
	expect(begun).toEqual(["a", "b", "c", "d", "e"]);
	await end("e");
	expect(await Promise.all(all)).toEqual(["a", "b", "c", "d", "e"]);
});

test("run() never runs a call that was given up while it waited, and lets nobody pass because of it", async () => {
	const { call, begun, end } = scene();
	const given = new AbortController();
	const first = call("a", "changes");
	const waiting = call("b", "changes", given.signal);
	const last = call("c", "reads");
	await Bun.sleep(0);
	given.abort(new Error("given up"));
	expect(waiting).rejects.toThrow("given up");
	await waiting.catch(() => undefined);
	expect(begun).toEqual(["a"]);
	await end("a");
	expect(begun).toEqual(["a", "c"]);
	await end("c");
	expect(await Promise.all([first, last])).toEqual(["a", "c"]);
});
