/** Sandboxes that have little: busybox for everything, or a helper and no tar. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { openLocalRelay } from "../relay/open-local-relay.ts";
import { openSyncPlace, put, type SyncOptions, signal, textOf } from "./far-place.ts";

// Each test starts many processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const programs = ["sh", "mkdir", "rmdir", "rm", "mv", "cat", "find", "stat"];

/** A push, a second one, and a way back, with no programs but these. */
async function roundTrip(options: SyncOptions, links: Readonly<Record<string, string>>) {
	await using place = await openSyncPlace({ ...options, isPoor: true });
	mkdirSync(join(place.far, "bin"));
	for (const [name, target] of Object.entries(links)) symlinkSync(target, join(place.far, "bin", name));
	put(join(place.home, "skills/a b/SKILL.md"), "a", 60);
	put(join(place.home, "skills/c.md"), "c", 60);
	put(join(place.home, "cache/documents/d.txt"), "d", 60);
	const first = await place.sync.push(signal);
	put(join(place.home, "skills/c.md"), "c2");
	const second = await place.again().push(signal);
	put(join(place.base, "cache/documents/d.txt"), "d2");
	put(join(place.base, "cache/documents/new.txt"), "new");
	const back = await place.sync.pull();
	const text = (name: string) => textOf(join(place.home, "cache/documents", name));
	return {
		sent: [first, second].map((outcome) => (outcome.is === "pushed" ? outcome.sent.length : outcome)),
		there: textOf(join(place.base, "skills/c.md")),
		back: back.is,
		here: [text("d.txt"), text("new.txt")],
		warnings: place.warnings,
	};
}

const whole = { sent: [3, 1], there: "c2", back: "back" as const, here: ["d2", "new"], warnings: [] };

function linked(names: readonly string[], target: (name: string) => string | null) {
	return Object.fromEntries(names.map((name) => [name, target(name) ?? ""]));
}

describe("a sync", () => {
	const busybox = Bun.which("busybox");
	test.skipIf(busybox === null)("needs no more than busybox", async () => {
		expect(
			await roundTrip(
				{},
				linked([...programs, "tar"], () => busybox),
			),
		).toEqual(whole);
	});

	test("takes the helper where there is no tar", async () => {
		await using relayed = await openLocalRelay();
		const result = await roundTrip(
			{ sandbox: relayed },
			linked(programs, (name) => Bun.which(name)),
		);
		expect(result).toEqual(whole);
	});

	test("says so where there is neither", async () => {
		const result = await roundTrip(
			{},
			linked(programs, (name) => Bun.which(name)),
		);
		expect(result.warnings).toEqual([
			"sync warning: files of this machine were not copied to local (Cannot copy files to local: there is no tar); commands see what was there before",
			"sync warning: files of this machine were not copied to local (Cannot copy files to local: there is no tar); commands see what was there before",
		]);
	});
});
