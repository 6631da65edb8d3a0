/** A relay keeps every promise of the backend it runs in. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Sandbox } from "../../../lib/environments/backend.ts";
import { conformanceCases } from "../../../lib/environments/conformance/cases.ts";
import type { Capability, SessionOptions } from "../../../lib/environments/conformance/conformance-case.ts";
import { missingNeeds, runCase } from "../../../lib/environments/conformance/run-conformance.ts";
import { openLocalShell } from "../../support/local-sandbox.ts";
import { openLocalRelay } from "./open-local-relay.ts";

const capabilities = new Set<Capability>(process.platform === "linux" ? ["escapees", "own-process"] : []);
const limitMs = 120_000;

/** With what the newest Python has, and with what 3.6 on another system has. */
const kinds = [
	{ name: "local", files: "host", disabled: [] },
	{ name: "local, with state through the relay", files: "sync", disabled: [] },
	{
		name: "local, without posix_spawn, epoll and subreaper",
		files: "sync",
		disabled: ["posix_spawn", "epoll", "subreaper"],
	},
] as const;

describe.each(kinds)("the relay, $name", ({ files, disabled }) => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await openLocalRelay({ disabled });
	});
	afterAll(() => sandbox[Symbol.asyncDispose]());

	const target = {
		capabilities,
		signal: new AbortController().signal,
		openShell: (options: SessionOptions) => openLocalShell(sandbox, { ...options, files }),
	};
	for (const item of conformanceCases) {
		const runner = item.alone ? test : test.concurrent;
		runner.skipIf(missingNeeds(item, target).length > 0)(item.name, () => runCase(item, target), limitMs);
	}

	test("is still there at the end", () => {
		expect(sandbox.helper).toBeDefined();
	});
});
