/** The daytona backend keeps every promise, with Daytona's own SDK against a server that speaks as the service does. */

import { afterAll, beforeAll, describe, test } from "bun:test";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { conformanceCases } from "../../../lib/environments/conformance/cases.ts";
import type { Capability, SessionOptions } from "../../../lib/environments/conformance/conformance-case.ts";
import { missingNeeds, runCase } from "../../../lib/environments/conformance/run-conformance.ts";
import { withRelay } from "../../../lib/environments/relay/relay-sandbox.ts";
import { openShell } from "../../../lib/environments/shell/shell.ts";
import { type DaytonaServer, startDaytonaServer } from "../../support/daytona-server/server.ts";
import { type DaytonaPlace, hasDaytona, openDaytona } from "./daytona-service.ts";

/** `own-process` is not among them: the server runs in this process, and its sandboxes are children of it. */
const capabilities: ReadonlySet<Capability> = new Set(["escapees"]);
const limitMs = 120_000;
const signal = new AbortController().signal;

const refuse = (line: string) => {
	throw new Error(line);
};

describe.skipIf(!(await hasDaytona())).each(["without", "with"] as const)("daytona, %s a relay", (relay) => {
	let server: DaytonaServer;
	let place: DaytonaPlace;
	let sandbox: Sandbox;
	beforeAll(async () => {
		server = startDaytonaServer();
		place = await openDaytona(server);
		sandbox = relay === "with" ? await withRelay(place.sandbox, { signal, onFallback: refuse }) : place.sandbox;
	}, limitMs);
	afterAll(async () => {
		await sandbox[Symbol.asyncDispose]();
		await place[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
	}, limitMs);

	const target = {
		capabilities,
		signal,
		openShell: (options: SessionOptions) =>
			openShell({ sandbox, files: "sync", cwd: "", environment: {}, signal, ...options }),
	};
	for (const item of conformanceCases) {
		const runner = item.alone ? test : test.concurrent;
		runner.skipIf(missingNeeds(item, target).length > 0)(item.name, () => runCase(item, target), limitMs);
	}
});
