/** Which model a window in config.yaml is for. */

import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { namedWindow } from "../../lib/cli/runtime/named-window.ts";
import { openSettings } from "../../lib/cli/runtime/settings.ts";
import { cliInProcess } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("namedWindow() is that of the model beside it, however another one is chosen, and of any when none stands there", async () => {
	const windows = async (model: string, asked: string, typed?: string) => {
		using home = temporaryFolder();
		mkdirSync(join(home.path, ".hermes"));
		writeFileSync(join(home.path, ".hermes/config.yaml"), `model: {${model}context_length: 9000}\n`);
		const config = await openSettings(cliInProcess(home.path).cli, { model: typed });
		return namedWindow(config, asked);
	};
	expect(
		await Promise.all([
			windows("default: small, ", "small"),
			windows("default: small, ", "large"),
			windows("default: small, ", "large", "large"),
			windows("", "large", "large"),
		]),
	).toEqual([9000, 0, 0, 9000]);
});
