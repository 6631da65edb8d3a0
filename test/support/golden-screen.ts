/** Screens that are kept as files, to be read by people: a change of what a chat looks like is seen as such. */

import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { settledWithin } from "../../lib/base/settled-within.ts";
import type { HermesOnScreen } from "./terminal-screen.ts";

const folder = join(import.meta.dir, "../fixtures/screens");

/** A picture that is not there by then will not come. */
const patienceMs = 20_000;

/** Nothing comes for so long when a picture is complete. */
const quietMs = 500;

/**
 * Waits until the screen is what the file of that name holds, for a frame may still be on its way. What differs from run to
 * run is made equal first: versions, times, session ids. HERMES_UPDATE_SCREENS=1 writes the files instead; look at what has
 * changed in them.
 */
export async function expectScreen(name: string, hermes: HermesOnScreen): Promise<void> {
	const path = join(folder, `${name}.txt`);
	if (process.env.HERMES_UPDATE_SCREENS === "1") {
		await Bun.sleep(quietMs);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, `${steady(hermes.screen())}\n`);
	}
	expect(existsSync(path), `${path} is missing; HERMES_UPDATE_SCREENS=1 writes it`).toBeTrue();
	const wanted = readFileSync(path, "utf8");
	const isRight = (screen: string) => `${steady(screen)}\n` === wanted;
	await settledWithin(hermes.until(isRight), patienceMs);
	expect(`${steady(hermes.screen())}\n`).toBe(wanted);
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
