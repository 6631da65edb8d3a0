/** The local backend keeps every promise, whether the host reads the shell's files or asks the sandbox for them. */

import { afterAll, beforeAll, describe, test } from "bun:test";
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
	for (const item of conformanceCases.filter((item) => files === "host" || aboutFiles.has(item))) {
		const runner = item.alone ? test : test.concurrent;
		runner.skipIf(missingNeeds(item, target).length > 0)(item.name, () => runCase(item, target), limitMs);
	}
});
