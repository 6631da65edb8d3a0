/** The local backend keeps every promise. */

import { afterAll, beforeAll, describe, test } from "bun:test";
import type { Sandbox } from "../../lib/environments/backend.ts";
import { conformanceCases } from "../../lib/environments/conformance/cases.ts";
import type { Capability, SessionOptions } from "../../lib/environments/conformance/conformance-case.ts";
import { missingNeeds, runCase } from "../../lib/environments/conformance/run-conformance.ts";
import { openLocal, openLocalShell } from "../support/local-sandbox.ts";

const linux: readonly Capability[] = ["escapees", "own-process"];
const capabilities = new Set(process.platform === "linux" ? linux : []);
const limitMs = 120_000;

describe("local", () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await openLocal();
	});
	afterAll(() => sandbox[Symbol.asyncDispose]());

	const target = {
		capabilities,
		signal: new AbortController().signal,
		openShell: (options: SessionOptions) => openLocalShell(sandbox, options),
	};
	for (const item of conformanceCases) {
		const runner = item.alone ? test : test.concurrent;
		runner.skipIf(missingNeeds(item, target).length > 0)(item.name, () => runCase(item, target), limitMs);
	}
});
