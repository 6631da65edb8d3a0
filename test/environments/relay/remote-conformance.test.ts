/** Docker, ssh and singularity keep every promise with a relay in them. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { conformanceCases } from "../../../lib/environments/conformance/cases.ts";
import type { Capability, SessionOptions } from "../../../lib/environments/conformance/conformance-case.ts";
import { missingNeeds, runCase } from "../../../lib/environments/conformance/run-conformance.ts";
import { hasPlace, type OpenedPlace, openRelayed, openRemoteShell, remotePlaces } from "./remote-places.ts";

const capabilities: ReadonlySet<Capability> = new Set(["escapees", "own-process"]);
const limitMs = 120_000;

for (const place of remotePlaces) {
	describe.skipIf(!(await hasPlace(place)))(`the relay in ${place.name}`, () => {
		let opened: OpenedPlace;
		beforeAll(async () => {
			opened = await openRelayed(place);
		}, limitMs);
		afterAll(() => opened?.[Symbol.asyncDispose](), limitMs);

		const target = {
			capabilities,
			signal: new AbortController().signal,
			openShell: (options: SessionOptions) => openRemoteShell(opened.sandbox, place, options),
		};
		for (const item of conformanceCases) {
			const runner = item.alone ? test : test.concurrent;
			runner.skipIf(missingNeeds(item, target).length > 0)(item.name, () => runCase(item, target), limitMs);
		}

		test("is still there at the end", () => {
			expect(opened.sandbox.helper).toBeDefined();
		});
	});
}
