/**
 * The modal backend keeps every promise, against a server that speaks Modal's protocol. Not supported: `own-process` and
 * `own-memory`, because commands are no children of this process, so there is nothing of it to count.
 */

import { afterAll, beforeAll, describe, test } from "bun:test";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { conformanceCases } from "../../../lib/environments/conformance/cases.ts";
import type { Capability, SessionOptions } from "../../../lib/environments/conformance/conformance-case.ts";
import { missingNeeds, runCase } from "../../../lib/environments/conformance/run-conformance.ts";
import { openShell } from "../../../lib/environments/shell/shell.ts";
import type { ModalServer } from "../../support/modal-server/start-server.ts";
import { startModalServer } from "../../support/modal-server/start-server.ts";
import { hasModalServer, openModal } from "./modal-place.ts";

const capabilities: ReadonlySet<Capability> = new Set(["escapees"]);
const limitMs = 120_000;

describe.skipIf(!(await hasModalServer()))("modal", () => {
	let server: ModalServer;
	let sandbox: Sandbox;
	beforeAll(async () => {
		server = await startModalServer();
		sandbox = await openModal(server);
	}, limitMs);
	afterAll(async () => {
		await sandbox[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
	}, limitMs);

	const signal = new AbortController().signal;
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
