/** Sync to the services in the cloud: whatever way their processes take input, files arrive and come back. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { createFileSync } from "../../../lib/environments/sync/file-sync.ts";
import { homeSources } from "../../../lib/environments/sync/home-sources.ts";
import { startDaytonaServer } from "../../support/daytona-server/server.ts";
import { startModalServer } from "../../support/modal-server/start-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { hasDaytona, openDaytona } from "../daytona/daytona-service.ts";
import { hasManagedModal, startTestGateway } from "../managed-modal/managed-service.ts";
import { hasModalServer, openModal } from "../modal/modal-place.ts";
import { said } from "../ssh/ssh-service.ts";
import { put, signal, textOf } from "./far-place.ts";

setDefaultTimeout(120_000);

/** Pushes to `sandbox`, changes something there, and pulls. */
async function roundTrip(sandbox: Sandbox) {
	using folder = temporaryFolder();
	const home = folder.path;
	for (let index = 0; index < 40; index++)
		put(join(home, `skills/s${index}/SKILL.md`), `skill ${index}`.repeat(1_000), 60);
	put(join(home, "cache/documents/binary"), Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), 60);
	const choice = { home, externalSkills: [], credentials: [], cacheComesBack: true, skillsComeBack: false };
	const warnings: string[] = [];
	const host = { home, userHome: home, sources: () => homeSources(choice), isEager: true };
	const sync = createFileSync(sandbox, { ...host, onWarning: (line) => warnings.push(line) });
	const first = await sync.push(signal);
	put(join(home, "skills/s7/SKILL.md"), "changed");
	const second = await sync.push(signal);
	const script =
		'cd "${HOME:-/root}/.hermes" && cat skills/s7/SKILL.md && cat cache/documents/binary >cache/documents/copy';
	const { output } = await said(sandbox, ["sh", "-c", script]);
	const back = await sync.pull();
	const copy = textOf(join(home, "cache/documents/copy"));
	return {
		sent: [first, second].map((outcome) => (outcome.is === "pushed" ? outcome.sent.length : outcome)),
		output,
		back: back.is === "back" && back.written.length,
		isSame: copy !== undefined && copy === textOf(join(home, "cache/documents/binary")),
		warnings,
	};
}

const whole = { sent: [41, 1], output: "changed", back: 1, isSame: true, warnings: [] };

const has = { modal: await hasModalServer(), managed: await hasManagedModal(), daytona: await hasDaytona() };

describe("a sync", () => {
	test.skipIf(!has.modal)("reaches modal", async () => {
		await using server = await startModalServer();
		await using sandbox = await openModal(server);
		expect(await roundTrip(sandbox)).toEqual(whole);
	});

	test.skipIf(!has.managed)("reaches managed sandboxes", async () => {
		await using gateway = await startTestGateway();
		await using sandbox = await gateway.open();
		expect(await roundTrip(sandbox)).toEqual(whole);
	});

	test.skipIf(!has.daytona)("reaches daytona", async () => {
		await using server = startDaytonaServer();
		await using place = await openDaytona(server);
		expect(await roundTrip(place.sandbox)).toEqual(whole);
	});
});
