/** Screens that are kept as files, to be read by people: a change of what a chat looks like is seen as such. */

import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const folder = join(import.meta.dir, "../fixtures/screens");

/**
 * Compares `screen` with the file of that name. What differs from run to run is made equal first: versions, times, session
 * ids. HERMES_UPDATE_SCREENS=1 writes the files instead; look at what has changed in them.
 */
export function expectScreen(name: string, screen: string): void {
	const path = join(folder, `${name}.txt`);
	const text = `${steady(screen)}\n`;
	if (process.env.HERMES_UPDATE_SCREENS === "1") {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	}
	expect(existsSync(path), `${path} is missing; HERMES_UPDATE_SCREENS=1 writes it`).toBeTrue();
	expect(text).toBe(readFileSync(path, "utf8"));
}

function steady(screen: string): string {
	return screen
		.replaceAll(/hermes \d+\.\d+\.\d+\S*(?: \(\w+\))?/g, "hermes 1.2.3")
		.replaceAll(/\d+\.\d\d s/g, "0.01 s")
		.replaceAll(/\S*hermes-test-\w+/g, "HOME")
		.replaceAll(/… · \d+ s · /g, "… · ")
		.replaceAll(/\d{8}_\d{6}_[0-9a-f]{6}/g, "20260701_120000_abcdef")
		.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "2026-07-01 12:00")
		.split("\n")
		.map((line) => line.trimEnd())
		.join("\n");
}
