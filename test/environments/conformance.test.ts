/** The local backend keeps every promise, whether the host reads the shell's files or asks the sandbox for them. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Sandbox } from "../../lib/environments/backend.ts";
import { folderCases } from "../../lib/environments/conformance/cases/folder.ts";
import { stateCases } from "../../lib/environments/conformance/cases/state.ts";
import { textCases } from "../../lib/environments/conformance/cases/text.ts";
import { conformanceCases } from "../../lib/environments/conformance/cases.ts";
import type { Capability, SessionOptions } from "../../lib/environments/conformance/conformance-case.ts";
import { missingNeeds, runCase } from "../../lib/environments/conformance/run-conformance.ts";
import { openLocal, openLocalShell } from "../support/local-sandbox.ts";

const linux: readonly Capability[] = ["escapees", "own-process"];
const capabilities = new Set(process.platform === "linux" ? linux : []);
const limitMs = 120_000;

/** Cases whose promise depends on how state and files travel; the rest is the same for both kinds of folder. */
const aboutFiles = new Set([...stateCases, ...folderCases, ...textCases]);

describe.each(["host", "sync"] as const)("local, with files as %s", (files) => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await openLocal();
	});
	afterAll(() => sandbox[Symbol.asyncDispose]());

	const target = {
		capabilities,
		signal: new AbortController().signal,
		openShell: (options: SessionOptions) => openLocalShell(sandbox, { ...options, files }),
	};
	const here = conformanceCases.filter((item) => !item.needs?.includes("own-memory"));
	for (const item of here.filter((item) => files === "host" || aboutFiles.has(item))) {
		const runner = item.alone ? test : test.concurrent;
		runner.skipIf(missingNeeds(item, target).length > 0)(item.name, () => runCase(item, target), limitMs);
	}
});

/** Growth of a process while 100 MB pass through it: far less than what passes. */
const memoryLimitBytes = 50_000_000;

test(
	"execute() on local takes 100 MB of output in less than 50 MB of memory",
	async () => {
		const program = join(import.meta.dir, "../support/measure-output-memory.ts");
		const { stdout } = Bun.spawn([process.execPath, program], { stderr: "inherit" });
		const { characters, grownBytes } = JSON.parse(await stdout.text());
		expect(characters).toBe(100_000_005);
		expect(grownBytes).toBeLessThan(memoryLimitBytes);
	},
	limitMs,
);
