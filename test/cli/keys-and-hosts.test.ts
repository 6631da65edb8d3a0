/** Which key reaches which host: none is sent to another than it was made for, whatever way the request takes. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAuxiliary } from "../../lib/cli/runtime/auxiliary-model.ts";
import { fallbackModels } from "../../lib/cli/runtime/fallback-models.ts";
import { openProvider } from "../../lib/cli/runtime/open-provider.ts";
import { openSettings, type SettingFlags } from "../../lib/cli/runtime/settings.ts";
import type { ModelClient } from "../../lib/providers/provider.ts";
import { cliInProcess } from "../support/command-line.ts";
import { startOpenAiServer } from "../support/openai-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Other tests may keep the machine busy.
setDefaultTimeout(60_000);

const shared = "sk-shared-0123456789";
const ofOpenAi = "sk-proj-0123456789";

interface Scene {
	/** `MINE` and `OTHER` stand for the addresses of two servers, in all texts. */
	readonly config?: string;
	readonly variables?: Readonly<Record<string, string>>;
	readonly flags?: SettingFlags;
	/** Who asks: the conversation itself, its first fallback, or a side task. */
	readonly who: "main" | "fallback" | "auxiliary";
}

/** The key that each server is asked with; undefined for a server that is not asked, null for a question without a key. */
async function keysAt({ config = "", variables = {}, flags = {}, who }: Scene) {
	await using mine = startOpenAiServer([{ text: "mine" }]);
	await using other = startOpenAiServer([{ text: "other" }]);
	using home = temporaryFolder();
	const filled = (text: string) => text.replaceAll("MINE", mine.url).replaceAll("OTHER", other.url);
	mkdirSync(join(home.path, ".hermes"), { mode: 0o700 });
	writeFileSync(join(home.path, ".hermes/config.yaml"), filled(config));
	const named = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, filled(value)]));
	const { cli } = cliInProcess(home.path, { ...named, HTTPS_PROXY: "http://127.0.0.1:1" });
	const baseUrl = flags.baseUrl && filled(flags.baseUrl);
	const settings = await openSettings(cli, { model: "m", ...flags, ...(baseUrl !== undefined && { baseUrl }) });
	const main = await openProvider(cli, { config: settings });
	const { signal } = new AbortController();
	const opened = {
		main: async () => main,
		fallback: async () => await fallbackModels(cli, { config: settings, chosen: main }, fail)[0]?.open(signal),
		auxiliary: () => openAuxiliary(cli, { config: settings, task: "compression", main }),
	};
	await askOnce((await opened[who]())?.client, signal);
	return { mine: mine.requests[0]?.authorization, other: other.requests[0]?.authorization };
}

async function askOnce(client: ModelClient | undefined, signal: AbortSignal): Promise<void> {
	const request = { model: "m", messages: [{ role: "user" as const, content: "hi" }], tools: [] };
	await Array.fromAsync(client?.complete(request, signal) ?? fail("nothing was opened"));
}

function fail(message: string): never {
	throw new Error(message);
}

const typed = { baseUrl: "MINE" };
const bearer = (key: string) => `Bearer ${key}`;

const scenes: readonly (readonly [string, Scene, Awaited<ReturnType<typeof keysAt>>])[] = [
	[
		"OPENAI_API_KEY goes to the address that was typed, which is what many servers ask their users for",
		{ who: "main", flags: typed, variables: { OPENAI_API_KEY: shared } },
		{ mine: bearer(shared), other: undefined },
	],
	[
		"a key that only OpenAI gives out does not",
		{ who: "main", flags: typed, variables: { OPENAI_API_KEY: ofOpenAi } },
		{ mine: null, other: undefined },
	],
	[
		"but to a gateway that stands beside it in the environment",
		{ who: "main", variables: { OPENAI_API_KEY: ofOpenAi, OPENAI_BASE_URL: "MINE" } },
		{ mine: bearer(ofOpenAi), other: undefined },
	],
	[
		"a key beside OPENAI_BASE_URL does not go to another address that was typed",
		{ who: "main", flags: typed, variables: { OPENAI_API_KEY: shared, OPENAI_BASE_URL: "OTHER" } },
		{ mine: null, other: undefined },
	],
	[
		"CUSTOM_API_KEY is for the user's own endpoint, and comes alone",
		{ who: "main", flags: typed, variables: { CUSTOM_API_KEY: "sk-custom-1", OPENAI_API_KEY: shared } },
		{ mine: bearer("sk-custom-1"), other: undefined },
	],
	[
		"model.api_key stays with the address that it is written beside",
		{ who: "main", flags: typed, config: "model: {provider: custom, base_url: OTHER, api_key: sk-of-other-1}\n" },
		{ mine: null, other: undefined },
	],
	[
		"also when the environment names another one",
		{
			who: "main",
			config: "model: {provider: custom, base_url: OTHER, api_key: sk-of-other-1}\n",
			variables: { OPENAI_BASE_URL: "MINE" },
		},
		{ mine: null, other: undefined },
	],
	[
		"and one that stands beside the name of a service stays with that",
		{
			who: "main",
			flags: { ...typed, provider: "custom" },
			config: "model: {provider: openai, api_key: sk-of-openai-1}\n",
		},
		{ mine: null, other: undefined },
	],
	[
		"without an address it is for the one that was typed",
		{ who: "main", flags: typed, config: "model: {provider: custom, api_key: sk-mine-1}\n" },
		{ mine: bearer("sk-mine-1"), other: undefined },
	],
	[
		"and is sent to that address",
		{ who: "main", config: "model: {provider: custom, base_url: OTHER, api_key: sk-of-other-1}\n" },
		{ mine: undefined, other: bearer("sk-of-other-1") },
	],
	[
		"auxiliary.*.base_url gets no key of the conversation",
		{
			who: "auxiliary",
			flags: typed,
			config: "auxiliary: {compression: {base_url: OTHER}}\n",
			variables: { OPENAI_API_KEY: shared, CUSTOM_API_KEY: "sk-custom-1" },
		},
		{ mine: undefined, other: null },
	],
	[
		"auxiliary.*.base_url with provider custom gets none either",
		{
			who: "auxiliary",
			flags: typed,
			config: "auxiliary: {compression: {provider: custom, base_url: OTHER}}\n",
			variables: { OPENAI_API_KEY: shared },
		},
		{ mine: undefined, other: null },
	],
	[
		"auxiliary.*.api_key is for it",
		{
			who: "auxiliary",
			flags: typed,
			config: "auxiliary: {compression: {base_url: OTHER, api_key: sk-aux-1}}\n",
			variables: { OPENAI_API_KEY: shared },
		},
		{ mine: undefined, other: bearer("sk-aux-1") },
	],
	[
		"the conversation's own address is asked with its key by a side task too",
		{
			who: "auxiliary",
			flags: typed,
			config: "auxiliary: {compression: {base_url: MINE, model: small}}\n",
			variables: { OPENAI_API_KEY: shared },
		},
		{ mine: bearer(shared), other: undefined },
	],
	[
		"a service gets its key at no other address that a side task names",
		{
			who: "auxiliary",
			flags: typed,
			config: "auxiliary: {compression: {provider: custom, base_url: OTHER}}\n",
			variables: { OPENROUTER_API_KEY: "sk-or-v1-1", OPENAI_API_KEY: "sk-or-v1-1" },
		},
		{ mine: undefined, other: null },
	],
	[
		"a side task asks a service where the environment says that it is",
		{
			who: "auxiliary",
			flags: typed,
			config: "auxiliary: {compression: {provider: openrouter}}\n",
			variables: { OPENROUTER_API_KEY: "sk-or-v1-1", OPENROUTER_BASE_URL: "OTHER" },
		},
		{ mine: undefined, other: bearer("sk-or-v1-1") },
	],
	[
		"a fallback of provider custom gets no key of the conversation",
		{
			who: "fallback",
			flags: typed,
			config: "fallback_providers: [{provider: custom, model: m, base_url: OTHER}]\n",
			variables: { OPENAI_API_KEY: shared, CUSTOM_API_KEY: "sk-custom-1" },
		},
		{ mine: undefined, other: null },
	],
	[
		"a fallback gets the key that its entry names",
		{
			who: "fallback",
			flags: typed,
			config: "fallback_providers: [{provider: custom, model: m, base_url: OTHER, key_env: SECOND_KEY}]\n",
			variables: { OPENAI_API_KEY: shared, SECOND_KEY: "sk-of-other-1" },
		},
		{ mine: undefined, other: bearer("sk-of-other-1") },
	],
	[
		"a fallback that is an entry of custom_providers has the key of that entry",
		{
			who: "fallback",
			flags: typed,
			config:
				"fallback_providers: [{provider: 'custom:second', model: m}]\ncustom_providers: [{name: second, base_url: OTHER, key_env: SECOND_KEY}]\n",
			variables: { OPENAI_API_KEY: shared, SECOND_KEY: "sk-of-other-1" },
		},
		{ mine: undefined, other: bearer("sk-of-other-1") },
	],
	[
		"a fallback asks OpenRouter with its key where the environment says that it is",
		{
			who: "fallback",
			flags: typed,
			config: "fallback_providers: [{provider: openrouter, model: m, base_url: OTHER}]\n",
			variables: { OPENROUTER_API_KEY: "sk-or-v1-1", OPENROUTER_BASE_URL: "OTHER" },
		},
		{ mine: undefined, other: bearer("sk-or-v1-1") },
	],
];

describe("a key and its host", () => {
	for (const [name, scene, keys] of scenes) {
		test(name, async () => {
			expect(await keysAt(scene)).toEqual(keys);
		});
	}

	test("a service that a side task sends elsewhere has no key there, and is not asked", async () => {
		const scene: Scene = {
			who: "auxiliary",
			flags: typed,
			config: "auxiliary: {compression: {provider: anthropic, base_url: OTHER}}\n",
			variables: { ANTHROPIC_API_KEY: "sk-ant-api-1" },
		};
		await expect(keysAt(scene)).rejects.toThrow(/anthropic: it has no key/);
	});

	test("a key of the Chinese address of a maker goes there alone", async () => {
		const scene = (variables: Record<string, string>): Scene => ({
			who: "main",
			flags: { provider: "kimi" },
			variables: { KIMI_CN_API_KEY: "sk-of-china-1", ...variables },
		});
		await expect(keysAt(scene({ KIMI_BASE_URL: "OTHER" }))).rejects.toThrow(/kimi: it has no key/);
		// The proxy, which is not there, stands for the network.
		await expect(keysAt(scene({}))).rejects.toThrow("https://api.moonshot.cn/v1");
	});

	test("a side task of OpenAI gets none that stands beside the address of a gateway", async () => {
		const scene: Scene = {
			who: "auxiliary",
			flags: typed,
			config: "auxiliary: {compression: {provider: codex}}\n",
			variables: { OPENAI_API_KEY: shared, OPENAI_BASE_URL: "OTHER" },
		};
		await expect(keysAt(scene)).rejects.toThrow(/codex: it has no key/);
	});
});
