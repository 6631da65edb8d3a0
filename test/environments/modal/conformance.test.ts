/**
 * The modal backend keeps every promise, by itself and with a relay in its sandboxes, against a server that speaks Modal's
 * protocol. Not supported: `own-memory`, because other tests fill the memory of this process; and by itself `own-process`,
 * because commands are no children of this process, so there is nothing of it to count.
 */

import { afterAll, beforeAll, describe, test } from "bun:test";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { conformanceCases } from "../../../lib/environments/conformance/cases.ts";
import type { Capability, SessionOptions } from "../../../lib/environments/conformance/conformance-case.ts";
import { missingNeeds, runCase } from "../../../lib/environments/conformance/run-conformance.ts";
import { withRelay } from "../../../lib/environments/relay/relay-sandbox.ts";
import { openShell } from "../../../lib/environments/shell/shell.ts";
import type { ModalServer } from "../../support/modal-server/start-server.ts";
import { startModalServer } from "../../support/modal-server/start-server.ts";
import { hasModalServer, openModal } from "./modal-place.ts";

const limitMs = 120_000;
const signal = new AbortController().signal;
const refuse = (line: string) => {
	throw new Error(line);
};

const ways: readonly {
	readonly name: string;
	readonly capabilities: readonly Capability[];
	open(server: ModalServer): Promise<Sandbox>;
}[] = [
	{ name: "modal", capabilities: ["escapees"], open: openModal },
	{
		name: "modal with a relay",
		capabilities: ["escapees", "own-process"],
		open: async (server) => withRelay(await openModal(server), { signal, onFallback: refuse }),
	},
];

const isThere = await hasModalServer();

for (const { name, capabilities, open } of ways) {
	describe.skipIf(!isThere)(name, () => {
		let server: ModalServer;
		let sandbox: Sandbox;
		beforeAll(async () => {
			server = await startModalServer();
			sandbox = await open(server);
		}, limitMs);
		afterAll(async () => {
			await sandbox[Symbol.asyncDispose]();
			await server[Symbol.asyncDispose]();
		}, limitMs);

		const target = {
			capabilities: new Set(capabilities),
			signal,
			openShell: (options: SessionOptions) =>
				openShell({ sandbox, files: "sync", cwd: "", environment: {}, signal, ...options }),
		};
		for (const item of conformanceCases) {
			const runner = item.alone ? test : test.concurrent;
			runner.skipIf(missingNeeds(item, target).length > 0)(item.name, () => runCase(item, target), limitMs);
		}
	});
}
