/** hermes model at a terminal: a provider and a model are picked with the keys of the keyboard. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startOnTerminal } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Each test starts a process, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

// Nothing may leave this machine in a test: the services do not answer, and their models are those that hermes knows.
const env = {
	DEEPSEEK_API_KEY: "sk-0123456789abcdef",
	XAI_API_KEY: "xai-0123456789abcdef",
	HTTPS_PROXY: "http://127.0.0.1:1",
};
const down = "\x1b[B";
const enter = "\r";

describe.concurrent("hermes model", () => {
	test("picks a provider with the arrows and a model by a part of its name, and shows what it costs", async () => {
		using home = temporaryFolder();
		await using hermes = startOnTerminal(["model"], { home: home.path, env });
		await hermes.shows("Provider");
		await hermes.shows("deepseek");
		hermes.type(down);
		hermes.type(enter);
		await hermes.shows("Model");
		await hermes.shows("grok-4.3");
		hermes.type("4.5");
		await hermes.shows("grok-4.5");
		await hermes.shows("500k tokens, $2 / $6");
		hermes.type(enter);
		await hermes.shows("grok-4.5 of xai answers from now on");
		expect(await hermes.exitCode).toBe(0);
		expect(readFileSync(join(home.path, ".hermes/config.yaml"), "utf8")).toMatch(
			/provider: xai\n\s+default: grok-4\.5/,
		);
	});

	test("leaves everything as it is when the person leaves", async () => {
		using home = temporaryFolder();
		await using hermes = startOnTerminal(["model", "--provider", "xai"], { home: home.path, env });
		await hermes.shows("grok-4.3");
		hermes.type("\x03");
		expect(await hermes.exitCode).toBe(130);
		expect(existsSync(join(home.path, ".hermes/config.yaml"))).toBe(false);
	});
});
