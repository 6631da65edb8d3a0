/** Two sessions in one process: nothing of one is seen in the other. */

import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import local from "../../../lib/environments/local/index.ts";
import { createPool } from "../../../lib/environments/pool/pool.ts";
import type { SudoSource } from "../../../lib/environments/shell/sudo/passwords.ts";
import { plainEnvironment } from "../../support/local-sandbox.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const { signal } = new AbortController();

function poolIn(folder: string, sudo: SudoSource) {
	const target = { backend: local, config: {}, cwd: folder, environment: plainEnvironment };
	return createPool({
		target,
		targetFor: async () => target,
		isPinned: false,
		lifetimeSeconds: 300,
		context: { home: folder, hostEnvironment: plainEnvironment },
		sudo,
		onWarning: () => undefined,
	});
}

test("folder, environment, functions, output and passwords for sudo do not cross over", async () => {
	using folder = temporaryFolder();
	const names = ["first", "second"] as const;
	for (const name of names) mkdirSync(join(folder.path, name));
	await using pool = poolIn(folder.path, { ask: async () => "typed once" });
	for (const name of names) await pool.register(name, { cwd: join(folder.path, name) });
	const heard = { first: "", second: "" };
	const run = async (name: (typeof names)[number], command: string) => {
		const onOutput = (text: string) => {
			heard[name] += text;
		};
		return (await pool.shell(name).execute(command, { signal, onOutput })).output;
	};
	const set = (name: string) =>
		`export MINE=${name}; f() { echo "f of ${name}"; }; for i in 1 2 3; do echo ${name}; sleep 0.05; done`;
	await Promise.all(names.map((name) => run(name, set(name))));
	const seen = await Promise.all(names.map((name) => run(name, 'echo "$MINE $PWD"; f')));
	expect(seen).toEqual(names.map((name) => `${name} ${join(folder.path, name)}\nf of ${name}\n`));
	expect(names.map((name) => heard[name].includes(name === "first" ? "second" : "first"))).toEqual([false, false]);
	await pool.shell("first").use(signal, async (shell) => {
		expect(await shell.sudo?.get("local", signal)).toBe("typed once");
	});
	expect(names.map((name) => [...(pool.shell(name).typedSecrets ?? [])])).toEqual([["typed once"], []]);
	const known = await Promise.all(
		names.map((name) => pool.shell(name).use(signal, async (shell) => shell.sudo?.knows("local"))),
	);
	expect(known).toEqual([true, false]);
});

test("nobody is asked for a password on behalf of a task that works unattended, and one that is set counts for it too", async () => {
	using folder = temporaryFolder();
	let questions = 0;
	const ask = async () => {
		questions++;
		return "typed";
	};
	const passwordOf = async (source: SudoSource, isUnattended: boolean) => {
		await using pool = poolIn(folder.path, source);
		await pool.register("child", { cwd: folder.path, within: "default", ...(isUnattended && { isUnattended: true }) });
		return await pool.shell("child").use(signal, async (shell) => {
			const answers = shell.sudo?.canAnswer;
			return [answers, await shell.sudo?.get("local", signal), questions];
		});
	};
	expect(await passwordOf({ ask }, true)).toEqual([false, undefined, 0]);
	expect(await passwordOf({ ask, configured: "set" }, true)).toEqual([true, "set", 0]);
	expect(await passwordOf({ ask }, false)).toEqual([true, "typed", 1]);
});
