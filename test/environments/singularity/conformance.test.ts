/** The singularity backend keeps every promise. */

import { afterAll, beforeAll, describe, test } from "bun:test";
import { conformanceCases } from "../../../lib/environments/conformance/cases.ts";
import type { Capability, SessionOptions } from "../../../lib/environments/conformance/conformance-case.ts";
import { missingNeeds, runCase } from "../../../lib/environments/conformance/run-conformance.ts";
import { openShell } from "../../../lib/environments/shell/shell.ts";
import { hasSingularity, openSingularity, type SingularityPlace } from "./singularity-service.ts";

const capabilities: ReadonlySet<Capability> = new Set(["escapees"]);
const limitMs = 120_000;

describe.skipIf(!(await hasSingularity()))("singularity", () => {
	let place: SingularityPlace;
	beforeAll(async () => {
		place = await openSingularity();
	}, limitMs);
	afterAll(() => place[Symbol.asyncDispose](), limitMs);

	const signal = new AbortController().signal;
	const target = {
		capabilities,
		signal,
		openShell: (options: SessionOptions) =>
			openShell({ sandbox: place.sandbox, files: "bind", cwd: "", environment: {}, signal, ...options }),
	};
	for (const item of conformanceCases) {
		const runner = item.alone ? test : test.concurrent;
		runner.skipIf(missingNeeds(item, target).length > 0)(item.name, () => runCase(item, target), limitMs);
	}
});
