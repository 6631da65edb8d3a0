/** Scripts do the same on every backend, whatever carries their calls. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execute } from "../../lib/environments/shell/execute.ts";
import type { Shell } from "../../lib/environments/shell/shell.ts";
import { openScriptSession } from "../support/script-session.ts";
import { type ParityCase, parityCases } from "./parity-cases.ts";
import { type ScriptPlace, scriptPlaces } from "./script-places.ts";

const { signal } = new AbortController();
const limitMs = 60_000;

for (const place of scriptPlaces) {
	describe.skipIf(!(await place.available()))(`a script on ${place.name}`, () => {
		let opened: Awaited<ReturnType<ScriptPlace["open"]>> | undefined;
		beforeAll(async () => {
			opened = await place.open();
		}, limitMs);
		afterAll(async () => await opened?.[Symbol.asyncDispose](), limitMs);
		test.concurrent.each(parityCases.map((item) => [item.name, item] as const))(
			"%s",
			async (_name, item) => {
				if (opened === undefined) throw new Error("Cannot test: nothing is open");
				await check(opened.shell, place, item);
			},
			limitMs,
		);
	});
}

async function check(shell: Shell, { transport, maxCalls }: ScriptPlace, item: ParityCase): Promise<void> {
	const made = await execute(shell, "mktemp -d /tmp/hermes-script-test.XXXXXX", { signal });
	const folder = made.output.trim();
	const stop = new AbortController();
	const session = await openScriptSession(shell, {
		onCall(name) {
			// The command has to have begun.
			if (name === item.interruptAt) setTimeout(() => stop.abort(new Error("interrupted")), 400);
		},
	});
	const filled = (text: string) => text.replaceAll("FOLDER", folder).replaceAll("LIMIT", String(maxCalls));
	const result = await session.run(filled(item.code), {
		maxCalls: item.code.includes("LIMIT") ? maxCalls : 50,
		timeoutSeconds: item.timeoutSeconds ?? 50,
		signal: stop.signal,
		transport,
	});
	if (result.is !== "ran") throw new Error(`Cannot run a script: ${JSON.stringify(result)}`);
	const seen = Object.fromEntries(Object.keys(item.expected).map((key) => [key, result[key as keyof typeof result]]));
	// A shell that a backend starts may have something to say of a program that was killed.
	const isQuiet = item.errors === undefined && result.ended === "exited";
	expect({ ...seen, transport: result.transport, errors: isQuiet ? result.errors : "" }).toEqual({
		...item.expected,
		...(item.expected.output !== undefined && { output: filled(item.expected.output) }),
		transport,
		errors: "",
	});
	if (item.errors) expect(result.errors).toMatch(item.errors);
	if (item.leaves) {
		// In brackets, or the search would find itself.
		const pattern = filled(item.leaves).replace(/.$/, "[$&]");
		const search = `{ for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$f 2>/dev/null; echo; done | grep -c '${pattern}'; } 2>/dev/null`;
		expect((await execute(shell, search, { signal })).output.trim()).toBe("0");
	}
	await execute(shell, `rm -rf ${folder}`, { signal });
}
