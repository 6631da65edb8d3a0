import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startOpenAiServer } from "../support/openai-server.ts";
import { startHermes } from "../support/run-hermes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startWireServer } from "../support/wire-server.ts";

// Each test starts processes, and other tests may keep the machine busy.
setDefaultTimeout(60_000);

const answers = join(import.meta.dir, "../fixtures/wires");
const secret = "sk-or-planted-0123456789";

function home(config = "") {
	const folder = temporaryFolder();
	mkdirSync(join(folder.path, ".hermes"), { mode: 0o700 });
	if (config !== "") writeFileSync(join(folder.path, ".hermes/config.yaml"), config);
	return folder;
}

function hermes(
	folder: { readonly path: string },
	args: readonly string[],
	more: { stdin?: string; env?: Record<string, string> } = {},
) {
	return startHermes(args, { home: folder.path, ...more }).ended;
}

describe("hermes auth", () => {
	test("hermes auth add keeps a key in a private file, list shows none of it, remove takes it away", async () => {
		using folder = home();
		const added = await hermes(folder, ["auth", "add", "or", "--label", "work"], { stdin: `${secret}\n` });
		const again = await hermes(folder, ["auth", "add", "openrouter", "--label", "work"], {
			stdin: "sk-or-another-key",
		});
		const listed = await hermes(folder, ["auth", "list", "--json"]);
		const shown = await hermes(folder, ["auth", "list"]);
		const path = join(folder.path, ".hermes/auth.json");
		expect(statSync(path).mode & 0o777).toBe(0o600);
		expect(readFileSync(path, "utf8")).toContain(secret);
		const row = JSON.parse(listed.stdout).find(({ provider }: { provider: string }) => provider === "openrouter");
		expect(row).toEqual({
			provider: "openrouter",
			variables: ["OPENROUTER_API_KEY"],
			login: true,
			keys: [{ source: 'auth.json "work"', fingerprint: expect.any(String), stored: true, state: "usable", uses: 0 }],
		});
		const { exitCode } = await hermes(folder, ["auth", "remove", "openrouter", "work"]);
		const gone = await hermes(folder, ["auth", "remove", "openrouter", "work"]);
		expect([added.exitCode, again.exitCode, exitCode, gone.exitCode]).toEqual([0, 1, 0, 1]);
		expect(again.stderr).toContain('"work" is there already');
		const all = [added, again, listed, shown, gone].map(({ stdout, stderr }) => stdout + stderr).join("");
		expect(all).not.toContain(secret.slice(0, 9));
	});

	test("a key that was added for one address takes neither itself nor the question to another", async () => {
		using folder = home();
		await using bound = startOpenAiServer([{ text: "Bound." }]);
		await using other = startOpenAiServer([{ text: "Other." }]);
		await hermes(folder, ["auth", "add", "custom", "--url", `${bound.url}/`], { stdin: secret });
		const ask = (...more: string[]) => hermes(folder, ["-z", "hi", "-m", "m", "--provider", "custom", ...more]);
		const [alone, same, elsewhere] = [
			await ask(),
			await ask("--base-url", bound.url),
			await ask("--base-url", other.url),
		];
		expect([alone, same, elsewhere].map(({ stdout }) => stdout)).toEqual(["Bound.\n", "Bound.\n", "Other.\n"]);
		expect(bound.requests.map(({ authorization }) => authorization)).toEqual(Array(2).fill(`Bearer ${secret}`));
		expect(other.requests.map(({ authorization }) => authorization)).toEqual([null]);
	});

	test("hermes auth refuses what is no key, and a login that is not documented for programs like this one", async () => {
		using folder = home();
		const placeholder = await hermes(folder, ["auth", "add", "openai"], { stdin: "your_api_key" });
		const login = await hermes(folder, ["auth", "login", "anthropic"]);
		expect([placeholder, login].map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
			[1, "hermes: Cannot add a key for openai: none was given\n"],
			[
				1,
				"hermes: Cannot log in at anthropic: it has no login for programs like this one; make a key there and run hermes auth add anthropic\n",
			],
		]);
	});
});

describe("hermes model", () => {
	test("hermes model writes the choice, and lists the models with the one that answers", async () => {
		using folder = home();
		const chosen = await hermes(folder, ["model", "gpt-5", "--provider", "openai"]);
		const listed = await hermes(folder, ["model", "--provider", "openai", "--json"]);
		expect([chosen.stdout, readFileSync(join(folder.path, ".hermes/config.yaml"), "utf8")]).toEqual([
			"gpt-5 of openai answers from now on\n",
			"model:\n  provider: openai\n  default: gpt-5\n",
		]);
		await hermes(folder, ["model", "qwen3", "--provider", "ollama"]);
		expect(readFileSync(join(folder.path, ".hermes/config.yaml"), "utf8")).toContain("provider: ollama");
		expect(JSON.parse(listed.stdout).filter(({ current }: { current: boolean }) => current)).toEqual([
			{
				provider: "openai",
				model: "gpt-5",
				current: true,
				context_tokens: 400_000,
				input_usd: 1.25,
				output_usd: 10,
				reasoning: true,
				images: true,
			},
		]);
	});
});

describe("hermes chat -q and endpoints", () => {
	const modes = {
		"chat-completions": { mode: "chat_completions", path: "/v1", header: "authorization", prefix: "Bearer " },
		responses: { mode: "responses", path: "/v1", header: "authorization", prefix: "Bearer " },
		"anthropic-messages": { mode: "anthropic_messages", path: "", header: "x-api-key", prefix: "" },
		gemini: { mode: "gemini", path: "/v1beta", header: "x-goog-api-key", prefix: "" },
	} as const;
	for (const [wire, { mode, path, header, prefix }] of Object.entries(modes)) {
		test(`an endpoint of the user's own is spoken to over ${wire}, with its own key and no other`, async () => {
			await using server = startWireServer({ pieces: [await Bun.file(join(answers, wire, "text.sse")).text()] });
			using folder = home(
				`model: {provider: "custom:mine", default: m}\ncustom_providers: [{name: mine, base_url: "${server.url}${path}", api_mode: ${mode}, key_env: MINE_KEY}]\n`,
			);
			const env = { MINE_KEY: "sk-mine-123456", OPENAI_API_KEY: "sk-foreign-123", ANTHROPIC_API_KEY: "sk-foreign-456" };
			const { stdout, exitCode } = await hermes(folder, ["chat", "-q", "hi", "-Q"], { env });
			expect([exitCode, stdout]).toEqual([0, "Grüße an dich 🙂 — 你好!\n"]);
			expect(server.seen.map(({ headers }) => headers[header])).toEqual([`${prefix}sk-mine-123456`]);
			expect(JSON.stringify(server.seen)).not.toContain("sk-foreign");
		});
	}

	test("an address left over in OPENAI_BASE_URL takes no key of another service", async () => {
		await using server = startWireServer({ pieces: [], status: 500 });
		using folder = home(
			"model: {provider: deepseek, default: m, refresh_catalog: false}\nagent: {api_max_retries: 0}\n",
		);
		const env = {
			OPENAI_BASE_URL: server.url,
			DEEPSEEK_API_KEY: "sk-deepseek-1",
			// Nothing may leave this machine in a test: the proxy answers in the service's place.
			HTTPS_PROXY: "http://127.0.0.1:1",
		};
		const { exitCode, stderr } = await hermes(folder, ["chat", "-q", "hi", "-Q"], { env });
		expect([exitCode, server.seen]).toEqual([1, []]);
		expect(stderr).toContain("https://api.deepseek.com/v1");
	});

	test("a refused key gives way to the next one, and the answer comes in the same turn", async () => {
		const refusal = JSON.stringify({ error: { message: "Insufficient credits", code: 402 } });
		await using server = startWireServer(
			{ status: 402, pieces: [refusal], headers: { "content-type": "application/json" } },
			{ pieces: [await Bun.file(join(answers, "chat-completions", "text.sse")).text()] },
		);
		using folder = home("model: {provider: openrouter, default: m, refresh_catalog: false}\n");
		for (const name of ["first", "second"]) {
			await hermes(folder, ["auth", "add", "openrouter", "--label", name], { stdin: `sk-or-${name}` });
		}
		const env = { OPENROUTER_BASE_URL: server.url };
		const { exitCode, stdout } = await hermes(folder, ["chat", "-q", "hi", "-Q"], { env });
		expect([exitCode, stdout]).toEqual([0, "Grüße an dich 🙂 — 你好!\n"]);
		expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
			"Bearer sk-or-first",
			"Bearer sk-or-second",
		]);
		const listed = JSON.parse((await hermes(folder, ["auth", "list", "--json"])).stdout);
		const row = listed.find(({ provider }: { provider: string }) => provider === "openrouter");
		expect(row.keys.map(({ state, reason }: { state: string; reason?: string }) => [state, reason])).toEqual([
			["rests", "billing"],
			["usable", undefined],
		]);
	});
});
