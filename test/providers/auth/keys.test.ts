import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readAuthFile } from "../../../lib/providers/auth/auth-file.ts";
import { chooseKey, restMs, type Strategy } from "../../../lib/providers/auth/choose-key.ts";
import { openHealthTable } from "../../../lib/providers/auth/key-health.ts";
import { openKeyRing } from "../../../lib/providers/auth/key-ring.ts";
import { isPlaceholder, keysOf, type ProviderKey } from "../../../lib/providers/auth/provider-keys.ts";
import openrouter from "../../../lib/providers/openrouter.ts";
import { type ModelChunk, ProviderRefused, type RefusalKind } from "../../../lib/providers/provider.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const minute = 60_000;
const key = (name: string): ProviderKey => ({ fingerprint: name, secret: `sk-${name}`, source: name });
const refused = (kind: RefusalKind, retryAfterMs?: number) =>
	new ProviderRefused(kind, "no", { hints: retryAfterMs === undefined ? {} : { retryAfterMs } });
const signal = new AbortController().signal;

describe("auth.json", () => {
	test("storeKey() of many processes at once loses no key and leaves a file for nobody else", async () => {
		using folder = temporaryFolder();
		const program = join(import.meta.dir, "../../support/add-key.ts");
		const codes = await Promise.all(
			["a", "b", "c"].map((prefix) => Bun.spawn([process.execPath, program, folder.path, prefix, "5"]).exited),
		);
		const { credential_pool: pool } = readAuthFile(folder.path);
		expect(codes).toEqual([0, 0, 0]);
		expect(new Set(pool.openrouter?.map(({ label }) => label)).size).toBe(15);
		expect(new Set(pool.openrouter?.map(({ priority }) => priority)).size).toBe(15);
		expect(statSync(join(folder.path, "auth.json")).mode & 0o777).toBe(0o600);
	});

	test("readAuthFile() names a broken file and shows nothing of it", () => {
		using folder = temporaryFolder();
		writeFileSync(
			join(folder.path, "auth.json"),
			'{"credential_pool": {"openrouter": [{"access_token": "sk-planted"}]}}',
		);
		expect(() => readAuthFile(folder.path)).toThrow(/^Cannot read ".*auth.json": it is not what hermes writes at /);
		expect(() => readAuthFile(folder.path)).not.toThrow(/sk-planted/);
	});

	test("keysOf() takes variables first, then stored keys, each once, and nothing that only stands for one", () => {
		using folder = temporaryFolder();
		const stored = (id: string, priority: number) => ({
			id,
			label: id,
			auth_type: "api_key",
			priority,
			access_token: `sk-${id}`,
		});
		const pool = { or: [stored("second", 2), stored("first", 1), stored("variable", 0)] };
		writeFileSync(join(folder.path, "auth.json"), JSON.stringify({ credential_pool: pool }));
		const found = (variables: Record<string, string>) =>
			keysOf(openrouter, { variables, home: folder.path }).map(({ source, secret }) => [source, secret]);
		expect([found({ OPENROUTER_API_KEY: "sk-variable" }), found({ OPENROUTER_API_KEY: "your_api_key" })]).toEqual([
			[
				["OPENROUTER_API_KEY", "sk-variable"],
				['auth.json "first"', "sk-first"],
				['auth.json "second"', "sk-second"],
			],
			[
				['auth.json "variable"', "sk-variable"],
				['auth.json "first"', "sk-first"],
				['auth.json "second"', "sk-second"],
			],
		]);
		expect(["***", "changeme", "none", "abc", "<your key>", "YOUR_API_KEY"].every(isPlaceholder)).toBe(true);
		expect(isPlaceholder("sk-or-v1-0123456789")).toBe(false);
	});
});

describe("chooseKey()", () => {
	test("chooseKey() follows its strategy and leaves out what rests or is dead", () => {
		using folder = temporaryFolder();
		using health = openHealthTable(folder.path);
		const keys = [key("a"), key("b"), key("c"), key("d")];
		for (const name of ["a", "b", "a", "c"]) health.countUse(name);
		health.rest("d", { until: 0, reason: "auth_permanent", dead: true });
		const choice = (strategy: Strategy, now = 1000) =>
			chooseKey(keys, { strategy, health, now, random: () => 0.99 })?.fingerprint;
		const all = () => (["fill_first", "round_robin", "least_used", "random"] as const).map((each) => choice(each));
		expect(all()).toEqual(["a", "b", "b", "c"]);
		health.rest("b", { until: 2000, reason: "rate_limit", dead: false });
		expect([...all(), choice("round_robin", 2000)]).toEqual(["a", "a", "c", "c", "b"]);
		for (const name of ["a", "c"]) health.rest(name, { until: 5000, reason: "billing", dead: false });
		expect(choice("fill_first")).toBeUndefined();
	});

	test("restMs() begins with a minute, doubles up to an hour, and goes by what the provider says", () => {
		expect([0, 1, 2, 3, 9].map((before) => restMs(refused("rate_limit"), before) / minute)).toEqual([1, 2, 4, 8, 60]);
		expect([restMs(refused("auth"), 0), restMs(refused("billing"), 0)]).toEqual([5 * minute, 60 * minute]);
		expect(restMs(refused("rate_limit", 7000), 5)).toBe(7000);
	});
});

describe("openKeyRing()", () => {
	async function ring(home: string, names = ["a", "b"]) {
		let now = 1000;
		const used: string[] = [];
		const health = openHealthTable(home);
		const opened = await openKeyRing({
			providerId: "test",
			keys: names.map(key),
			strategy: "fill_first",
			health,
			now: () => now,
			open: async ({ fingerprint }) => ({
				async *complete(): AsyncGenerator<ModelChunk> {
					used.push(fingerprint);
					yield { type: "finished", message: { role: "assistant", content: "ok", toolCalls: [] } };
				},
			}),
		});
		const ask = () => Array.fromAsync(opened.client.complete({ model: "m", messages: [], tools: [] }, signal));
		return {
			...opened,
			health,
			used,
			ask,
			wait: (ms: number) => {
				now += ms;
			},
			[Symbol.dispose]: () => health[Symbol.dispose](),
		};
	}

	test("rotateKey() tries a key again after its first rate limit, and takes the next after the second", async () => {
		using folder = temporaryFolder();
		using keys = await ring(folder.path);
		expect([await keys.rotateKey(refused("rate_limit"), signal), keys.used]).toEqual([true, []]);
		await keys.ask();
		// The answer in between makes the next limit a first one again.
		expect(await keys.rotateKey(refused("rate_limit"), signal)).toBe(true);
		expect(await keys.rotateKey(refused("rate_limit"), signal)).toBe(true);
		await keys.ask();
		expect(keys.used).toEqual(["a", "b"]);
		expect(keys.health.of("a")).toMatchObject({ restsUntil: 1000 + minute, reason: "rate_limit", dead: false });
	});

	test("rotateKey() takes the next key at once when waiting would not help, until none is left", async () => {
		using folder = temporaryFolder();
		using keys = await ring(folder.path, ["a", "b", "c"]);
		expect([
			await keys.rotateKey(refused("billing"), signal),
			await keys.rotateKey(refused("rate_limit", 30_000), signal),
			await keys.rotateKey(refused("auth_permanent"), signal),
		]).toEqual([true, true, false]);
		expect(
			["a", "b", "c"].map((name) => keys.health.of(name)).map(({ dead, restsUntil }) => [dead, restsUntil]),
		).toEqual([
			[false, 1000 + 60 * minute],
			[false, 31_000],
			[true, 1000],
		]);
	});

	test("rotateKey() leaves the key alone when the refusal is not about it", async () => {
		using folder = temporaryFolder();
		using keys = await ring(folder.path);
		for (const kind of ["server_error", "overloaded", "context_overflow", "network", "content_blocked"] as const) {
			expect(await keys.rotateKey(refused(kind), signal)).toBe(false);
		}
		expect(keys.health.of("a").reason).toBe("");
	});

	test("openKeyRing() knows from other processes which keys rest, and says when all do", async () => {
		using folder = temporaryFolder();
		{
			using first = await ring(folder.path);
			await first.rotateKey(refused("billing"), signal);
		}
		using second = await ring(folder.path);
		await second.ask();
		expect(second.used).toEqual(["b"]);
		await second.rotateKey(refused("rate_limit", 9000), signal);
		const failure = await ring(folder.path).catch((cause: unknown) => cause);
		expect(failure).toBeInstanceOf(ProviderRefused);
		expect(failure).toMatchObject({
			kind: "rate_limit",
			message: "Cannot use provider test: all of its keys were refused; the first may be used again in 9 s",
			hints: { retryAfterMs: 9000 },
		});
	});

	test("openHealthTable() holds no key and is for nobody else", async () => {
		using folder = temporaryFolder();
		using keys = await ring(folder.path);
		await keys.ask();
		const path = join(folder.path, "keys.db");
		expect([existsSync(path), statSync(path).mode & 0o777]).toEqual([true, 0o600]);
		expect(readFileSync(path, "latin1")).not.toContain("sk-a");
	});
});
