/** Managed Modal sandboxes keep every promise that can be kept where there is no pipe into a program. */

import { afterAll, beforeAll, describe, test } from "bun:test";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { conformanceCases } from "../../../lib/environments/conformance/cases.ts";
import type { Capability, SessionOptions } from "../../../lib/environments/conformance/conformance-case.ts";
import { missingNeeds, runCase } from "../../../lib/environments/conformance/run-conformance.ts";
import { hasManagedModal, openManagedShell, startTestGateway, type TestGateway } from "./managed-service.ts";

const limitMs = 120_000;

describe.skipIf(!(await hasManagedModal()))("managed modal", () => {
	let started: TestGateway;
	let sandbox: Sandbox;
	beforeAll(async () => {
		started = await startTestGateway();
		sandbox = await started.open();
	}, limitMs);
	afterAll(async () => {
		await sandbox[Symbol.asyncDispose]();
		await started[Symbol.asyncDispose]();
	}, limitMs);

	for (const item of conformanceCases) {
		const target = {
			capabilities: new Set<Capability>(["escapees"]),
			signal: new AbortController().signal,
			openShell: (options: SessionOptions) => openManagedShell(sandbox, options),
		};
		const runner = item.alone ? test : test.concurrent;
		runner.skipIf(missingNeeds(item, target).length > 0)(item.name, () => runCase(item, target), limitMs);
	}
});
