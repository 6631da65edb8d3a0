/** The ssh backend keeps every promise, over its own connections and through the ssh program. */

import { afterAll, beforeAll, describe, test } from "bun:test";
import { conformanceCases } from "../../../lib/environments/conformance/cases.ts";
import type { Capability, SessionOptions } from "../../../lib/environments/conformance/conformance-case.ts";
import { missingNeeds, runCase } from "../../../lib/environments/conformance/run-conformance.ts";
import { openShell } from "../../../lib/environments/shell/shell.ts";
import { hasSsh, openSsh, type SshPlace } from "./ssh-service.ts";

const capabilities: ReadonlySet<Capability> = new Set(["escapees"]);
const limitMs = 120_000;

for (const transport of ["builtin", "openssh"] as const) {
	describe.skipIf(!(await hasSsh()))(`ssh, ${transport}`, () => {
		let place: SshPlace;
		beforeAll(async () => {
			place = await openSsh({ settings: { ssh_transport: transport } });
		});
		afterAll(() => place[Symbol.asyncDispose]());

		const signal = new AbortController().signal;
		const target = {
			capabilities,
			signal,
			openShell: (options: SessionOptions) =>
				openShell({ sandbox: place.sandbox, files: "sync", cwd: "", environment: {}, signal, ...options }),
		};
		for (const item of conformanceCases) {
			const runner = item.alone ? test : test.concurrent;
			runner.skipIf(missingNeeds(item, target).length > 0)(item.name, () => runCase(item, target), limitMs);
		}
	});
}
