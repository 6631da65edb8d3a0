/** hermes status, insights and dump: what is set up, how it was used, and no secret in any of it. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../lib/store/database.ts";
import { runInProcess } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

const key = "sk-proj-a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6";

async function furnished() {
	const folder = temporaryFolder();
	const home = folder.path;
	mkdirSync(join(home, ".hermes"));
	const hermes = (...args: string[]) => runInProcess(args, home);
	await hermes("config", "set", "model.default", "some-model");
	await hermes("config", "set", "model.provider", "openai");
	await hermes("config", "set", "OPENAI_API_KEY", key);
	return { home, hermes, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test("hermes status names profile, model, keys, backend and counts, and shows no key", async () => {
	using at = await furnished();
	using store = openStore(join(at.home, ".hermes/state.db"));
	store.createSession({ id: "s", source: "cli" });
	const { stdout, exitCode } = await at.hermes("status", "--json");
	expect(exitCode).toBe(0);
	expect(JSON.parse(stdout)).toMatchObject({
		profile: "default",
		provider: "openai",
		model: "some-model",
		keys: ["OPENAI_API_KEY"],
		backend: { name: "local", ready: true },
		mcp_servers: [],
		sessions: 1,
		background_processes: 0,
	});
	expect((await at.hermes("status")).stdout).toContain("some-model  (openai)");
	expect(stdout).not.toContain(key.slice(-12));
});

test("hermes status masks a password and a key in the address of a model server", async () => {
	using at = await furnished();
	await at.hermes("config", "set", "model.base_url", "https://me:pass1234word@h.example/v1?key=abcdefgh12345");
	const shown = [await at.hermes("status"), await at.hermes("status", "--json")].map(({ stdout }) => stdout).join();
	expect(shown).toContain("h.example/v1");
	expect(shown).not.toMatch(/pass1234word|abcdefgh12345/);
});

test("hermes status of settings that cannot be used says so and exits 1", async () => {
	using at = await furnished();
	writeFileSync(join(at.home, ".hermes/config.yaml"), "model: [");
	const { stdout, exitCode } = await at.hermes("status", "--json");
	expect(exitCode).toBe(1);
	expect(JSON.parse(stdout).problem).toContain("config.yaml");
});

test("hermes insights counts sessions, questions and calls of tools of the last days", async () => {
	using at = await furnished();
	using store = openStore(join(at.home, ".hermes/state.db"));
	store.createSession({ id: "s", source: "cli" });
	store.appendMessage("s", { role: "user", content: "hi" });
	const call = { id: "c1", name: "terminal", arguments: "{}" };
	store.appendMessage("s", { role: "assistant", content: "", toolCalls: [call, { ...call, id: "c2" }] });
	for (const id of ["c1", "c2"])
		store.appendMessage("s", { role: "tool", toolCallId: id, toolName: "terminal", content: "{}" });
	const found = JSON.parse((await at.hermes("insights", "--json")).stdout);
	expect(found).toMatchObject({
		sessions: 1,
		questions: 1,
		toolCalls: 2,
		tools: [{ name: "terminal", calls: 2 }],
		sources: [{ source: "cli", sessions: 1 }],
	});
	expect(found.hours).toHaveLength(24);
	expect((await at.hermes("insights")).stdout).toMatch(
		/^1 sessions, 1 questions, 2 calls of tools\n[\s\S]*terminal {2}█+ 2\n/,
	);
});

test("hermes insights without sessions says so", async () => {
	using at = await furnished();
	expect((await at.hermes("insights")).stdout).toBe("There are no sessions yet\n");
	expect(JSON.parse((await at.hermes("insights", "--json")).stdout)).toMatchObject({ sessions: 0, tools: [] });
});

test("hermes dump has settings and findings, and masks keys wherever they stand", async () => {
	using at = await furnished();
	await at.hermes("config", "set", "model.base_url", `https://example.org/${key}`);
	const env = { NAME: "value-of-a-server" };
	await at.hermes("config", "set", "mcp_servers", JSON.stringify({ box: { command: "x", env } }));
	for (const flags of [[], ["--json"]]) {
		const { stdout, exitCode } = await at.hermes("dump", ...flags);
		expect(exitCode).toBe(0);
		expect(stdout).toContain("some-model");
		expect(stdout).toContain("runtime");
		expect(stdout).not.toContain(key.slice(8, -6));
		expect([stdout.includes("NAME"), stdout.includes(env.NAME)]).toEqual([true, false]);
	}
});
